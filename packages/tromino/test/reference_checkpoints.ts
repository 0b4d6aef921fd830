/** Reference checkpoints that stand in the repository, each with the outputs that transformers computed for it. */
export const referenceCheckpoints = [
  'llama-seqcls',
  'llama-seqcls-sharded',
  'llama-seqcls-nf4',
  'llama-seqcls-nf4-plain',
  'llama-lm-tied',
  'llama3-rope-lm',
  'llama-lm-bf16',
  'llama-lm-f16',
  'qwen2-lm',
  'qwen2-seqcls',
  'qwen3-lm-tied',
  'qwen3-seqcls',
  'mistral-lm',
  'bert-seqcls',
  'bert-tokencls',
  'bert-qa',
  'bert-embed',
  'distilbert-seqcls',
  'distilbert-qa',
  'roberta-seqcls',
  'roberta-qa',
  'xlmroberta-embed',
  'modernbert-seqcls',
  'modernbert-tokencls',
  'modernbert-qa',
  'bitnet-lm-autobitlinear',
  'bitnet-lm-bitlinear',
  'bitnet-lm-online',
  'bitnet-lm-norms',
  'llama-seqcls-ternary',
  'modernbert-tokencls-ternary',
  'mpnet-embed',
  'gpt2-lm',
  'gemma3-lm',
  'deberta-v2-seqcls',
  'magicbox-tiny',
] as const;

/**
 * Largest relative error that a checkpoint's outputs may have. In two cases of MagicBox's an activation is so close to a tie that f32 rounds
 * it to another int8 than the f64 of the reference does: 1.5e-3 on either backend. In no other fixture is one.
 */
export function boundOf(name: string): number {
  return name.startsWith('magicbox') ? 2e-3 : 1e-5;
}

/**
 * Whether a case means anything. A DeBERTa classifier of transformers reads the first column also where that is padding, which there
 * averages over all columns; this runtime reads the first token.
 */
export function isMeaningful(checkpoint: string, { side }: GoldenCase): boolean {
  return !checkpoint.startsWith('deberta') || side !== 'left';
}

type Numbers = readonly number[];

/** One case of a `golden.json`. A batch has a leading axis on every field. */
export interface GoldenCase {
  readonly batch?: boolean;
  /** Where the rows of a batch are padded. */
  readonly side?: string;
  readonly input_ids: Numbers | readonly Numbers[];
  /** All ones where left out. */
  readonly attention_mask?: Numbers | readonly Numbers[];
  readonly token_type_ids?: Numbers | readonly Numbers[];
  readonly greedy?: Numbers;
  /** The outputs of whichever head it is: `logits`, `last_logits`, `start_logits`, `end_logits`, `last_hidden_state`, `mean_pooled`. */
  readonly [output: string]: unknown;
}

/** A `golden.json`: what the reference implementation computed for a checkpoint. */
export interface Golden {
  readonly cases: readonly GoldenCase[];
}

/** An input of a case. */
export interface GoldenRow {
  readonly ids: Numbers;
  readonly attentionMask: Numbers;
  readonly tokenTypes: Numbers | undefined;
}

/** Largest error relative to max(1, largest magnitude expected). NaN where any value is. */
export function relativeError(found: ArrayLike<number>, expected: readonly number[]): number {
  const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  if (found.length !== expected.length) return NaN;
  return (
    expected.reduce((most, value, i) => Math.max(most, Math.abs((found[i] as number) - value)), 0) / scale
  );
}

/** The rows of a case; a single one where it is no batch. */
export function goldenRows(golden: GoldenCase): GoldenRow[] {
  const ids = rowsOf(golden, golden.input_ids) as Numbers[];
  const masks = masksOf(golden);
  const types = golden.token_type_ids && (rowsOf(golden, golden.token_type_ids) as Numbers[]);
  return ids.map((row, i) => ({ ids: row, attentionMask: masks[i] ?? [], tokenTypes: types?.[i] }));
}

/**
 * What is expected of each row for one of a case's outputs, or undefined where the case does not have it. Of an output for each token,
 * what stands at padding means nothing and is left out.
 */
export function expectedRows(
  golden: GoldenCase,
  output: string,
  per: 'row' | 'token',
): number[][] | undefined {
  if (!(output in golden)) return undefined;
  const masks = masksOf(golden);
  const hasQuestions = per === 'token' && isListOfQuestions(golden, output);
  return rowsOf(golden, golden[output]).map((row, i) => {
    if (per === 'row') return row as number[];
    const realOf = (tokens: unknown): unknown[] =>
      (tokens as unknown[]).filter((_, token) => masks[i]?.[token] === 1);
    return (hasQuestions ? (row as unknown[]).flatMap(realOf) : realOf(row).flat()) as number[];
  });
}

/** Whether starts or ends are of several questions: one list for each of them. */
function isListOfQuestions(golden: GoldenCase, output: string): boolean {
  const [row] = rowsOf(golden, golden[output]);
  return /^(start|end)_logits$/.test(output) && Array.isArray((row as readonly unknown[])[0]);
}

function masksOf(golden: GoldenCase): Numbers[] {
  const ids = rowsOf(golden, golden.input_ids) as Numbers[];
  const masks = golden.attention_mask && (rowsOf(golden, golden.attention_mask) as Numbers[]);
  return ids.map((row, i) => masks?.[i] ?? row.map(() => 1));
}

function rowsOf({ batch }: GoldenCase, values: unknown): readonly unknown[] {
  return batch === true ? (values as readonly unknown[]) : [values];
}
