import { GraphBuilder } from '../../graph/builder.ts';
import type { BatchShape, ModelGraph, ValueId, WeightSpec } from '../../graph/graph.ts';
import { elementCount } from '../../tensor/shape.ts';
import { must } from '../../util/assert.ts';
import type { ActivationName } from '../activations.ts';
import { addEmbedding, type EmbeddingTable } from '../embedding.ts';
import { addLinear } from '../linear.ts';
import { biasBuckets, disentangledBuckets } from '../relative_positions.ts';
import type { RopeConfig } from '../rope.ts';
import { addGatherRows, addSpanSearch, RotationTables } from '../shared_graph.ts';
import type { EncoderConfig } from './config.ts';
import type { EncoderLayer, EncoderWeights, NormWeights } from './weights.ts';

/** Which hidden states the head reads: those of all tokens, or one for each row. */
export type EncoderPooling = 'none' | 'first' | 'last' | 'mean';

/** What is computed of the last layer's hidden states. */
export interface EncoderTask {
  /** Name of the graph's output. */
  readonly output: string;
  readonly pooling: EncoderPooling;
  /** Activation of the head's transform, where it has one. */
  readonly headActivation: ActivationName | undefined;
}

/**
 * The encoder for one batch shape: token ids in, scores or hidden states out. Where only one token of each row is read, the last layer
 * computes keys and values for all of them but everything behind its attention for that token alone.
 */
export function encoderGraph(
  config: EncoderConfig,
  specs: readonly WeightSpec[],
  weights: EncoderWeights,
  task: EncoderTask,
  batch: BatchShape,
): ModelGraph {
  return new EncoderGraph(config, specs, weights, batch).build(task);
}

/** What relative attention reads of the distance between query and key. */
interface Distances {
  /** The bucket of each distance. */
  readonly buckets: ValueId;
  readonly numBuckets: number;
  readonly bias: ValueId | undefined;
  /** [numBuckets, hidden]: what each layer projects to queries and keys of the buckets. */
  readonly states: ValueId | undefined;
}

/** A table with the input that says which of its rows each token has. */
interface Lookup {
  readonly table: EmbeddingTable;
  readonly ids: ValueId;
}

class EncoderGraph {
  readonly #graph: GraphBuilder;
  readonly #config: EncoderConfig;
  readonly #weights: EncoderWeights;
  readonly #batch: BatchShape;
  readonly #headDim: number;
  readonly #rotations: RotationTables;

