import type { PlayerResult } from './evaluate.ts';

/** One player's games summed up. */
export interface PlayerSummary {
  readonly player: PlayerResult['player'];
  readonly games: number;
  /** Games that went on until the last piece. */
  readonly survived: number;
  readonly lines: number;
  readonly pieces: number;
  /** Steps, each of which is one decision. */
  readonly steps: number;
}

/** Sums up a player's games. */
export function summarisePlayer({ player, games }: PlayerResult): PlayerSummary {
  const sum = (key: 'lines' | 'pieces' | 'steps'): number =>
    games.reduce((total, game) => total + game[key], 0);
  return {
    player,
    games: games.length,
    survived: games.filter((game) => game.survived).length,
    lines: sum('lines'),
    pieces: sum('pieces'),
    steps: sum('steps'),
  };
}

/** What the model has to reach: the share of games it survives, and of the teacher's lines. */
const goals = { survivedShare: 0.8, linesShare: 0.7 } as const;

/** A table of the players, and whether the model reaches its goals. */
export function formatEvaluation(players: readonly PlayerResult[], piecesPerGame: number): string {
  const summaries = players.map(summarisePlayer);
  const rows = [
    ['player', `survived ${piecesPerGame} pieces`, 'lines', 'lines per game', 'pieces per game', 'steps'],
    ...summaries.map(({ player, games, survived, lines, pieces, steps }) => [
      player,
      `${survived} of ${games} (${percent(survived / games)})`,
      String(lines),
      (lines / games).toFixed(1),
      (pieces / games).toFixed(1),
      String(steps),
    ]),
  ];
  return [alignColumns(rows), '', ...verdicts(summaries)].join('\n');
}

function verdicts(summaries: readonly PlayerSummary[]): string[] {
  const model = summaries.find(({ player }) => player === 'model');
  const teacher = summaries.find(({ player }) => player === 'teacher');
  if (!model || !teacher) return [];
  return [
    verdict('games survived', model.survived / model.games, goals.survivedShare),
    verdict("lines, of the teacher's", model.lines / teacher.lines, goals.linesShare),
  ];
}

function verdict(name: string, share: number, goal: number): string {
  // Short games may leave even the teacher without a line.
  if (!Number.isFinite(share)) return `${name}: nothing to compare with`;
  return `${name}: ${percent(share)}, goal ${percent(goal)}: ${share >= goal ? 'reached' : 'missed'}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
