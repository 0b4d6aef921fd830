import type { TensorEntry } from './weight_index.ts';

/** Reading this many unwanted bytes costs less than another request. */
const worthReadingBytes = 32 * 1024;

/** Requests that are under way at once. */
const mostRequests = 8;

/** Tensors that one request fetches. */
interface Group {
  readonly entries: TensorEntry[];
  readonly beginBytes: number;
  endBytes: number;
}

/** Reads whole tensors that are small and may lie far apart, neighbours with one request. */
export async function readSmallTensors(
  entries: readonly TensorEntry[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<TensorEntry, Uint8Array>> {
  const groups = groupNeighbours(entries);
  const bytesOf = new Map<TensorEntry, Uint8Array>();
  for (let i = 0; i < groups.length; i += mostRequests) {
    await Promise.all(
      groups.slice(i, i + mostRequests).map(async ({ entries: [first, ...others], beginBytes, endBytes }) => {
        if (!first) return;
        const bytes = await first.source.read(beginBytes, endBytes - beginBytes, signal);
        for (const entry of [first, ...others]) {
          const offset = entry.offsetBytes - beginBytes;
          bytesOf.set(entry, bytes.subarray(offset, offset + entry.sizeBytes));
        }
      }),
    );
  }
  return bytesOf;
}

function groupNeighbours(entries: readonly TensorEntry[]): readonly Group[] {
  const groups: Group[] = [];
  for (const source of new Set(entries.map((entry) => entry.source))) {
    const sameFile = entries.filter((entry) => entry.source === source);
    let group: Group | undefined;
    for (const entry of sameFile.sort((a, b) => a.offsetBytes - b.offsetBytes)) {
      if (!group || entry.offsetBytes - group.endBytes > worthReadingBytes) {
        group = { entries: [], beginBytes: entry.offsetBytes, endBytes: entry.offsetBytes };
        groups.push(group);
      }
      group.entries.push(entry);
      group.endBytes = entry.offsetBytes + entry.sizeBytes;
    }
  }
  return groups;
}
