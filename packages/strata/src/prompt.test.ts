import { readFileSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { landingRow, columnHeights } from './board.ts';
import { Action, boardRows, legalActions, newGame, spawnPlace, step, type GameState } from './game.ts';
import { shapeAt } from './pieces.ts';
import {
  encodePrompt,
  PROMPT_CHARACTERS,
  PROMPT_TOKENS,
  SLOT_POSITIONS,
  tokenizerConfigJson,
  tokenizerJson,
  VOCABULARY_SIZE,
  writePrompt,
} from './prompt.ts';
import { RandomSource } from './random.ts';
import { slotOf } from './teacher.ts';

const EXAMPLE = `Z^3s2 W+ Vz
...@......
...@@@....
..........
..........
..........
..........
..........
..........
..........
..........
..........
..........
..........
..........
..........
..........
...:......
...:::....
.....#....
########..
aaaaabaa00
0000000000
^bbbCCCBB-->BBBBBCBBA-vBBBCBBaA--<bbbbCCbB1-
^bbCCCCB--->bbbbbcbbaav----------<----------
?`;

const modelFolder = new URL('../../../models/polyomino-dense/', import.meta.url);

function shipped(name: string): object {
  return JSON.parse(readFileSync(new URL(name, modelFolder), 'utf8')) as object;
}

function randomStates(seed: number, count: number): GameState[] {
  const source = new RandomSource(seed);
  const states: GameState[] = [];
  let state = newGame(seed);
  while (states.length < count) {
    if (state.over) state = newGame(states.length + seed);
    states.push(state);
    const actions = legalActions(state);
    state = step(state, actions[source.below(actions.length)] ?? Action.wait);
  }
  return states;
}

describe('a prompt', () => {
  it('shows the whole state as text', () => {
    const cells = new Uint8Array(200).fill(1, 0, 8);
    cells[15] = 2;
    const state: GameState = {
      ...newGame(1),
      cells,
      piece: 4,
      ...spawnPlace(4),
      queue: [0, 8],
      hold: 6,
      fallCounter: 2,
    };
    expect(writePrompt(state)).toBe(EXAMPLE);
  });

  it('has exactly 345 characters and 346 tokens in thousands of random states', () => {
    const tokenizer = new Tokenizer(shipped('tokenizer.json'), shipped('tokenizer_config.json'));
    for (const seed of [1, 2, 3, 4]) {
      for (const [i, state] of randomStates(seed, 1000).entries()) {
        const text = writePrompt(state);
        expect(text.length).toBe(PROMPT_CHARACTERS);
        const ids = encodePrompt(text);
        expect(ids.length).toBe(PROMPT_TOKENS);
        expect(ids.subarray(1).some((id) => id < 4)).toBe(false);
        if (i % 20 === 0) expect([...tokenizer.encode(text).ids]).toEqual([...ids]);
      }
    }
  });

  it('tells different states apart', () => {
    const states = randomStates(9, 500);
    const keyOf = (state: GameState): string => {
      const { piece, rotation, column, row, fallCounter, hold, holdUsed, queue } = state;
      return JSON.stringify([
        piece,
        rotation,
        column,
        row,
        fallCounter,
        hold,
        holdUsed,
        queue,
        [...boardRows(state)],
      ]);
    };
    const textByKey = new Map(states.map((state) => [keyOf(state), writePrompt(state)]));
    expect(textByKey.size).toBeGreaterThan(400);
    expect(new Set(textByKey.values()).size).toBe(textByKey.size);
  });

  it('has the landing row of a drop at the position of its slot', () => {
    for (const state of randomStates(5, 50)) {
      const heights = columnHeights(boardRows(state), new Uint8Array(10));
      const row = landingRow(heights, shapeAt(state.piece, 0), 2);
      const character = writePrompt(state)[(SLOT_POSITIONS[slotOf(false, 0, 2)] ?? 0) - 1] ?? '';
      if (row < 0) expect(character).toBe('-');
      else if (!/\d/.test(character)) expect(character.toLowerCase().charCodeAt(0) - 97).toBe(row);
    }
  });
});

describe('the tokenizer', () => {
  it('is the one shipped with the model', () => {
    expect(shipped('tokenizer.json')).toEqual(tokenizerJson());
    expect(shipped('tokenizer_config.json')).toEqual(tokenizerConfigJson());
  });

  it('has fewer than 128 tokens', () => {
    expect(VOCABULARY_SIZE).toBe(76);
  });
});
