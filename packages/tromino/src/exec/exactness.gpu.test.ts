import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  goldenRows,
  referenceCheckpoints,
  type Golden,
  type GoldenRow,
} from '../../test/reference_checkpoints.ts';
import { loadGolden, type GoldenModel } from '../../test/run_golden.ts';
import { inspectCheckpoint, type LoadOptions } from '../index.ts';
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

  it('are the same with and without reuse, in any slices, on a poisoned workspace, alone and in a batch', async () => {
    const [short, long] = await rowsOf(url);
    let expected: ArrayLike<number>[] | undefined;
    for (const variation of variations) {
      await withModel(url, variation, async (score) => {
        const alone = [...(await score([short])), ...(await score([long]))];
        shared.poisonWorkspace();
        const again = await score([long]);
        const batch = await score([long, short, long]);
        shared.poisonWorkspace();
        const batchAgain = await score([long, short, long]);
        expected ??= alone;
        const [ofShort, ofLong] = expected;
        const seen = { alone, again, batch, batchAgain };
        const three = [ofLong, ofShort, ofLong];
        expect(seen, JSON.stringify(variation)).toEqual({
          alone: expected,
          again: [ofLong],
          batch: three,
          batchAgain: three,
        });
      });
    }
  });

  it('are the same at the hundredth replay', async () => {
    const [short] = await rowsOf(url);
    await withModel(url, {}, async (score) => {
      const first = await score([short]);
      let last = first;
      for (let call = 1; call < 100; call++) last = await score([short]);
      expect(last).toEqual(first);
      expect(first.flatMap((scores) => Array.from(scores)).every(Number.isFinite)).toBe(true);
    });
  });
});
