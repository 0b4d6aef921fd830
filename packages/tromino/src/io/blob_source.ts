import { abortable, throwIfAborted } from '../util/abort.ts';
import { SourceError } from '../util/errors.ts';
import type { ByteSource } from './byte_source.ts';
import { pieceBytes, requireRange } from './ranges.ts';

/** A file of the user's disk, of the origin's private file system, or any other `Blob`: read slice by slice. */
export class BlobSource implements ByteSource {
  readonly name: string;
  readonly sizeBytes: number;
  readonly #blob: Blob;

  constructor(name: string, blob: Blob) {
    this.name = name;
    this.sizeBytes = blob.size;
    this.#blob = blob;
  }

  async read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    throwIfAborted(signal);
    requireRange(this, offsetBytes, lengthBytes);
    return await abortable(this.#slice(offsetBytes, lengthBytes), signal);
  }

  async *stream(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    requireRange(this, offsetBytes, lengthBytes);
    const endBytes = offsetBytes + lengthBytes;
    for (let offset = offsetBytes; offset < endBytes; offset += pieceBytes) {
      yield await this.read(offset, Math.min(pieceBytes, endBytes - offset), signal);
    }
  }

  async #slice(offsetBytes: number, lengthBytes: number): Promise<Uint8Array> {
    const slice = this.#blob.slice(offsetBytes, offsetBytes + lengthBytes);
    // A File is a handle: it fails to read once the file on disk has changed or gone.
    const buffer = await slice.arrayBuffer().catch((cause: unknown) => {
      throw new SourceError(this.name, 'could not be read: it may have been changed or removed since', {
        cause,
      });
    });
    if (buffer.byteLength === lengthBytes) return new Uint8Array(buffer);
    const range = `${lengthBytes} bytes from byte ${offsetBytes}`;
    throw new SourceError(this.name, `expected ${range}, found ${buffer.byteLength} before the end`);
  }
}
