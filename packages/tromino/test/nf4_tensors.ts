import { nf4Tensors } from '../src/formats/huggingface/write_bitsandbytes.ts';
import { readSafetensorsHeader } from '../src/formats/safetensors/header.ts';
import { writeSafetensors, type TestTensor } from '../src/formats/testing/safetensors_file.ts';
import { MemorySource } from '../src/io/memory_source.ts';
import { decodeToF32 } from '../src/tensor/decode.ts';
import { dequantizeNf4, quantizeNf4 } from '../src/tensor/nf4.ts';
import { elementCount } from '../src/tensor/shape.ts';

/** Weights as files hold them. */
export interface StoredTwice {
  /** With the named tensors in NF4. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** With the values that those have, as f32. */
  readonly dense: Uint8Array<ArrayBuffer>;
}

/** Stores some of a safetensors file's tensors in NF4, and what that makes of them as floats. */
export async function storeInNf4(
  file: Uint8Array,
  names: readonly string[],
  blockSize: number,
): Promise<StoredTwice> {
  const { tensors } = await readSafetensorsHeader(new MemorySource('model.safetensors', file));
  const packed: Record<string, TestTensor> = {};
  const dense: Record<string, TestTensor> = {};
  for (const { name, dtype, shape, offsetBytes, sizeBytes } of tensors) {
    const bytes = file.subarray(offsetBytes, offsetBytes + sizeBytes);
    if (!names.includes(name)) {
      packed[name] = dense[name] = { dtype: dtype.toUpperCase(), shape, bytes };
      continue;
    }
    const weights = new Float32Array(elementCount(shape));
    decodeToF32(name, dtype, bytes, weights);
    for (const tensor of nf4Tensors(name, weights, shape, dtype, { blockSize, nestsScales: false }))
      packed[tensor.name] = { ...tensor, dtype: tensor.dtype.toUpperCase() };
    const values = dequantizeNf4(quantizeNf4(weights, blockSize), weights.length, blockSize);
    dense[name] = { dtype: 'F32', shape, bytes: new Uint8Array(values.buffer) };
  }
  return {
    packed: Uint8Array.from(writeSafetensors(packed)),
    dense: Uint8Array.from(writeSafetensors(dense)),
  };
}
