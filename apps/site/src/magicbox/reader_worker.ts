/** The worker in which MagicBox lives. */
import { loadExtractor, type Extractor, type OnProgress } from 'tromino';
import type { CallExtent, ModelChoice } from '../model_protocol.ts';
import { serveModel } from '../serve_model.ts';
import { extentOf } from './extent.ts';
import type { Reading, ReadingTask, ReaderInfo } from './reader_protocol.ts';

let model: Extractor | undefined;

serveModel<ReaderInfo, ReadingTask, Reading>({ load, call: read });

async function load({ modelUrl, backend }: ModelChoice, onProgress: OnProgress): Promise<ReaderInfo> {
  let checkpointBytes = 0;
  model = await loadExtractor(modelUrl, {
    backend,
    onProgress: (progress) => {
      checkpointBytes = progress.loadedBytes;
      onProgress(progress);
    },
  });
  return { family: model.family, backend: model.backend, adapter: model.adapter, checkpointBytes };
}

async function read(
  { text, questions }: ReadingTask,
  signal: AbortSignal,
  tell: (extent: CallExtent) => void,
): Promise<Reading> {
  if (model === undefined) throw new Error('something was to be read before the model was loaded');
  tell(extentOf(model.encode(text, questions)));
  const startMs = performance.now();
  const extractions = await model.extract(text, questions, { signal });
  return { extractions, durationMs: performance.now() - startMs, memory: model.memory() };
}
