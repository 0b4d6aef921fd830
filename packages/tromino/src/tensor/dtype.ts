/** Element types that a checkpoint may store. Only the float ones and the ids' integers are computed with today. */
export type StoredDType =
  'f64' | 'f32' | 'f16' | 'bf16' | 'i64' | 'i32' | 'i16' | 'i8' | 'u64' | 'u32' | 'u16' | 'u8' | 'bool';

/** Element types of values on the device. */
export type DType = 'f32' | 'u32';

const storedSizes: Readonly<Record<StoredDType, number>> = {
  f64: 8,
  f32: 4,
  f16: 2,
  bf16: 2,
  i64: 8,
  i32: 4,
  i16: 2,
  i8: 1,
  u64: 8,
  u32: 4,
  u16: 2,
  u8: 1,
  bool: 1,
};

/** Bytes of one element. */
export function elementSizeBytes(dtype: StoredDType): number {
  return storedSizes[dtype];
}
