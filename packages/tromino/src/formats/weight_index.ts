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

/** All stored tensors of a checkpoint, by name, whichever file and format holds them. */
export interface WeightIndex {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** Sum of the tensors' sizes. */
  readonly totalBytes: number;
  /** Free-form strings that the files carry beside their tensors. */
  readonly metadata: ReadonlyMap<string, string>;
}
