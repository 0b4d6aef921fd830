import type { AdapterDescription, Extraction, MemoryReport } from 'tromino';

/** What MagicBox says of itself once it is loaded. */
export interface ReaderInfo {
  readonly family: string;
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: AdapterDescription;
  /** Bytes of weights in the checkpoint's files. A load fetches somewhat more: headers, the tokenizer, and what is read twice. */
  readonly checkpointBytes: number;
}

/** Something to read, and what to find in it. */
export interface ReadingTask {
  readonly text: string;
  readonly questions: readonly string[];
}

/** What came of a {@link ReadingTask}. */
export interface Reading {
  /** In the order of the questions. */
  readonly extractions: readonly Extraction[];
  /** From the text and the questions to the answers: tokenising, running, searching, reading back. */
  readonly durationMs: number;
  readonly memory: MemoryReport;
}
