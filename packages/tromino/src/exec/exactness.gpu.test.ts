import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  goldenRows,
  referenceCheckpoints,
  type Golden,
  type GoldenRow,
} from '../../test/reference_checkpoints.ts';
import { loadGolden, type GoldenModel } from '../../test/run_golden.ts';
import { inspectCheckpoint, type LoadOptions } from '../index.ts';
import { must } from '../util/assert.ts';
import { createTestDevice, type TestDevice } from './testing/test_device.ts';

/** Compiling takes longest on a software adapter, so all checkpoints share a device and its pipelines. */
let shared: TestDevice;

beforeAll(async () => {
  shared = await createTestDevice();
});

afterAll(() => {
  expect([...shared.live]).toEqual([]);
  expect(shared.uncaptured).toEqual([]);
  shared.device.destroy();
});

const variations = (['on', 'off'] as const).flatMap((reuse) =>
  ([1, 2, 4, 'all'] as const).map((layersPerSlice) => ({ reuse, layersPerSlice })),
);

async function withModel(
  url: string,
  options: LoadOptions,
  use: (score: GoldenModel['score']) => Promise<void>,
): Promise<void> {
  const { head } = await inspectCheckpoint(url);
  const { model, score } = await loadGolden(url, head, {
    device: shared.device,
    retainedPlans: 3,
    ...options,
  });
  try {
    await use(score);
  } finally {
    model.dispose();
  }
}

/** Two inputs of different lengths, from the checkpoint's own cases. */
async function rowsOf(url: string): Promise<[GoldenRow, GoldenRow]> {
  const golden = (await (await fetch(new URL('golden.json', url))).json()) as Golden;
  const rows = golden.cases.filter(({ batch }) => batch !== true).flatMap(goldenRows);
  const byLength = rows.toSorted((a, b) => a.ids.length - b.ids.length);
  const [first, last] = [byLength[0], byLength.find(({ ids }) => ids.length >= 9) ?? byLength.at(-1)];
  if (!first || !last) throw new Error(`${url} has no cases`);
  return [first, last];
}

describe.each(referenceCheckpoints)('the bits of %s', (name) => {
  const url = new URL(`/packages/tromino/test/fixtures/checkpoints/${name}/`, location.origin).href;

  it('are the same with and without reuse, in any slices, on a poisoned workspace, in a batch, at the hundredth replay', async () => {
    const [short, long] = await rowsOf(url);
    const expected = await scoresAlone(url, short, long);
    for (const variation of variations) {
      await withModel(url, variation, async (score) => {
        const alone = await score([long]);
        shared.poisonWorkspace();
        const again = await score([long]);
        const batch = await score([long, short, long]);
        expect({ alone, again, batch }, JSON.stringify(variation)).toEqual({
          alone: [expected.long],
          again: [expected.long],
          batch: [expected.long, expected.short, expected.long],
        });
      });
    }
  });
});

/** Scores of two inputs by themselves; the short one a hundred times, with nothing to tell the last from the first. */
async function scoresAlone(url: string, short: GoldenRow, long: GoldenRow): Promise<Alone> {
  const found: Alone[] = [];
  await withModel(url, {}, async (score) => {
    const ofLong = must((await score([long]))[0], 'scores');
    const ofShort = must((await score([short]))[0], 'scores');
    let last = ofShort;
    for (let call = 1; call < 100; call++) last = must((await score([short]))[0], 'scores');
    expect(last).toEqual(ofShort);
    expect([...Array.from(ofShort), ...Array.from(ofLong)].every(Number.isFinite)).toBe(true);
    found.push({ short: ofShort, long: ofLong });
  });
  return must(found[0], 'scores');
}

interface Alone {
  readonly short: ArrayLike<number>;
  readonly long: ArrayLike<number>;
}
