import type { ActivationName } from '../activations.ts';
import type { RopeConfig, RopePrecision } from '../rope.ts';

/**
 * A pre-norm stack of layers with grouped-query attention, rotary positions and a gated MLP: what llama, qwen2, qwen3 and mistral have in common,
 * with their differences as plain flags. The families' own folders translate their `config.json` into this.
 */
export interface DecoderConfig {
  readonly vocabularySize: number;
  readonly hidden: number;
  readonly inner: number;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numKeyHeads: number;
  readonly headDim: number;
  readonly maxPositions: number;
  readonly rmsNormEpsilon: number;
  readonly activation: ActivationName;
  /** One for each layer. */
  readonly ropes: readonly RopeConfig[];
  readonly ropePrecision: RopePrecision;
  readonly tieWordEmbeddings: boolean;
  /** Ends of a generation where the config does not name any. */
  readonly defaultStopTokens: readonly number[];
  /** Biases on the query, key and value projections. */
  readonly queryKeyValueBias: boolean;
  readonly outputBias: boolean;
  readonly mlpBias: boolean;
  /** RMS norm over each query and key head before the rotation. */
  readonly queryKeyNorm: boolean;
  /** RMS norms of the attention's output and of the gated activation, before the projections that follow them. */
  readonly subNorms: boolean;
  /** RMS norms of what the attention and the gated layer give, before it is added to the residual. */
  readonly outputNorms: boolean;
  /** Whether the checkpoint stores what is to be added to 1 for the weights of norms. */
  readonly normsAddOne: boolean;
  /** Factor on the token embedding. */
  readonly embeddingScale: number;
  /** Factor on the product of query and key. */
  readonly attentionScale: number;
  /** Attention window of each layer, in positions; 0 where the layer sees its whole row. */
  readonly windows: readonly number[];
  /** Whether a token sees nothing of its row behind itself, as in every model that continues texts. */
  readonly isCausal: boolean;
}
