import type { WeightIndex } from '../../formats/weight_index.ts';
import { must } from '../../util/assert.ts';
import type { Linear } from '../linear.ts';
import { tiedLinear, type EmbeddingTable } from '../embedding.ts';
import type { WeightList } from '../weight_list.ts';
import type { EncoderConfig, EncoderHead, EncoderModules, LayerModules } from './config.ts';

/** Names of a layer norm's weights. */
export interface NormWeights {
  readonly module: string;
  readonly weight: string;
  readonly bias: string | undefined;
}

/** Names and projections of one layer. */
export interface EncoderLayer {
  readonly label: string;
  readonly queryKeyValue: Linear;
  readonly output: Linear;
  readonly attentionNorm: NormWeights | undefined;
  readonly up: Linear;
  readonly down: Linear;
  readonly mlpNorm: NormWeights;
  /** From the table of relative positions to queries and keys, where the layer has projections of its own for that. */
  readonly positions: Linear | undefined;
}

/** The table of relative positions. */
export interface RelativeWeights {
  readonly table: string;
  readonly norm: NormWeights | undefined;
}

/** What a head is made of. */
export interface HeadWeights {
  readonly transform: { readonly dense: Linear; readonly norm: NormWeights | undefined } | undefined;
  readonly scores: Linear;
}

/** All weights of an encoder, as its graph uses them. */
export interface EncoderWeights {
  readonly words: EmbeddingTable;
  readonly types: EmbeddingTable | undefined;
  readonly positions: EmbeddingTable | undefined;
  readonly embeddingNorm: NormWeights | undefined;
  readonly layers: readonly EncoderLayer[];
  readonly finalNorm: NormWeights | undefined;
  readonly relative: RelativeWeights | undefined;
  /** Undefined for an encoder alone. */
  readonly head: HeadWeights | undefined;
}

/**
 * Declares every weight of the model in `list`, with the checkpoint's names.
 * @param index tells names that differ from checkpoint to checkpoint: a prefix or none, and the `gamma` and `beta` of old norms.
 * @param numScores outputs of the head.
 * @param headIsEmbedding whether the head's matrix is that of the words.
 */
export function declareEncoderWeights(
  list: WeightList,
  config: EncoderConfig,
  modules: EncoderModules,
  head: EncoderHead | undefined,
  numScores: number,
  headIsEmbedding: boolean,
  index: WeightIndex,
): EncoderWeights {
  return new EncoderDeclaration(list, config, modules, index).all(head, numScores, headIsEmbedding);
}

class EncoderDeclaration {
  readonly #list: WeightList;
  readonly #config: EncoderConfig;
  readonly #modules: EncoderModules;
  readonly #index: WeightIndex;
  readonly #prefix: string;

  constructor(list: WeightList, config: EncoderConfig, modules: EncoderModules, index: WeightIndex) {
    this.#list = list;
    this.#config = config;
    this.#modules = modules;
    this.#index = index;
    // A checkpoint of the bare encoder has no prefix.
    this.#prefix = index.tensors.has(`${modules.words}.weight`) ? '' : modules.prefix;
  }

