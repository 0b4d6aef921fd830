import { open, rm, type FileHandle } from 'node:fs/promises';
import type { TensorToStore } from 'tromino';

/** Bytes that a file is copied by. */
const copyBytes = 8 << 20;

interface Place {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly beginBytes: number;
  readonly endBytes: number;
}

/** The data of tensors whose elements are of one size, in a file of its own until all are there. */
interface Part {
  readonly path: string;
  readonly file: FileHandle;
  readonly places: Map<string, Place>;
  sizeBytes: number;
}

/**
 * Writes a safetensors file whose tensors arrive one by one. Its header has to say where each of them lies, so their data waits in files
 * beside it; larger elements come first in the end, and so all are aligned.
 */
export async function writeSafetensors(path: string, tensors: AsyncIterable<TensorToStore>): Promise<void> {
  const parts = new Map<number, Part>();
  try {
    for await (const tensor of tensors) await append(await partOf(parts, path, tensor), tensor);
    const inOrder = [...parts].sort(([a], [b]) => b - a).map(([, part]) => part);
    await join(path, inOrder);
  } finally {
    for (const part of parts.values()) {
      await part.file.close();
      await rm(part.path, { force: true });
    }
  }
}

async function partOf(
  parts: Map<number, Part>,
  path: string,
  { shape, bytes }: TensorToStore,
): Promise<Part> {
  const count = shape.reduce((product, size) => product * size, 1);
  const elementBytes = count === 0 ? 1 : bytes.length / count;
  let part = parts.get(elementBytes);
  if (!part) {
    const partPath = `${path}.part${elementBytes}`;
    part = { path: partPath, file: await open(partPath, 'w+'), places: new Map(), sizeBytes: 0 };
    parts.set(elementBytes, part);
  }
  return part;
}

async function append(part: Part, { name, dtype, shape, bytes }: TensorToStore): Promise<void> {
  await part.file.writeFile(bytes);
  const endBytes = part.sizeBytes + bytes.length;
  part.places.set(name, { dtype: dtype.toUpperCase(), shape, beginBytes: part.sizeBytes, endBytes });
  part.sizeBytes = endBytes;
}

async function join(path: string, parts: readonly Part[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(encodeHeader(parts));
    const buffer = new Uint8Array(copyBytes);
    for (const part of parts) {
      for (let offset = 0; offset < part.sizeBytes;) {
        const { bytesRead } = await part.file.read(buffer, 0, copyBytes, offset);
        await file.writeFile(buffer.subarray(0, bytesRead));
        offset += bytesRead;
      }
    }
  } finally {
    await file.close();
  }
}

/** The length of the header, then the header, filled up with spaces so that the data begins at a multiple of eight. */
function encodeHeader(parts: readonly Part[]): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let startBytes = 0;
  for (const { places, sizeBytes } of parts) {
    for (const [name, { dtype, shape, beginBytes, endBytes }] of places) {
      header[name] = { dtype, shape, data_offsets: [startBytes + beginBytes, startBytes + endBytes] };
    }
    startBytes += sizeBytes;
  }
  const text = JSON.stringify(header);
  const json = new TextEncoder().encode(text);
  const headerBytes = Math.ceil(json.length / 8) * 8;
  const bytes = new Uint8Array(8 + headerBytes).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true);
  bytes.set(json, 8);
  return bytes;
}
