import type { OnProgress } from 'tromino';

/** What a browser tells of one fetch. */
export type FetchEntry = Pick<PerformanceResourceTiming, 'name' | 'encodedBodySize'>;

/** Fetches that are counted: far more than a checkpoint takes, where browsers remember 250 by default. */
const mostFetches = 100_000;

/** Loads a checkpoint, and counts what is fetched for it. To be called in the scope that fetches. */
export async function countFetched<Model>(
  modelUrl: string,
  onProgress: OnProgress,
  load: (onProgress: OnProgress) => Promise<Model>,
): Promise<{ readonly model: Model; readonly fetchedBytes: number }> {
  performance.setResourceTimingBufferSize(mostFetches);
  let weightBytes = 0;
  const model = await load((progress) => {
    weightBytes = progress.loadedBytes;
    onProgress(progress);
  });
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  // A browser hides the sizes of another origin that does not allow them to be seen: then the weights are what is known.
  return { model, fetchedBytes: fetchedBytesBelow(modelUrl, entries) || weightBytes };
}

/** Bytes of all bodies that came from below an address, as they were sent: compressed where a server compresses. */
export function fetchedBytesBelow(folderUrl: string, entries: readonly FetchEntry[]): number {
  const { origin, pathname } = new URL(folderUrl);
  const folder = `${origin}${pathname.replace(/\/?$/, '/')}`;
  return entries
    .filter(({ name }) => name.startsWith(folder))
    .reduce((sizeBytes, { encodedBodySize }) => sizeBytes + encodedBodySize, 0);
}
