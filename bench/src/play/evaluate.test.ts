import { Action, legalMask, newGame, PROMPT_CHARACTERS, step, writePrompt } from '@tromino/strata';
import { describe, expect, it } from 'vitest';
import { evaluatePlayers, modelPolicy, type ModelDecision } from './evaluate.ts';

/** Scores that want left, then wait. Left is illegal at the wall. */
const wantsLeft = [9, 0, 0, 0, 0, 0, 0, 5];

describe('modelPolicy', () => {
  it('takes the highest-scoring legal action of each game, in batches of at most the size given', async () => {
    const batches: number[] = [];
    const policy = modelPolicy((prompts) => {
      batches.push(prompts.length);
      return Promise.resolve(prompts.map(() => wantsLeft));
    }, 2);
    let atWall = newGame(1);
    for (let steps = 0; steps < 9; steps++) {
      const [action] = await policy([atWall], [0]);
      if (action === Action.left) atWall = step(atWall, Action.left);
    }
    batches.length = 0;
    expect(await policy([newGame(1), atWall, newGame(2)], [0, 1, 2])).toEqual([
      Action.left,
      Action.wait,
      Action.left,
    ]);
    expect(batches).toEqual([2, 1]);
  });

  it('tells what it saw, what came of it and what it played', async () => {
    const decisions: ModelDecision[] = [];
    const policy = modelPolicy(
      (prompts) => Promise.resolve(prompts.map(() => wantsLeft)),
      8,
      (decision) => decisions.push(decision),
    );
    const game = newGame(3);
    await policy([game], [0]);
    expect(decisions).toEqual([
      { prompt: writePrompt(game), scores: wantsLeft, legal: legalMask(game), action: Action.left },
    ]);
  });

  it('keeps scores with their games across batches', async () => {
    const drops = [0, 0, 0, 0, 0, 1, 0, 0];
    let batch = 0;
    const policy = modelPolicy(
      (prompts) => Promise.resolve(prompts.map(() => (batch++ === 1 ? drops : wantsLeft))),
      1,
    );
    expect(await policy([newGame(1), newGame(1), newGame(1)], [0, 1, 2])).toEqual([
      Action.left,
      Action.hardDrop,
      Action.left,
    ]);
  });
});

describe('evaluatePlayers', () => {
  it('plays the same seeds with all three players, on prompts of the model’s length', async () => {
    const lengths = new Set<number>();
    const players = await evaluatePlayers({
      games: 2,
      pieces: 3,
      firstSeed: 7,
      maxBatch: 8,
      scorePrompts: (prompts) => {
        for (const prompt of prompts) lengths.add(prompt.length);
        return Promise.resolve(prompts.map(() => [0, 0, 0, 0, 0, 1, 0, 0]));
      },
    });
    expect(players.map(({ player, games }) => [player, games.map(({ seed }) => seed)])).toEqual([
      ['model', [7, 8]],
      ['teacher', [7, 8]],
      ['random legal', [7, 8]],
    ]);
    // Hard drops alone lock one piece a step.
    expect(players[0]?.games.map(({ pieces, steps, survived }) => [pieces, steps, survived])).toEqual([
      [3, 3, true],
      [3, 3, true],
    ]);
    expect([...lengths]).toEqual([PROMPT_CHARACTERS]);
  });
});
