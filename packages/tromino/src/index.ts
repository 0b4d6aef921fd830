/**
 * Tromino runs small transformer task models on WebGPU, straight from Hugging Face checkpoints.
 *
 * ```ts
 * using model = await loadClassifier('https://example.org/models/mood/');
 * const { label, scores } = await model.classify('What a morning!');
 * ```
 */
export { loadClassifier, type Classification, type Classifier, type ClassScore } from './tasks/classifier.ts';
export { loadGenerator, type GenerateOptions, type Generation, type Generator } from './tasks/generator.ts';
export { loadTagger, type Entity, type Tagger, type TagOptions } from './tasks/tagger.ts';
export {
  loadExtractor,
  type Answer,
  type Extraction,
  type Extractor,
  type ExtractOptions,
  type QuestionIds,
  type SearchOptions,
  type SpanLogits,
  type TokenAnswer,
  type TokenExtraction,
  type WindowingOptions,
} from './tasks/extractor.ts';
export type { QuestionRow } from './tasks/question_rows.ts';
export type { RowOptions } from './tasks/batch_shape.ts';
export { loadEmbedder, type Embedder, type EmbedOptions, type Pooling } from './tasks/embedder.ts';
export type { TextSpan } from './tasks/text_calls.ts';
export { inspectCheckpoint, type CheckpointSummary, type TensorSummary } from './tasks/inspect.ts';
export { quantizeCheckpoint, type QuantizedCheckpoint, type QuantizeOptions } from './tasks/quantize.ts';
export type { TensorToStore } from './formats/huggingface/write_bitsandbytes.ts';
export type { Ids, TextOrIds, TokenInput } from './tasks/inputs.ts';
export type { LoadOptions } from './tasks/load_model.ts';
export type { CallOptions } from './tasks/call_options.ts';
export type { Model, ProfileOptions } from './tasks/model.ts';
export type { Profile, StepProfile } from './exec/profile.ts';
export type { OnStep, TappedStep } from './exec/tap.ts';
export type { AdapterDescription } from './gpu/adapter.ts';
export type { ByteSource } from './io/byte_source.ts';
export type { CheckpointFiles, CheckpointSource } from './io/checkpoint_files.ts';
export type { LoadPhase, LoadProgress, OnProgress } from './io/progress.ts';
export { defaultCaps, type DeviceCaps } from './kernels/caps.ts';
export type { RopeFrequencies } from './models/registry.ts';
export type { Plan, PlanBytes, PlanStep } from './plan/plan.ts';
export type { VariantChoice } from './plan/variants.ts';
export type { Span } from './tokenizer/aligned_text.ts';
export type {
  Encoding,
  DecodeOptions,
  EncodeOptions,
  Tokenizer,
  WindowEncoding,
  WindowOptions,
} from './tokenizer/tokenizer.ts';
export type { MemoryCategory, MemoryReport, MemoryUse } from './util/memory_account.ts';
export * from './util/errors.ts';
