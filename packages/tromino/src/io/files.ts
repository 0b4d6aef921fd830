import type { ByteSource } from './byte_source.ts';

/** The files of one checkpoint, wherever they lie. Implement it to load from a place of your own. */
export interface CheckpointFiles {
  /** Where the files are, as messages show it. */
  readonly description: string;
  /** Opens a file by its path within the checkpoint; `undefined` when there is none. */
  open(name: string, signal?: AbortSignal): Promise<ByteSource | undefined>;
  /** The paths of all files, where the place can tell: it makes "file missing" messages better. */
  list?(signal?: AbortSignal): Promise<readonly string[]>;
}
