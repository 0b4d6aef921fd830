import type { AdapterDescription, ClassScore, LoadProgress, MemoryReport, PlanBytes } from 'tromino';

/** Which backend is asked for: `auto` takes WebGPU where there is an adapter, else the CPU. */
export type BackendChoice = 'auto' | 'webgpu' | 'cpu';

/** What the page asks of the player's worker. */
export type PlayerRequest =
  | { readonly kind: 'load'; readonly modelUrl: string; readonly backend: BackendChoice }
  | { readonly kind: 'decide'; readonly id: number; readonly prompt: string };

/** What the worker answers. `failed` without an id is a load that failed. */
export type PlayerAnswer =
  | { readonly kind: 'progress'; readonly progress: LoadProgress }
  | { readonly kind: 'loaded'; readonly info: PlayerInfo }
  | { readonly kind: 'decided'; readonly id: number; readonly decision: Decision }
  | { readonly kind: 'failed'; readonly id: number | undefined; readonly failure: Failure };

/** An error as it crosses from the worker: its class name and its message. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

/** What a loaded player says of itself before its first decision. */
export interface PlayerInfo {
  readonly family: string;
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: AdapterDescription;
  /** Bytes of weights in the checkpoint's files: what is downloaded. */
  readonly checkpointBytes: number;
  /** Bytes by category that a decision is planned to take, weights included. */
  readonly plannedBytes: PlanBytes;
  /** Steps that one decision hands to the backend. */
  readonly numSteps: number;
  readonly planHash: string;
  /** Bytes held after loading, before any decision. */
  readonly memory: MemoryReport;
}

/** One decision of the model. */
export interface Decision {
  /** In class order, which is the order of the game's actions. */
  readonly scores: readonly ClassScore[];
  /** The prompt's tokens as the tokenizer cut them, the beginning token included. */
  readonly tokens: readonly string[];
  /** From text to scores: tokenising, running, reading back. */
  readonly durationMs: number;
  readonly memory: MemoryReport;
}
