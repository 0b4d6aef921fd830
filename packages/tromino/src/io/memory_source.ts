import { throwIfAborted } from '../util/abort.ts';
import type { ByteSource } from './byte_source.ts';
import { pieceBytes, requireRange } from './ranges.ts';

/** A file whose bytes are in memory already. */
export class MemorySource implements ByteSource {
  readonly name: string;
  readonly sizeBytes: number;
  readonly #bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.sizeBytes = bytes.length;
    this.#bytes = bytes;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what goes wrong must reject, not throw
  async read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    throwIfAborted(signal);
    requireRange(this, offsetBytes, lengthBytes);
    return this.#bytes.subarray(offsetBytes, offsetBytes + lengthBytes);
  }

  async *stream(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const range = await this.read(offsetBytes, lengthBytes, signal);
    for (let offset = 0; offset < range.length; offset += pieceBytes) {
      throwIfAborted(signal);
      yield range.subarray(offset, offset + pieceBytes);
    }
  }
}
