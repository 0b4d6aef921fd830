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

/** Tensors up to this size stand together: they say how others are to be read, and so are read before them. */
const smallBytes = 4096;

/** The data of tensors whose elements are of one size, and which are all small or all not, in a file of its own until all are there. */
interface Part {
  readonly elementBytes: number;
  readonly isSmall: boolean;
  readonly path: string;
  readonly file: FileHandle;
  readonly places: Map<string, Place>;
  sizeBytes: number;
}

/**
 * Writes a safetensors file whose tensors arrive one by one. Its header has to say where each of them lies, so their data waits in files
 * beside it; larger elements come first in the end, and so all are aligned. Of equal elements, small tensors come first.
 */
export async function writeSafetensors(path: string, tensors: AsyncIterable<TensorToStore>): Promise<void> {
  const parts: Part[] = [];
  try {
    for await (const tensor of tensors) await append(await partOf(parts, path, tensor), tensor);
    const inOrder = parts.toSorted(
      (a, b) => b.elementBytes - a.elementBytes || Number(b.isSmall) - Number(a.isSmall),
    );
    await join(path, inOrder);
  } finally {
    for (const part of parts) {
      await part.file.close();
      await rm(part.path, { force: true });
    }
  }
}

async function partOf(parts: Part[], path: string, { shape, bytes }: TensorToStore): Promise<Part> {
  const count = shape.reduce((product, size) => product * size, 1);
  const elementBytes = count === 0 ? 1 : bytes.length / count;
  const isSmall = bytes.length <= smallBytes;
  const known = parts.find((part) => part.elementBytes === elementBytes && part.isSmall === isSmall);
  if (known) return known;
  const partPath = `${path}.part${parts.length}`;
  const file = await open(partPath, 'w+');
  const part = {
    elementBytes,
    isSmall,
    path: partPath,
    file,
    places: new Map<string, Place>(),
    sizeBytes: 0,
  };
  parts.push(part);
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
