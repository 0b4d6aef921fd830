/** What a benchmark page is asked to do: two JSON files beside it, one naming the models, one the sections to run for each. */

/** A model of `bench.json`. All paths are relative to the page. */
export interface BenchModel {
  readonly name: string;
  /** What a call computes; classification where it is left out. */
  readonly task?: BenchTask;
  /** A Hugging Face folder. */
  readonly folder: string;
  /** The scores that the model must give; see {@link ExpectedScores}. */
  readonly expected: string;
  /**
   * The same network for ONNX Runtime Web, with an input `ids` [1, tokens] of int64, and where it wants them `mask` of the same shape and `markers` [questions].
   * Without it that engine is left out.
   */
  readonly onnx?: string;
  /** The scores of the `.onnx` where its weights are not quite the folder's, as when both are quantised, each in its own way. */
  readonly onnxExpected?: string;
}

/** What `bench.json` holds. */
export interface BenchPage {
  readonly models: readonly BenchModel[];
  /** How long the page may take in all; without an end where it is left out. */
  readonly limitMs?: number;
}

/**
 * What a call computes: class scores; for each token how well an answer would begin and end there; or the answers themselves, which an
 * engine without a search of its own finds inside the timed call.
 */
export type BenchTask = 'classification' | 'span-logits' | 'answers';

/** One input with the scores of a trusted implementation. */
export interface ExpectedScores {
  readonly ids: readonly number[];
  /** Where it is there, Tromino gets this text, and tokenises it inside the timed call. */
  readonly text?: string;
  /** Where answers are wanted: start and end scores [questions][tokens][2]. */
  readonly scores: readonly number[];
  /** Where answers are wanted. */
  readonly layout?: QuestionLayout;
  /**
   * Largest error that a right implementation may have, as a share of the largest score. Stated where activations are rounded to integers:
   * one that two computations round differently moves the scores by more than floats do.
   */
  readonly tolerance?: number;
}

/** Where the answers are looked for in a row of ids that holds several questions and a text. */
export interface QuestionLayout {
  /** Column of each question's marker. */
  readonly markers: readonly number[];
  /** Columns of the text. */
  readonly context: { readonly start: number; readonly end: number };
  readonly maxAnswerTokens: number;
}

/** A section of `suite.json`: one engine, loaded anew, called from cold, disposed. */
export interface Section {
  readonly engine: 'tromino' | 'ort';
  /** Input shapes kept ready between calls; the runtime's default if left out. */
  readonly retainedPlans?: number;
  /** Layers that are submitted at once; the runtime's default if left out. */
  readonly layersPerSlice?: number;
  /** Whether the input's shape is prepared before the first call, outside the timer. */
  readonly prepared?: boolean;
  /** Kernel variants to insist on, by op. Their scores must have the bits of the first Tromino section. */
  readonly variants?: Readonly<Record<string, string>>;
  /** Whether calls are taken apart into phases. The taps cost a little, so these times stand in no other table. */
  readonly phases?: boolean;
  /** Whether each step is timed on the device in a pass of its own instead of calls being timed. Needs `timestamp-query`. */
  readonly profile?: boolean;
  /** Load, look at the memory, dispose; no calls. */
  readonly loadOnly?: boolean;
}

/** Calls of a section: five from cold, five to settle, twenty that are steady. A profile repeats its steps as often. */
export const callsPerSection = 30;

/** Where no time is reported, scores are all that counts: enough calls to see whether their bits repeat. */
export const callsWithoutTimes = 2;

/** The section in a few words, the same in logs and tables. */
export function describeSection(section: Section): string {
  const { retainedPlans, layersPerSlice, prepared, variants, phases, profile, loadOnly } = section;
  const settings = [
    ...(retainedPlans === undefined ? [] : [`retainedPlans ${retainedPlans}`]),
    ...(layersPerSlice === undefined ? [] : [`layersPerSlice ${layersPerSlice}`]),
    ...(prepared ? ['prepared'] : []),
    ...Object.entries(variants ?? {}).map(([op, id]) => `${op}: ${id}`),
    ...(phases ? ['phases'] : []),
    ...(profile ? ['profile'] : []),
    ...(loadOnly ? ['load only'] : []),
  ];
  return settings.join(', ') || 'default';
}