  constructor(
    config: EncoderConfig,
    specs: readonly WeightSpec[],
    weights: EncoderWeights,
    batch: BatchShape,
  ) {
    this.#graph = new GraphBuilder(specs);
    this.#config = config;
    this.#weights = weights;
    this.#batch = batch;
    this.#headDim = config.hidden / config.numHeads;
    this.#rotations = new RotationTables(this.#graph, {
      rotaryDim: this.#headDim,
      precision: config.positions.kind === 'rotary' ? config.positions.precision : 'f32',
      numPositions: batch.numPositions,
    });
  }

  build({ output, pooling, headActivation }: EncoderTask): ModelGraph {
    const graph = this.#graph;
    const { numTokens, numRows } = this.#batch;
    const { head, finalNorm, embeddingNorm, layers } = this.#weights;
    const ids = graph.input('ids', 'u32', [numTokens]);
    const embedded = this.#embedding(ids);
    const tokens = graph.input('tokens', 'u32', [numTokens, 4]);
    const pooled = pooling === 'none' ? undefined : this.#rowInput(pooling, numRows);
    const rowsOut = pooling === 'mean' ? undefined : pooled;

    let states = embeddingNorm ? this.#norm(embedded, embeddingNorm) : embedded;
    const distances = this.#distances();
    layers.forEach((layer, index) => {
      graph.beginLayer(index);
      const attend = (projected: ValueId): ValueId =>
        distances
          ? this.#relativeAttention(layer, projected, tokens, distances)
          : this.#attention(index, layer.label, projected, tokens);
      const isLast = index === layers.length - 1;
      states = this.#layer(layer, states, attend, isLast ? rowsOut : undefined);
    });
    graph.beginLayer(layers.length);
    if (finalNorm) states = this.#norm(states, finalNorm);
    if (pooling === 'mean') states = this.#meanPool(states, tokens, must(pooled, 'rows'));
    if (!head) return graph.finish({ [output]: states });
    if (head.transform) {
      const { dense, norm } = head.transform;
      const label = 'logits.transform';
      states = this.#activation(label, addLinear(graph, label, dense, states), must(headActivation, label));
      if (norm) states = this.#norm(states, norm);
    }
    const logits = addLinear(graph, 'logits', head.scores, states);
    const { spanSearch } = this.#batch;
    return graph.finish({ [output]: output === 'spans' ? addSpanSearch(graph, logits, numRows, numTokens, spanSearch) : logits });
  }

  /** Any token of a row tells where the row is; a mean needs no other than the first. */
  #rowInput(pooling: EncoderPooling, numRows: number): ValueId {
    return this.#graph.input(pooling === 'last' ? 'last_tokens' : 'first_tokens', 'u32', [numRows]);
  }

  /** Adds up what the tables have for each token: in one dispatch where all are floats, else table by table, in the same order. */
  #embedding(ids: ValueId): ValueId {
    const graph = this.#graph;
    const { words, types, positions } = this.#weights;
    const lookup = (input: string, table: EmbeddingTable | undefined): Lookup | undefined =>
      table && { table, ids: graph.input(input, 'u32', [this.#batch.numTokens]) };
    const typeRows = lookup('token_types', types);
    const positionRows = lookup('positions', positions);
    const isSum = typeRows !== undefined || positionRows !== undefined;
    if (isSum && words.format === 'dense' && types?.format !== 'nf4' && positions?.format !== 'nf4') {
      const { rows: numRows, columns: hidden } = words;
      const numTokens = this.#batch.numTokens;
      const [numTypes, tablePositions] = [types?.rows ?? 0, positions?.rows ?? 0];
      const operands = {
        table: graph.weight(words.weight),
        ids,
        ...(types && typeRows && { type_table: graph.weight(types.weight), types: typeRows.ids }),
        ...(positions && positionRows && { position_table: graph.weight(positions.weight), positions: positionRows.ids }),
      };
      const problem = { numTokens, hidden, firstRow: 0, numRows, numTypes, tablePositions };
      return graph.node('embedding_sum', 'embeddings', problem, operands, { name: 'embedding', shape: [numTokens, hidden] });
    }
    const ofWords = addEmbedding(graph, 'embeddings', words, ids);
    return this.#addRows('positions', this.#addRows('token_types', ofWords, typeRows), positionRows);
  }

  /** Adds rows of a table to those of another, where there are any. */
  #addRows(name: string, a: ValueId, rows: Lookup | undefined): ValueId {
    if (!rows) return a;
    const graph = this.#graph;
    const label = `embeddings.${name}`;
    const b = addEmbedding(graph, label, rows.table, rows.ids);
    const shape = graph.shape(a);
    return graph.node('add', `${label}.sum`, { length: elementCount(shape) }, { a, b }, { name: `${label}.sum`, shape });
  }

  /**
   * @param attend from the projected queries, keys and values of all tokens to what each of them attends to.
   * @param rowsOut where given, only these tokens go on behind the attention.
   */
  #layer(
    weights: EncoderLayer,
    input: ValueId,
    attend: (projected: ValueId) => ValueId,
    rowsOut: ValueId | undefined,
  ): ValueId {
    const graph = this.#graph;
    const { label, attentionNorm, mlpNorm } = weights;
    const isPost = this.#config.normPlacement === 'post';
    const normed = isPost || !attentionNorm ? input : this.#norm(input, attentionNorm);
    const projected = addLinear(graph, `${label}.attention.qkv`, weights.queryKeyValue, normed);
    let attended = attend(projected);
    let residual = input;
    if (rowsOut !== undefined) {
      attended = addGatherRows(graph, `${label}.attention.pooled_tokens`, attended, rowsOut);
      residual = addGatherRows(graph, `${label}.pooled_tokens`, residual, rowsOut);
    }
    residual = addLinear(graph, `${label}.attention.output`, weights.output, attended, residual);
    if (isPost && attentionNorm) residual = this.#norm(residual, attentionNorm);
    const mlpInput = isPost ? residual : this.#norm(residual, mlpNorm);
    const activated = this.#activatedInner(label, weights, mlpInput);
    const output = addLinear(graph, `${label}.mlp.down`, weights.down, activated, residual);
    return isPost ? this.#norm(output, mlpNorm) : output;
  }

  #activatedInner(label: string, { up }: EncoderLayer, input: ValueId): ValueId {
    const { inner, activation, isGated } = this.#config;
    const graph = this.#graph;
    const x = addLinear(graph, `${label}.mlp.up`, up, input);
    if (!isGated) return this.#activation(`${label}.mlp.act`, x, activation);
    const rows = must(graph.shape(x)[0], 'rows');
    const output = { name: `${label}.mlp.activated`, shape: [rows, inner] };
    return graph.node('gated_activation', `${label}.mlp.act`, { rows, inner, activation }, { x }, output);
  }

  #attention(layer: number, label: string, projected: ValueId, tokens: ValueId): ValueId {
    const { numTokens, maxRowTokens } = this.#batch;
    const { hidden, numHeads, positions, windows } = this.#config;
    const headDim = this.#headDim;
    const isRotary = positions.kind === 'rotary';
    const rotated = isRotary
      ? this.#rotated(`${label}.attention.rotary`, projected, tokens, must(positions.ropes[layer], 'rope'))
      : projected;
    const rotatedStride = isRotary ? 2 * hidden : 3 * hidden;
    return this.#graph.node(
      'attention',
      `${label}.attention`,
      {
        numTokens,
        numHeads,
        numKeyHeads: numHeads,
        headDim,
        scale: this.#config.attentionScale,
        causal: this.#config.isCausal,
        window: must(windows[layer], `window of layer ${layer}`),
        queryStride: rotatedStride,
        queryOffset: 0,
        keyStride: rotatedStride,
        keyOffset: hidden,
        valueStride: 3 * hidden,
        valueOffset: 2 * hidden,
        maxRowTokens,
        portable: false,
      },
      { q: rotated, k: rotated, v: projected, tokens },
      { name: `${label}.attended`, shape: [numTokens, hidden] },
    );
  }

  /** What relative attention needs of distances, the same for all layers; undefined where the family knows none. */
  #distances(): Distances | undefined {
    const { relative } = this.#config;
    const { relative: weights } = this.#weights;
    if (!relative || !weights) return undefined;
    const graph = this.#graph;
    const { numPositions } = this.#batch;
    const constant = (name: string, indices: readonly number[]): ValueId =>
      graph.constant(name, [indices.length], { kind: 'index_table', indices });
    if (relative.kind === 'bias') {
      const buckets = constant('buckets', biasBuckets(numPositions));
      return { buckets, numBuckets: relative.numBuckets, bias: graph.weight(weights.table), states: undefined };
    }
    const { buckets, rows } = disentangledBuckets(numPositions, relative.buckets);
    const [numRows, width] = [rows.length, this.#config.hidden];
    const gathered = graph.node(
      'gather_rows',
      'encoder.rel_embeddings',
      { numRows, width, sourceRows: 2 * relative.buckets.span },
      { x: graph.weight(weights.table), rows: constant('bucket_rows', rows) },
      { name: 'rel_embeddings', shape: [numRows, width] },
    );
    const states = weights.norm ? this.#norm(gathered, weights.norm) : gathered;
    return { buckets: constant('buckets', buckets), numBuckets: numRows, bias: undefined, states };
  }

  #relativeAttention(
    weights: EncoderLayer,
    projected: ValueId,
    tokens: ValueId,
    { buckets, numBuckets, bias, states }: Distances,
  ): ValueId {
    const { numTokens, maxRowTokens, numPositions } = this.#batch;
    const { hidden, numHeads, attentionScale, relative } = this.#config;
    const graph = this.#graph;
    const { label, queryKeyValue, positions } = weights;
    const isDisentangled = relative?.kind === 'disentangled';
    const inputs: Record<string, ValueId> = { q: projected, k: projected, v: projected, tokens, buckets };
    if (bias !== undefined) inputs['bias'] = bias;
    // Projected as the tokens are, the states stand as they do: queries first, then keys. Values come along unused.
    const bucketStates =
      states === undefined ? undefined : addLinear(graph, `${label}.attention.positions`, positions ?? queryKeyValue, states);
    if (bucketStates !== undefined) inputs['bucket_states'] = bucketStates;
    return graph.node(
      'relative_attention',
      `${label}.attention`,
      {
        numTokens,
        numHeads,
        headDim: this.#headDim,
        scale: attentionScale,
        queryStride: 3 * hidden,
        queryOffset: 0,
        keyStride: 3 * hidden,
        keyOffset: hidden,
        valueStride: 3 * hidden,
        valueOffset: 2 * hidden,
        maxRowTokens,
        numPositions,
        numBuckets,
        hasBias: bias !== undefined,
        hasBucketKeys: isDisentangled && relative.contentToPosition,
        hasBucketQueries: isDisentangled && relative.positionToContent,
        bucketStride: bucketStates === undefined ? 0 : must(graph.shape(bucketStates)[1], 'width'),
        bucketKeyOffset: isDisentangled && (!positions || relative.positionToContent) ? hidden : 0,
        bucketQueryOffset: 0,
      },
      inputs,
      { name: `${label}.attended`, shape: [numTokens, hidden] },
    );
  }

  #rotated(label: string, x: ValueId, tokens: ValueId, rope: RopeConfig): ValueId {
    const { numTokens, numPositions } = this.#batch;
    const { hidden, numHeads } = this.#config;
    const headDim = this.#headDim;
    return this.#graph.node(
      'rope',
      label,
      {
        numTokens,
        rowStride: 3 * hidden,
        numHeads: 2 * numHeads,
        headDim,
        rotaryDim: headDim,
        numPositions,
      },
      { x, table: this.#rotations.of(rope), tokens },
      { name: `${label}.rotated`, shape: [numTokens, 2 * hidden] },
    );
  }

  #norm(x: ValueId, { module, weight, bias }: NormWeights): ValueId {
    const graph = this.#graph;
    const [rows, hidden] = graph.shape(x) as [number, number];
    const inputs: Record<string, ValueId> = { x, weight: graph.weight(weight) };
    if (bias !== undefined) inputs['bias'] = graph.weight(bias);
    const problem = { rows, hidden, epsilon: this.#config.normEpsilon, hasBias: bias !== undefined };
    return graph.node('layer_norm', module, problem, inputs, {
      name: `${module}.normed`,
      shape: [rows, hidden],
    });
  }

  #activation(label: string, x: ValueId, activation: ActivationName): ValueId {
    const shape = this.#graph.shape(x);
    const length = shape.reduce((product, size) => product * size, 1);
    return this.#graph.node('activation', label, { length, activation }, { x }, { name: `${label}.activated`, shape });
  }

  #meanPool(x: ValueId, tokens: ValueId, rows: ValueId): ValueId {
    const { numRows, numTokens } = this.#batch;
    const width = this.#config.hidden;
    return this.#graph.node('mean_pool', 'mean_pool', { numTokens, numRows, width }, { x, tokens, rows }, {
      name: 'mean_pooled',
      shape: [numRows, width],
    });
  }
}
