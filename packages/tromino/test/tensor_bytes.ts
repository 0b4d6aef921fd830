/** A tensor's bytes within a safetensors file, to be changed in place: `file` must be a copy. */
export function tensorBytes(file: Uint8Array, name: string): Uint8Array {
  const headerBytes = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerBytes))) as Record<
    string,
    { readonly data_offsets: readonly [number, number] }
  >;
  const entry = header[name];
  if (!entry) throw new Error(`${name} is no tensor of the file`);
  const [start, end] = entry.data_offsets;
  return file.subarray(8 + headerBytes + start, 8 + headerBytes + end);
}
