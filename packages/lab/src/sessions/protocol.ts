/**
 * What the command asks of a runtime, wherever that runs: in this process, in a child process with Dawn, or in a page.
 * Everything here is plain data that survives a message, so one executor serves all three.
 */
import type { AdapterDescription, Entity, Extraction, RopeFrequencies, TensorSummary } from 'tromino';

/** A text, or token ids with the mask that says which of them are real. */
export type ModelInput =
  | string
  | readonly number[]
  | {
      readonly ids: readonly number[];
      readonly attentionMask: readonly number[];
      readonly tokenTypes?: readonly number[];
    };

/** What a model is: which of the runtime's tasks it does. */
export type Head = 'classifier' | 'generator' | 'tagger' | 'extractor' | 'embedder';

/** Raw outputs of heads, by the names that `golden.json` has for them. */
export type OutputName =
  | 'logits'
  | 'token_logits'
  | 'last_logits'
  | 'start_logits'
  | 'end_logits'
  | 'last_hidden_state'
  | 'mean_pooled';

/** Facts about a model that was loaded. */
export interface LoadedModel {
  readonly head: Head;
  readonly family: string;
  readonly adapter: AdapterDescription;
  readonly hasTokenizer: boolean;
}

/** A classifier's answer for one input. */
export interface ClassificationResult {
  readonly label: string;
  readonly scores: readonly {
    readonly label: string;
    readonly logit: number;
    readonly probability: number;
  }[];
  readonly numTokens: number;
  readonly truncated: boolean;
}

/** A generator's continuation of one input. */
export interface GenerationResult {
  readonly ids: readonly number[];
  readonly text: string;
  readonly stopReason: 'length' | 'stop' | 'context';
}

/** What one step of a run wrote. */
export interface StepTrace {
  readonly label: string;
  readonly op: string;
  readonly variant: string;
  readonly numValues: number;
  /** Fingerprint of the values' bits. */
  readonly bits: string;
  /** Of the finite values. */
  readonly least: number;
  readonly greatest: number;
  readonly numNotFinite: number;
}

/** How long one step took on the device. */
export interface StepTiming {
  readonly label: string;
  readonly op: string;
  readonly variant: string;
  readonly numWorkgroups: number;
  readonly durationNs: number | undefined;
}

/** The steps of a run with their times; see the runtime's `Profile`. */
export interface StepTimings {
  readonly steps: readonly StepTiming[];
  readonly repeats: number;
  readonly resolutionNs: number;
  readonly discardedSpans: number;
  readonly totalNs: number;
}

/** What a checkpoint holds and what running it will take. */
export interface Inspection {
  readonly adapter: AdapterDescription;
  readonly family: string;
  readonly head: string;
  readonly config: unknown;
  readonly tensors: readonly TensorSummary[];
  readonly numParameters: number;
  readonly totalBytes: number;
  readonly maxTokens: number;
  readonly numTokens: number;
  readonly plannedBytes: Readonly<Record<string, number>>;
}

/** Every request with its parameters and its result. A session holds at most one model. */
export interface Requests {
  inspect: { params: { source: string; numTokens: number }; result: Inspection };
  load: {
    params: { source: string; ropeFrequencies: RopeFrequencies; profiling?: boolean };
    result: LoadedModel;
  };
  tap: { params: { input: ModelInput; questions: readonly string[] }; result: StepTrace[] };
  profile: {
    params: { input: ModelInput; questions: readonly string[]; repeats: number };
    result: StepTimings;
  };
  classify: { params: { inputs: readonly ModelInput[] }; result: ClassificationResult[] };
  /** Raw numbers for each input; vectors for each token stand one behind the other. */
  compute: { params: { inputs: readonly ModelInput[]; output: OutputName }; result: number[][] };
  extract: {
    params: { text: string; questions: readonly string[]; topK: number | undefined };
    result: Extraction[];
  };
  tag: { params: { text: string }; result: Entity[] };
  embed: { params: { input: ModelInput }; result: number[] };
  generate: {
    params: {
      input: ModelInput;
      maxNewTokens: number | undefined;
      stopTokens: readonly number[] | undefined;
    };
    result: GenerationResult;
  };
}

/** Name of a request. */
export type RequestKind = keyof Requests;

/** An error as data: class instances do not survive a message. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** True for an error the runtime throws on purpose, false for a bug. */
  readonly isTyped: boolean;
}

/** What comes back for a request. */
export type Answer<K extends RequestKind> =
  | { readonly ok: true; readonly result: Requests[K]['result'] }
  | { readonly ok: false; readonly error: ErrorData };

/** Carries out requests one by one. */
export type Execute = <K extends RequestKind>(kind: K, params: Requests[K]['params']) => Promise<Answer<K>>;
