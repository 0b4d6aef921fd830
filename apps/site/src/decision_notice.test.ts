import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DecisionNotice, type AwaitedDecision } from './decision_notice.ts';

let said: (string | undefined)[];
let notice: DecisionNotice;
const deciding = (more: Partial<AwaitedDecision> = {}): void => {
  notice.update({ isDeciding: true, isFirst: false, compiles: true, ...more });
};
const decided = (): void => {
  notice.update({ isDeciding: false, isFirst: false, compiles: true });
};

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  notice = new DecisionNotice((text) => said.push(text));
});
afterEach(() => {
  vi.useRealTimers();
});

describe('DecisionNotice', () => {
  it('says at once that the first decision compiles, once, and falls silent with it', () => {
    deciding({ isFirst: true });
    deciding({ isFirst: true });
    expect(said).toEqual(['compiling and deciding…']);
    deciding({ isFirst: false });
    decided();
    decided();
    vi.advanceTimersByTime(60_000);
    expect(said).toEqual(['compiling and deciding…', undefined]);
  });

  it('says nothing of compiling where nothing is compiled', () => {
    deciding({ isFirst: true, compiles: false });
    expect(said).toEqual(['deciding…']);
  });

  it('says of a later decision only that it is slow', () => {
    deciding();
    vi.advanceTimersByTime(299);
    expect(said).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(said).toEqual(['deciding…']);
    decided();
    expect(said).toEqual(['deciding…', undefined]);
  });

  it('says nothing of a later decision that was quick', () => {
    deciding();
    vi.advanceTimersByTime(299);
    decided();
    vi.advanceTimersByTime(60_000);
    expect(said).toEqual([undefined]);
  });
});
