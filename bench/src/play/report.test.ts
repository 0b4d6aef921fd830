import type { GameResult } from '@tromino/strata';
import { describe, expect, it } from 'vitest';
import type { PlayerResult } from './evaluate.ts';
import { formatEvaluation } from './report.ts';

function game(seed: number, pieces: number, lines: number): GameResult {
  return { seed, pieces, lines, score: 0, steps: pieces * 5, survived: pieces >= 150 };
}

function players(model: readonly GameResult[]): readonly PlayerResult[] {
  return [
    { player: 'model', games: model },
    { player: 'teacher', games: [game(1, 150, 50), game(2, 150, 50)] },
    { player: 'random legal', games: [game(1, 20, 0), game(2, 25, 1)] },
  ];
}

describe('formatEvaluation', () => {
  it('puts the players side by side and says what the model reached', () => {
    expect(formatEvaluation(players([game(1, 150, 40), game(2, 150, 31)]), 150)).toBe(
      [
        'player        survived 150 pieces  lines  lines per game  pieces per game  steps',
        'model         2 of 2 (100.0 %)     71     35.5            150.0            1500',
        'teacher       2 of 2 (100.0 %)     100    50.0            150.0            1500',
        'random legal  0 of 2 (0.0 %)       1      0.5             22.5             225',
        '',
        'games survived: 100.0 %, goal 80.0 %: reached',
        "lines, of the teacher's: 71.0 %, goal 70.0 %: reached",
      ].join('\n'),
    );
  });

  it('says what the model missed', () => {
    const report = formatEvaluation(players([game(1, 150, 40), game(2, 149, 29)]), 150);
    expect(report).toContain('games survived: 50.0 %, goal 80.0 %: missed');
    expect(report).toContain("lines, of the teacher's: 69.0 %, goal 70.0 %: missed");
  });

  it('makes no share of nothing', () => {
    const report = formatEvaluation(
      [
        { player: 'model', games: [game(1, 2, 0)] },
        { player: 'teacher', games: [game(1, 2, 0)] },
      ],
      2,
    );
    expect(report).toContain("lines, of the teacher's: nothing to compare with");
  });
});
