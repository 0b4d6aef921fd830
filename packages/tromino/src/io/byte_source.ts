/**
 * Random access to the bytes of one file, wherever it lies.
 *
 * Both methods give exactly the bytes asked for or throw: a `SourceError` that names the file and the expected and found bytes, or the
 * signal's reason. A source holds nothing open between calls, so it needs no disposal.
 */
export interface ByteSource {
  /** File name within the checkpoint, as messages show it. */
  readonly name: string;
  readonly sizeBytes: number;
  /**
   * `false` where a range costs all that lies before it too, as behind a server that ignores `Range`: readers then take what they want in one
   * pass from the beginning. Everything else, and nothing, means that ranges cost what they are long.
   */
  readonly seeks?: boolean;
  /** The bytes of a range, whole. They may be a view of the source's own memory: read only. */
  read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
  /** The bytes of a range, in order, in pieces of the source's choice. Leaving the iteration early stops the reading. */
  stream(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}
