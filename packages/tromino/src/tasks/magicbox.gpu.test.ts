import { expect, it } from 'vitest';
import { ops } from '../kernels/index.ts';
import type { VariantChoice } from '../plan/variants.ts';
import { loadExtractor, type Extractor, type LoadOptions } from '../index.ts';

const source = new URL('/packages/tromino/test/fixtures/checkpoints/magicbox-tiny/', location.origin).href;
const load = (options: LoadOptions = {}): Promise<Extractor> =>
  loadExtractor(source, { backend: 'webgpu', ...options });

const text = 'Ada met Grace at the old mill, 7 miles from Turin. Café 👩‍👩‍👧‍👦 東京, שלום!';
const questions = ['who met grace?', 'where?', 'how many miles?', 'when?', 'a', 'b', 'c', 'd', 'e'];

it('finds the same answers as the portable backend, to questions that share rows and in windows', async () => {
  const long = [text, text, text].join(' ');
  const found = await Promise.all(
    (['webgpu', 'cpu'] as const).map(async (backend) => {
      using model = await load({ backend });
      return await model.extract([long, 'Ada', ''], questions, { topK: 3, maxAnswerTokens: 12 });
    }),
  );
  const [device, portable] = found.map((texts) => texts.flat());
  expect(device?.map(({ answers }) => answers.length)).toEqual(
    portable?.map(({ answers }) => answers.length),
  );
  expect(device?.slice(0, 9).every(({ answers }) => answers.length === 3)).toBe(true);
  device?.forEach(({ answers, noAnswerScore }, i) => {
    const expected = portable?.[i];
    expect(noAnswerScore).toBeCloseTo(expected?.noAnswerScore ?? NaN, 3);
    expect(answers.map(({ start, end }) => [start, end])).toEqual(
      expected?.answers.map(({ start, end }) => [start, end]),
    );
    answers.forEach(({ score }, k) => {
      expect(score).toBeCloseTo(expected?.answers[k]?.score ?? NaN, 3);
    });
  });
});

const row = { ids: [2, 4, 160, 4, 223, 249, 3, 235, 69, 251, 177, 3] };

/** Kernels that a model computes a row with. */
function kernelsOf(model: Extractor): string[] {
  const { steps } = model.plan(row.ids.length, { questionsPerRow: 2 });
  return steps.flatMap((step) => (step.kind === 'dispatch' ? [step.variant] : []));
}

it('gives a question the same bits by every kernel', async () => {
  const options = { topK: 10 };
  using model = await load();
  const expected = await model.extractIds([row], options);
  const kernels = new Set(kernelsOf(model));
  const most = Math.max(...Object.values(ops).map(({ variants }) => variants.length));
  for (let i = 0; i < most; i++) {
    // Where the i-th kernel does not fit, or there are fewer, another is taken.
    const variants = Object.fromEntries(
      Object.entries(ops).map(([op, definition]) => [
        op,
        (definition.variants[i] ?? definition.variants[0])?.id,
      ]),
    ) as VariantChoice;
    using varied = await load({ variants });
    const chosen = kernelsOf(varied);
    if (chosen.every((kernel) => kernels.has(kernel))) continue;
    for (const kernel of chosen) kernels.add(kernel);
    expect(await varied.extractIds([row], options), JSON.stringify(variants)).toEqual(expected);
  }
  expect([...kernels]).toEqual(
    expect.arrayContaining([
      'matmul_tile2x4_dot4_ternary_i8',
      'matmul_tile2x4_ternary_i8',
      'pointer_scores_vec4_f32',
      'pointer_scores_f32',
      'attention_tile4_f32',
      'attention_tile8_f32',
      'attention_any_f32',
      'matmul_tile2x4_f32_f32',
      'matmul_tile16_f32_f32',
    ]),
  );
});

it('gives a question the same bits in any slices, without reuse, with other rows beside its own', async () => {
  const other = { ids: [2, 4, 9, 3, ...Array.from({ length: 60 }, (_, i) => 5 + i), 3] };
  const options = { topK: 10 };
  using model = await load();
  const expected = await model.extractIds([row], options);
  expect(expected[0]?.map(({ answers }) => answers.length)).toEqual([10, 10]);
  expect((await model.extractIds([other, row, other], options))[1]).toEqual(expected[0]);
  using sliced = await load({ reuse: 'off', layersPerSlice: 1 });
  expect(await sliced.extractIds([row], options)).toEqual(expected);
});

it('holds the planned bytes, and nothing more once it is prepared', async () => {
  const ids = [2, 4, 160, 4, 223, 249, 3, 235, 69, 251, 177, 3];
  const model = await load();
  const { bytes } = model.plan(ids.length, { questionsPerRow: 2 });
  await model.prepare(ids.length, { questionsPerRow: 2 });
  expect(model.memory()).toMatchObject({ currentBytes: bytes.peak, peakBytes: bytes.peak });
  await model.extractIds([ids]);
  expect(model.memory()).toMatchObject({ currentBytes: bytes.peak, peakBytes: bytes.peak });
  model.dispose();
  expect(model.memory()).toMatchObject({ currentBytes: 0, liveBuffers: 0 });
});
