import { loadInWorker, type LoadInWorkerOptions, type WorkerModel } from '../model_worker.ts';
import type { Reading, ReadingTask, ReaderInfo } from './reader_protocol.ts';

/** A loaded model that finds answers in a text. */
export type Reader = WorkerModel<ReaderInfo, ReadingTask, Reading>;

/** Loads MagicBox in a worker of its own. @throws what `loadInWorker` throws. */
export function loadReader(options: LoadInWorkerOptions): Promise<Reader> {
  const worker = new Worker(new URL('./reader_worker.ts', import.meta.url), { type: 'module' });
  return loadInWorker(options, worker);
}