  all(head: EncoderHead | undefined, numScores: number, headIsEmbedding: boolean): EncoderWeights {
    const { vocabularySize, hidden, numTypes, positions, numLayers } = this.#config;
    const { words, types, positions: positionModule, embeddingNorm, finalNorm } = this.#modules;
    const table = (module: string, height: number): EmbeddingTable =>
      this.#list.table(this.#prefix + module, height, hidden);
    const wordTable = table(words, vocabularySize);
    return {
      words: wordTable,
      types: numTypes > 0 ? table(types, numTypes) : undefined,
      positions: positions.kind === 'learned' ? table(positionModule, positions.tableSize) : undefined,
      embeddingNorm: embeddingNorm === undefined ? undefined : this.#norm(this.#prefix + embeddingNorm),
      layers: Array.from({ length: numLayers }, (_, layer) => this.#layer(layer)),
      finalNorm: finalNorm === undefined ? undefined : this.#norm(this.#prefix + finalNorm),
      relative: this.#relative(),
      head: headIsEmbedding
        ? { transform: undefined, scores: tiedLinear(wordTable) }
        : head && this.#head(head, numScores),
    };
  }

  #layer(layer: number): EncoderLayer {
    const { hidden, inner, isGated, attentionBias, mlpBias } = this.#config;
    const modules = this.#modules.layer(layer);
    const named = (module: string): string => this.#prefix + module;
    const label = named(commonPath(modules.output, modules.down));
    const { queryKeyValue } = modules;
    const parts = queryKeyValue.map((module) => ({
      module: named(module),
      rows: (3 * hidden) / queryKeyValue.length,
    }));
    return {
      label,
      queryKeyValue:
        parts.length === 1
          ? this.#linear(must(parts[0], 'part').module, hidden, 3 * hidden, attentionBias)
          : this.#list.stackedLinear(`${label}.attention.qkv`, hidden, parts, attentionBias),
      output: this.#linear(named(modules.output), hidden, hidden, attentionBias),
      attentionNorm:
        modules.attentionNorm === undefined ? undefined : this.#norm(named(modules.attentionNorm)),
      up: this.#linear(named(modules.up), hidden, isGated ? 2 * inner : inner, mlpBias),
      down: this.#linear(named(modules.down), inner, hidden, mlpBias),
      mlpNorm: this.#norm(named(modules.mlpNorm)),
      positions: this.#positionProjection(label, modules),
    };
  }

  #linear(module: string, inputs: number, outputs: number, hasBias: boolean): Linear {
    return this.#config.storesTransposed
      ? this.#list.transposedLinear(module, inputs, outputs, hasBias)
      : this.#list.linear(module, inputs, outputs, hasBias);
  }

  #positionProjection(label: string, { positionQuery, positionKey }: LayerModules): Linear | undefined {
    const { relative, hidden } = this.#config;
    if (relative?.kind !== 'disentangled' || relative.sharesProjections) return undefined;
    const used = [
      relative.positionToContent ? positionQuery : undefined,
      relative.contentToPosition ? positionKey : undefined,
    ];
    const parts = used.flatMap((module) =>
      module === undefined ? [] : [{ module: this.#prefix + module, rows: hidden }],
    );
    return this.#list.stackedLinear(`${label}.attention.positions`, hidden, parts, true);
  }

  #relative(): RelativeWeights | undefined {
    const { relative, numHeads, hidden } = this.#config;
    const { relative: module, relativeNorm } = this.#modules;
    if (!relative || module === undefined) return undefined;
    const name = `${this.#prefix}${module}.weight`;
    if (relative.kind === 'bias') {
      return { table: this.#list.tensor(name, [relative.numBuckets, numHeads]), norm: undefined };
    }
    return {
      table: this.#list.tensor(name, [2 * relative.buckets.span, hidden]),
      norm: relative.isNormed && relativeNorm !== undefined ? this.#norm(this.#prefix + relativeNorm) : undefined,
    };
  }

  #head({ transform, scores, hasBias }: EncoderHead, numScores: number): HeadWeights {
    const { hidden } = this.#config;
    const prefix = transform?.isInBody === true ? this.#prefix : '';
    return {
      transform: transform && {
        dense: this.#list.linear(prefix + transform.module, hidden, hidden, transform.hasBias),
        norm: transform.norm === undefined ? undefined : this.#norm(transform.norm),
      },
      scores: this.#list.linear(scores, hidden, numScores, hasBias),
    };
  }

  /** Checkpoints converted from TensorFlow call a norm's weight and bias `gamma` and `beta`. */
  #norm(module: string): NormWeights {
    const { hidden, normBias } = this.#config;
    const isOld = this.#index.tensors.has(`${module}.gamma`);
    const named = (name: string): string => this.#list.tensor(`${module}.${name}`, [hidden]);
    return {
      module,
      weight: named(isOld ? 'gamma' : 'weight'),
      bias: normBias ? named(isOld ? 'beta' : 'bias') : undefined,
    };
  }
}

/** The modules that both paths begin with: `encoder.layer.3` of a layer's projections. */
function commonPath(a: string, b: string): string {
  const [left, right] = [a.split('.'), b.split('.')];
  const end = left.findIndex((name, i) => name !== right[i]);
  return left.slice(0, end).join('.');
}
