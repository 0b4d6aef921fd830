import type { AdapterDescription, ClassScore, MemoryReport, PlanBytes } from 'tromino';

/** What a loaded player says of itself before its first decision. */
export interface PlayerInfo {
  readonly family: string;
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: AdapterDescription;
  /** Bytes of weights in the checkpoint's files. A load fetches somewhat more: headers, the tokenizer, and what is read twice. */
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
