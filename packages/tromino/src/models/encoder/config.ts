import type { ActivationName } from '../activations.ts';
import type { HeadName } from '../model_definition.ts';
import type { DisentangledBuckets } from '../relative_positions.ts';
import type { RopeConfig, RopePrecision } from '../rope.ts';

/** How an encoder knows where a token stands. */
export type EncoderPositions =
  | {
      /** Rows of a table that was learned, added to the words. */
      readonly kind: 'learned';
      readonly tableSize: number;
      /** Where given, positions count from behind this id and pass over tokens that have it. */
      readonly paddingId: number | undefined;
    }
  | {
      /** Rotated queries and keys. */
      readonly kind: 'rotary';
      /** One for each layer. */
      readonly ropes: readonly RopeConfig[];
      readonly precision: RopePrecision;
      readonly maxPositions: number;
    }
  | {
      /** Nothing is added to the words or rotated; see {@link RelativePositions}. */
      readonly kind: 'none';
      readonly maxPositions: number;
    };

/** How a score depends on the distance between query and key, beside what the two hold. */
export type RelativePositions =
  | {
      /** By a learned number for each bucket of distances and each head, the same in all layers. */
      readonly kind: 'bias';
      readonly numBuckets: number;
    }
  | {
      /** By the products of query and key with states of the bucket, projected from a table that all layers share. */
      readonly kind: 'disentangled';
      readonly buckets: DisentangledBuckets;
      /** Whether the query meets a key of the bucket. */
      readonly contentToPosition: boolean;
      /** Whether the key meets a query of the bucket. */
      readonly positionToContent: boolean;
      /** Whether the bucket's states are projected as the tokens' are, or by projections of their own. */
      readonly sharesProjections: boolean;
      /** Whether the table is normed before it is projected. */
      readonly isNormed: boolean;
    };

/** What stands between hidden states and scores: a projection, an activation, and where the family has it a norm. */
export interface HeadTransform {
  readonly module: string;
  /** Whether the module belongs to the model's body, and has its prefix. */
  readonly isInBody: boolean;
  readonly hasBias: boolean;
  readonly activation: ActivationName;
  readonly norm: string | undefined;
}

/** A head that gives scores. */
export interface EncoderHead {
  readonly transform: HeadTransform | undefined;
  /** The module whose outputs are the scores. */
  readonly scores: string;
  readonly hasBias: boolean;
}

/**
 * A stack of layers with layer norms: what BERT and its relatives have in common, with their differences as plain values. GPT-2 is one too,
 * with a causal mask. The families' own folders translate their `config.json` into this.
 */
export interface EncoderConfig {
  readonly vocabularySize: number;
  readonly hidden: number;
  readonly inner: number;
  readonly numLayers: number;
  readonly numHeads: number;
  /** Factor on the product of query and key. */
  readonly attentionScale: number;
  /** Height of the token type table; 0 where there is none. */
  readonly numTypes: number;
  readonly positions: EncoderPositions;
  readonly relative: RelativePositions | undefined;
  readonly normEpsilon: number;
  /** Whether a token sees only those before it, as a language model's does. */
  readonly isCausal: boolean;
  /** `post`: a norm behind each residual sum, as BERT has it. `pre`: one before each projection and one behind the last layer. */
  readonly normPlacement: 'post' | 'pre';
  readonly activation: ActivationName;
  /** Whether the feed-forward layer multiplies the activated half of its first projection by the other half. */
  readonly isGated: boolean;
  /** Whether matrices of the layers are stored with a row for each input. */
  readonly storesTransposed: boolean;
  readonly attentionBias: boolean;
  readonly mlpBias: boolean;
  readonly normBias: boolean;
  /** Attention window of each layer, in positions to either side plus one; 0 where the layer sees its whole row. */
  readonly windows: readonly number[];
  /** What a classifier reads of a row. */
  readonly classifierPooling: 'first' | 'mean' | 'last';
  /** Whether a classifier reads the first column also where that is padding; else it reads the first token. */
  readonly readsFirstColumn: boolean;
  /** The heads that the family has. */
  readonly heads: Readonly<Partial<Record<Exclude<HeadName, 'embedder'>, EncoderHead>>>;
  /** Whether tokens are scored against their embeddings, where the checkpoint has no matrix for that. */
  readonly tieWordEmbeddings: boolean;
  /** Ends of a generation where the config does not name any. */
  readonly defaultStopTokens: readonly number[];
}

/** What a family calls the modules of a layer in its checkpoints. */
export interface LayerModules {
  /** Query, key and value, in this order; or the one module that has all three. */
  readonly queryKeyValue: readonly string[];
  readonly output: string;
  /** The norm that goes with the attention; undefined where this layer has none. */
  readonly attentionNorm: string | undefined;
  readonly up: string;
  readonly down: string;
  /** The norm that goes with the feed-forward layer. */
  readonly mlpNorm: string;
  /** Projections of relative positions to queries and to keys, where the family has them. */
  readonly positionQuery?: string;
  readonly positionKey?: string;
}

/** What a family calls its modules in its checkpoints, without the prefix that stands before the model's body. */
export interface EncoderModules {
  /** transformers' `base_model_prefix`, with the dot. */
  readonly prefix: string;
  readonly words: string;
  readonly types: string;
  readonly positions: string;
  /** The norm behind the embedding, where there is one. */
  readonly embeddingNorm: string | undefined;
  layer(layer: number): LayerModules;
  /** The norm behind the last layer, where there is one. */
  readonly finalNorm: string | undefined;
  /** The table of relative positions and its norm, where the family has them. */
  readonly relative?: string;
  readonly relativeNorm?: string;
}
