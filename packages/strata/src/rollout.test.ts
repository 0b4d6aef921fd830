import { describe, expect, it } from 'vitest';
import { Action, newGame, step } from './game.ts';
import { encodePrompt, PROMPT_TOKENS, writePrompt } from './prompt.ts';
import { GameEvent, RECORD_SIZE_BYTES, RecordOffset, Rollout } from './rollout.ts';
import { Teacher } from './teacher.ts';

const options = { games: 2, firstSeed: 50, pieces: 3, restart: true };

function ids(rollout: Rollout, game: number): number[] {
  const offset = game * RECORD_SIZE_BYTES;
  return [...rollout.records.subarray(offset, offset + PROMPT_TOKENS)];
}

describe('a rollout', () => {
  it('shows each game, the teacher’s choice and the legal actions', () => {
    const rollout = new Rollout(options);
    const state = newGame(51);
    const decision = new Teacher().decide(state);
    const record = rollout.records.subarray(RECORD_SIZE_BYTES);
    expect(RECORD_SIZE_BYTES).toBe(434);
    expect(ids(rollout, 1)).toEqual([...encodePrompt(writePrompt(state))]);
    expect(record[RecordOffset.action]).toBe(decision.action);
    expect(record[RecordOffset.slot]).toBe(decision.target?.slot);
    expect(record[RecordOffset.costs + (decision.target?.slot ?? 0)]).toBe(0);
    expect(record[RecordOffset.legal]).toBe(0b11111111);
  });

  it('plays the actions it is given', () => {
    const rollout = new Rollout(options);
    rollout.play(Uint8Array.of(Action.left, Action.rotateClockwise));
    expect(ids(rollout, 0)).toEqual([...encodePrompt(writePrompt(step(newGame(50), Action.left)))]);
    expect(ids(rollout, 1)).toEqual([
      ...encodePrompt(writePrompt(step(newGame(51), Action.rotateClockwise))),
    ]);
  });

  it('reports an ended game once and starts the next seed', () => {
    const rollout = new Rollout(options);
    for (let i = 0; i < 3; i++) rollout.play(Uint8Array.of(Action.hardDrop, Action.wait));
    const view = new DataView(rollout.records.buffer);
    expect(rollout.records[RecordOffset.event]).toBe(GameEvent.reachedLastPiece);
    expect(view.getUint16(RecordOffset.pieces, true)).toBe(3);
    expect(ids(rollout, 0)).toEqual([...encodePrompt(writePrompt(newGame(52)))]);
    rollout.play(Uint8Array.of(Action.wait, Action.wait));
    expect(rollout.records[RecordOffset.event]).toBe(GameEvent.none);
  });

  it('lets an ended game rest when it is not to be restarted', () => {
    const rollout = new Rollout({ ...options, pieces: 1, restart: false });
    rollout.play(Uint8Array.of(Action.hardDrop, Action.wait));
    expect([rollout.records[RecordOffset.event], rollout.records[RecordOffset.legal]]).toEqual([2, 0]);
    rollout.play(Uint8Array.of(255, Action.wait));
    expect([rollout.records[RecordOffset.event], rollout.records[RecordOffset.legal]]).toEqual([0, 0]);
  });

  it('refuses a byte that is no action', () => {
    expect(() => {
      new Rollout(options).play(Uint8Array.of(8, 0));
    }).toThrow('action byte: expected 0…7, found 8');
  });
});
