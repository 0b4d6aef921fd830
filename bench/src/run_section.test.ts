import { describe, expect, it } from 'vitest';
import type { Engine } from './engine.ts';
import { runSection, sameBits } from './run_section.ts';
import type { BenchModel } from './suite.ts';

const model: BenchModel = { name: 'm', folder: 'm/', expected: 'm.json' };
const expected = { ids: [1, 2], scores: [0.5, -2] };

interface FakeOptions {
  readonly scores?: (call: number) => readonly number[];
  readonly log?: string[];
}

function fakeEngine({ scores = () => expected.scores, log = [] }: FakeOptions): Engine {
  let calls = 0;
  return {
    name: 'fake',
    load: () => {
      log.push('load');
      return Promise.resolve({
        input: 'ids' as const,
        loadMs: { totalMs: 1, byPhaseMs: {} },
        call: () => {
          log.push('call');
          return Promise.resolve(scores(calls++));
        },
        describe: () => {
          log.push('describe');
          return { planBuildMs: 3 };
        },
        dispose: () => {
          log.push('dispose');
          return Promise.resolve();
        },
      });
    },
  };
}

const run = (options: FakeOptions, section = {}): ReturnType<typeof runSection> =>
  runSection(fakeEngine(options), model, expected, { engine: 'tromino', ...section }, 3, () => undefined);

describe('runSection', () => {
  it('times every call, the first included, and does nothing else before it', async () => {
    const log: string[] = [];
    const { outcome } = await run({ log });
    expect(log).toEqual(['load', 'call', 'call', 'call', 'describe', 'dispose']);
    expect(outcome.callsMs).toHaveLength(3);
    expect(outcome).toMatchObject({
      input: 'ids',
      numTokens: 2,
      planBuildMs: 3,
      maxError: 0,
      largestScore: 2,
    });
  });

  it('says what it is busy with', async () => {
    const said: string[] = [];
    const engine = fakeEngine({});
    await runSection(engine, model, expected, { engine: 'tromino' }, 2, (doing) => said.push(doing));
    expect(said).toEqual(['load', 'call 1 of 2', 'call 2 of 2']);
  });

  it('finds the largest error of any call', async () => {
    const { outcome } = await run({ scores: (call) => (call === 1 ? [0.75, -2] : [0.5, -2]) });
    expect(outcome.maxError).toBe(0.25);
    expect(outcome.sameBitsEachCall).toBe(false);
  });

  it.each([
    ['a NaN', [NaN, -2], NaN],
    ['a missing score', [0.5], Infinity],
  ])('lets %s count as an error', async (_, scores, maxError) => {
    expect((await run({ scores: () => scores })).outcome.maxError).toBe(maxError);
  });

  it('tells 0 from −0, which compare equal', async () => {
    const { outcome } = await run({ scores: (call) => [0.5, call === 2 ? -0 : 0] });
    expect(outcome.sameBitsEachCall).toBe(false);
  });

  it('keeps scores although an engine uses its memory again', async () => {
    const memory = [0.5, -2];
    const { outcome } = await run({
      scores: (call) => {
        memory[0] = call;
        return memory;
      },
    });
    expect(outcome.sameBitsEachCall).toBe(false);
    expect(outcome.maxError).toBe(1.5);
  });

  it('makes no call where only the load is wanted', async () => {
    const log: string[] = [];
    const { outcome, bits } = await run({ log }, { loadOnly: true });
    expect(log).toEqual(['load', 'describe', 'dispose']);
    expect(outcome.callsMs).toBeUndefined();
    expect(bits).toBeUndefined();
  });

  it('disposes of an engine whose call fails', async () => {
    const log: string[] = [];
    const failing = run({
      log,
      scores: () => {
        throw new Error('device lost');
      },
    });
    await expect(failing).rejects.toThrow('device lost');
    expect(log).toEqual(['load', 'call', 'dispose']);
  });
});

describe('sameBits', () => {
  it('compares every word and the length', () => {
    expect(sameBits(Uint32Array.of(1, 2), Uint32Array.of(1, 2))).toBe(true);
    expect(sameBits(Uint32Array.of(1, 2), Uint32Array.of(1, 3))).toBe(false);
    expect(sameBits(Uint32Array.of(1), Uint32Array.of(1, 2))).toBe(false);
  });
});
