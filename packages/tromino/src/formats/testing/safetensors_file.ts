/** A tensor to be written to a test file: its dtype by the format's name, its shape and its bytes. */
export interface TestTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

/** Writes any header, right or wrong, before any data. `lengthField` defaults to the header's true length. */
export function encodeSafetensors(
  header: unknown,
  dataBytes: Uint8Array | number,
  lengthField?: bigint,
): Uint8Array {
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  const json = new TextEncoder().encode(text);
  const data = typeof dataBytes === 'number' ? new Uint8Array(dataBytes) : dataBytes;
  const file = new Uint8Array(8 + json.length + data.length);
  new DataView(file.buffer).setBigUint64(0, lengthField ?? BigInt(json.length), true);
  file.set(json, 8);
  file.set(data, 8 + json.length);
  return file;
}

/** Writes a valid file, its tensors in the given order. */
export function writeSafetensors(tensors: Readonly<Record<string, TestTensor>>): Uint8Array {
  const header: Record<string, unknown> = {};
  const sizeBytes = Object.values(tensors).reduce((sum, { bytes }) => sum + bytes.length, 0);
  const data = new Uint8Array(sizeBytes);
  let begin = 0;
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    data.set(bytes, begin);
    header[name] = { dtype, shape, data_offsets: [begin, begin + bytes.length] };
    begin += bytes.length;
  }
  return encodeSafetensors(header, data);
}
