/** Reference checkpoints that stand in the repository, each with the outputs that transformers computed for it. */
export const referenceCheckpoints = [
  'llama-seqcls',
  'llama-seqcls-sharded',
  'llama-lm-tied',
  'llama3-rope-lm',
  'llama-lm-bf16',
  'llama-lm-f16',
  'qwen2-lm',
  'qwen2-seqcls',
  'qwen3-lm-tied',
  'qwen3-seqcls',
  'mistral-lm',
] as const;

/** One case of a `golden.json`. A batch has a leading axis on every field. */
export interface GoldenCase {
  readonly batch?: boolean;
  readonly input_ids: readonly number[] | readonly (readonly number[])[];
  readonly attention_mask: readonly number[] | readonly (readonly number[])[];
  readonly logits?: readonly number[] | readonly (readonly number[])[];
  readonly last_logits?: readonly number[];
  readonly greedy?: readonly number[];
}

/** A `golden.json`: what the reference implementation computed for a checkpoint. */
export interface Golden {
  readonly cases: readonly GoldenCase[];
}

/** Largest error relative to max(1, largest magnitude expected). NaN where any value is. */
export function relativeError(found: ArrayLike<number>, expected: readonly number[]): number {
  const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  if (found.length !== expected.length) return NaN;
  return (
    expected.reduce((most, value, i) => Math.max(most, Math.abs((found[i] as number) - value)), 0) / scale
  );
}

/** Each row of a case with what is expected of it. */
export function goldenRows(
  golden: GoldenCase,
): { ids: number[]; attentionMask: number[]; expected: number[] }[] {
  const expected = golden.logits ?? golden.last_logits ?? [];
  if (!golden.batch) {
    return [
      {
        ids: [...(golden.input_ids as number[])],
        attentionMask: [...(golden.attention_mask as number[])],
        expected: [...(expected as number[])],
      },
    ];
  }
  return (golden.input_ids as number[][]).map((ids, row) => ({
    ids,
    attentionMask: (golden.attention_mask as number[][])[row] ?? [],
    expected: (expected as number[][])[row] ?? [],
  }));
}
