import { abortable, throwIfAborted } from '../util/abort.ts';
import { describe } from '../util/describe.ts';
import { OptionError, SourceError, TrominoError } from '../util/errors.ts';
import type { ByteSource } from './byte_source.ts';
import type { CheckpointFiles } from './files.ts';
import { requireRange } from './ranges.ts';

/**
 * Files of the caller's own making, held to what `CheckpointFiles` and `ByteSource` promise: what they throw and what they get wrong
 * becomes an error that names the file, and a signal ends the waiting for them, whether they listen to it or not.
 */
export function openCallerFiles(files: CheckpointFiles): CheckpointFiles {
  const { open } = files as { readonly open: unknown };
  if (typeof open !== 'function') throw new OptionError('source.open', 'a function', describe(open));
  const description = typeof files.description === 'string' ? files.description : 'files of the caller';
  return {
    description,
    async open(name, signal) {
      const source = await settle(name, 'could not be opened', signal, () => files.open(name, signal));
      // Callers without types may give null for "none".
      return source === undefined || (source as unknown) === null
        ? undefined
        : new CallerSource(name, source);
    },
    ...(typeof files.list === 'function' ? { list: (signal) => listNames(files, description, signal) } : {}),
  };
}

async function listNames(
  files: CheckpointFiles,
  description: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const names: unknown = await settle(description, 'could not be listed', signal, () => files.list?.(signal));
  const isList = Array.isArray(names) && Array.from(names).every((name) => typeof name === 'string');
  if (isList) return names as readonly string[];
  throw new SourceError(description, `expected a list of file names, found ${describe(names)}`);
}

/** Calls what the caller wrote: rejects with a typed error that has theirs as its cause, or with the signal's reason at once. */
async function settle<T>(
  name: string,
  problem: string,
  signal: AbortSignal | undefined,
  call: () => Promise<T> | T,
): Promise<T> {
  throwIfAborted(signal);
  try {
    return await abortable(Promise.resolve(call()), signal);
  } catch (cause) {
    throwIfAborted(signal);
    if (cause instanceof TrominoError) throw cause;
    throw new SourceError(name, `${problem}: ${cause instanceof Error ? cause.message : describe(cause)}`, {
      cause,
    });
  }
}

class CallerSource implements ByteSource {
  readonly name: string;
  readonly sizeBytes: number;
  readonly seeks: boolean;
  readonly #source: ByteSource;

  constructor(name: string, source: ByteSource) {
    const { sizeBytes, read, stream } = source as Partial<ByteSource>;
    if (typeof read !== 'function' || typeof stream !== 'function') {
      throw new SourceError(name, `expected a ByteSource with read and stream, found ${describe(source)}`);
    }
    if (!Number.isSafeInteger(sizeBytes) || Number(sizeBytes) < 0) {
      throw new SourceError(
        name,
        `sizeBytes: expected a whole number of bytes, found ${describe(sizeBytes)}`,
      );
    }
    this.name = name;
    this.sizeBytes = Number(sizeBytes);
    this.seeks = source.seeks !== false;
    this.#source = source;
  }

  async read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    requireRange(this, offsetBytes, lengthBytes);
    const bytes = await settle(this.name, 'could not be read', signal, () =>
      this.#source.read(offsetBytes, lengthBytes, signal),
    );
    this.#requireBytes(bytes);
    if (bytes.length === lengthBytes) return bytes;
    const expected = `${lengthBytes} bytes from byte ${offsetBytes}`;
    throw new SourceError(this.name, `expected ${expected}, found ${bytes.length}`);
  }

  async *stream(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    requireRange(this, offsetBytes, lengthBytes);
    const problem = 'could not be read';
    const pieces = await settle(this.name, problem, signal, () =>
      this.#source.stream(offsetBytes, lengthBytes, signal)[Symbol.asyncIterator](),
    );
    let leftBytes = lengthBytes;
    try {
      while (leftBytes > 0) {
        const piece = await settle(this.name, problem, signal, () => pieces.next());
        if (piece.done) throw this.#wrongLength(offsetBytes, lengthBytes, lengthBytes - leftBytes);
        this.#requireBytes(piece.value);
        if (piece.value.length > leftBytes) {
          throw this.#wrongLength(offsetBytes, lengthBytes, lengthBytes - leftBytes + piece.value.length);
        }
        leftBytes -= piece.value.length;
        if (piece.value.length > 0) yield piece.value;
        // A stream of nothing would keep out every timer, and with it the abort that ends it.
        else await new Promise((resolve) => setTimeout(resolve));
      }
    } finally {
      // Not awaited: a stream that is stuck would keep us waiting for its end.
      settle(this.name, problem, undefined, () => pieces.return?.()).catch(() => undefined);
    }
  }

  #requireBytes(bytes: unknown): void {
    if (bytes instanceof Uint8Array) return;
    throw new SourceError(this.name, `expected bytes as a Uint8Array, found ${describe(bytes)}`);
  }

  #wrongLength(offsetBytes: number, lengthBytes: number, foundBytes: number): SourceError {
    return new SourceError(
      this.name,
      `expected ${lengthBytes} bytes from byte ${offsetBytes}, found ${foundBytes}`,
    );
  }
}
