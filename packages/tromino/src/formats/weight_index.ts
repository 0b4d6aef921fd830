import type { ByteSource } from '../io/byte_source.ts';
import type { StoredDType } from '../tensor/dtype.ts';
import type { Shape } from '../tensor/shape.ts';

/** Where one stored tensor lies. Its range has been checked against shape, dtype and file; its bytes have not been read. */
export interface TensorEntry {
  readonly name: string;
  readonly dtype: StoredDType;
  readonly shape: Shape;
  readonly source: ByteSource;
  /** From the beginning of the file. */
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

/** Where the scales of scales lie that were quantised again. */
export interface NestedScalesEntry {
  readonly absmax: TensorEntry;
  /** The values of the 256 codes. */
  readonly map: TensorEntry;
  readonly blockSize: number;
  readonly offset: number;
  /** What the scales are rounded to when they are computed. */
  readonly dtype: 'float32' | 'bfloat16' | 'float16';
}

/** A matrix in NF4: all about it but its codes and scales, which have been checked against its shape and not been read. */
export interface Nf4Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly blockSize: number;
  /** The values of the 16 codes, as the checkpoint stores them. */
  readonly map: readonly number[];
  readonly mapEntry: TensorEntry;
  /** Two codes a byte, flat. */
  readonly codes: TensorEntry;
  /** One for each block of the flat weights: floats, or 8-bit codes where there are `nested` scales. */
  readonly scales: TensorEntry;
  readonly nested: NestedScalesEntry | undefined;
  /** The description that all this was read from. */
  readonly state: TensorEntry;
}

/** All stored tensors of a checkpoint, by name, whichever file and format holds them. */
export interface WeightIndex {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** The matrices among them that are stored in NF4, by the names of the tensors with their codes. */
  readonly nf4: ReadonlyMap<string, Nf4Matrix>;
  /** Sum of the tensors' sizes. */
  readonly totalBytes: number;
  /** Free-form strings that the files carry beside their tensors. */
  readonly metadata: ReadonlyMap<string, string>;
}
