import { GraphBuilder } from '../../graph/builder.ts';
import type { BatchShape, ModelGraph, ValueId, WeightSpec } from '../../graph/graph.ts';
import { must } from '../../util/assert.ts';
import { addEmbedding } from '../embedding.ts';
import { addLinear, type Linear } from '../linear.ts';
import { addGatherRows, addRmsNorm, RotationTables, type RmsNorm } from '../shared_graph.ts';
import type { DecoderConfig } from './config.ts';
import type { DecoderBodyWeights, DecoderLayer, DecoderWeights } from './weights.ts';

/**
 * The decoder for one batch shape: token ids in, one row of scores for each row's last token out.
 * @param output name of the graph's output.
 */
export function decoderGraph(
  config: DecoderConfig,
  specs: readonly WeightSpec[],
  weights: DecoderWeights,
  output: string,
  batch: BatchShape,
): ModelGraph {
  const graph = new GraphBuilder(specs);
  const states = addDecoderBody(graph, config, weights, 'last_tokens', batch);
  return graph.finish({ [output]: addLinear(graph, output, weights.head, states) });
}

/**
 * Adds everything before the head: token ids in, normed hidden states out. Where only those of the last tokens are wanted, the last layer
 * computes keys and values for every token but everything after its attention for the last tokens alone, since nothing else is read.
 *
 * **Shapes** → [numRows, hidden] or [numTokens, hidden]
 */
export function addDecoderBody(
  graph: GraphBuilder,
  config: DecoderConfig,
  weights: DecoderBodyWeights,
  wanted: 'last_tokens' | 'all_tokens',
  batch: BatchShape,
): ValueId {
  return new DecoderBody(graph, config, weights, batch).add(wanted);
}

class DecoderBody {
  readonly #graph: GraphBuilder;
  readonly #config: DecoderConfig;
  readonly #weights: DecoderBodyWeights;
  readonly #batch: BatchShape;
  readonly #queryColumns: number;
  readonly #keyColumns: number;
  readonly #rotations: RotationTables;

  constructor(graph: GraphBuilder, config: DecoderConfig, weights: DecoderBodyWeights, batch: BatchShape) {
    this.#graph = graph;
    this.#config = config;
    this.#weights = weights;
    this.#batch = batch;
    this.#rotations = new RotationTables(this.#graph, {
      rotaryDim: config.headDim,
      precision: config.ropePrecision,
      numPositions: batch.numPositions,
    });
    this.#queryColumns = config.numHeads * config.headDim;
    this.#keyColumns = config.numKeyHeads * config.headDim;
  }

  add(wanted: 'last_tokens' | 'all_tokens'): ValueId {
    const { numTokens, numRows } = this.#batch;
    const { numLayers, embeddingScale } = this.#config;
    const graph = this.#graph;
    const ids = graph.input('ids', 'u32', [numTokens]);
    const tokens = graph.input('tokens', 'u32', [numTokens, 4]);
    const lastTokens = wanted === 'last_tokens' ? graph.input('last_tokens', 'u32', [numRows]) : undefined;

    let residual = addEmbedding(graph, 'model.embed_tokens', this.#weights.embedding, ids, embeddingScale);
    for (let layer = 0; layer < numLayers; layer++) {
      graph.beginLayer(layer);
      const rowsOut = layer === numLayers - 1 ? lastTokens : undefined;
      residual = this.#layer(layer, residual, tokens, rowsOut);
    }
    graph.beginLayer(numLayers);
    return addRmsNorm(graph, residual, this.#norm('model.norm', this.#weights.finalNorm));
  }

  /** @param rowsOut where given, only these tokens go on behind the attention. */
  #layer(layer: number, input: ValueId, tokens: ValueId, rowsOut: ValueId | undefined): ValueId {
    const { inner, activation } = this.#config;
    const graph = this.#graph;
    const weights = must(this.#weights.layers[layer], `layer ${layer}`);
    const label = `model.layers.${layer}`;

    const inputNorm = this.#norm(`${label}.input_layernorm`, weights.inputNorm);
    const projected = addLinear(graph, `${label}.self_attn.qkv_proj`, weights.queryKeyValue, input, undefined, inputNorm);
    let attended = this.#attention(layer, weights, projected, tokens);
    let residual = input;
    if (rowsOut !== undefined) {
      attended = addGatherRows(graph, `${label}.self_attn.last_tokens`, attended, rowsOut);
      residual = addGatherRows(graph, `${label}.last_tokens`, residual, rowsOut);
    }
    residual = this.#addTo(residual, `${label}.self_attn.o_proj`, weights.output, attended, {
      input: this.#optionalNorm(`${label}.self_attn.attn_sub_norm`, weights.attentionSubNorm),
      output: this.#optionalNorm(`${label}.self_attn.o_proj.norm`, weights.attentionOutputNorm),
    });
    const mlpNorm = this.#norm(`${label}.mlp_norm`, weights.mlpNorm);
    const gateUp = addLinear(graph, `${label}.mlp.gate_up_proj`, weights.gateUp, residual, undefined, mlpNorm);
    const rows = must(graph.shape(gateUp)[0], 'rows');
    const activated = graph.node(
      'gated_activation',
      `${label}.mlp.act_fn`,
      { rows, inner, activation },
      { x: gateUp },
      { name: `${label}.mlp.activated`, shape: [rows, inner] },
    );
    return this.#addTo(residual, `${label}.mlp.down_proj`, weights.down, activated, {
      input: this.#optionalNorm(`${label}.mlp.ffn_sub_norm`, weights.mlpSubNorm),
      output: this.#optionalNorm(`${label}.mlp.down_proj.norm`, weights.mlpOutputNorm),
    });
  }

  /** Adds a projection to the residual: within its own dispatch, unless what it gives is normed first. */
  #addTo(
    residual: ValueId,
    label: string,
    linear: Linear,
    x: ValueId,
    norms: { readonly input: RmsNorm | undefined; readonly output: RmsNorm | undefined },
  ): ValueId {
    const graph = this.#graph;
    if (norms.output === undefined) return addLinear(graph, label, linear, x, residual, norms.input);
    const projected = addLinear(graph, label, linear, x, undefined, norms.input);
    const normed = addRmsNorm(graph, projected, norms.output);
    const shape = graph.shape(residual);
    const length = shape.reduce((product, size) => product * size, 1);
    return graph.node('add', `${label}.residual`, { length }, { a: residual, b: normed }, { name: `${label}.sum`, shape });
  }

  #attention(layer: number, weights: DecoderLayer, projected: ValueId, tokens: ValueId): ValueId {
    const { numTokens, maxRowTokens } = this.#batch;
    const { numHeads, numKeyHeads, headDim, rmsNormEpsilon, windows, ropes, attentionScale, isCausal } = this.#config;
    const graph = this.#graph;
    const { queryNorm, keyNorm } = weights;
    const label = `model.layers.${layer}.self_attn`;
    const projectedColumns = this.#queryColumns + 2 * this.#keyColumns;
    const rotatedColumns = this.#queryColumns + this.#keyColumns;

    let unrotated = projected;
    if (queryNorm !== undefined && keyNorm !== undefined) {
      unrotated = graph.node(
        'head_rms_norm',
        `${label}.qk_norm`,
        { numTokens, rowStride: projectedColumns, numQueryHeads: numHeads, numKeyHeads, headDim, epsilon: rmsNormEpsilon },
        { qkv: projected, q_weight: graph.weight(queryNorm), k_weight: graph.weight(keyNorm) },
        { name: `${label}.qk_normed`, shape: [numTokens, rotatedColumns] },
      );
    }
    const rotated = graph.node(
      'rope',
      `${label}.rotary_emb`,
      {
        numTokens,
        rowStride: unrotated === projected ? projectedColumns : rotatedColumns,
        numHeads: numHeads + numKeyHeads,
        headDim,
        rotaryDim: headDim,
        numPositions: this.#batch.numPositions,
      },
      { x: unrotated, table: this.#rotations.of(must(ropes[layer], `rope of layer ${layer}`)), tokens },
      { name: `${label}.rotated`, shape: [numTokens, rotatedColumns] },
    );
    return graph.node(
      'attention',
      `${label}.attention`,
      {
        numTokens,
        numHeads,
        numKeyHeads,
        headDim,
        scale: attentionScale,
        causal: isCausal,
        window: must(windows[layer], `window of layer ${layer}`),
        queryStride: rotatedColumns,
        queryOffset: 0,
        keyStride: rotatedColumns,
        keyOffset: this.#queryColumns,
        valueStride: projectedColumns,
        valueOffset: rotatedColumns,
        maxRowTokens,
        // What is rounded to int8 next may turn on the last digit.
        portable: weights.output.pieces.some(({ format }) => format === 'ternary'),
      },
      { q: rotated, k: rotated, v: projected, tokens },
      { name: `${label}.attended`, shape: [numTokens, this.#queryColumns] },
    );
  }

  #norm(label: string, weight: string): RmsNorm {
    return { label, weight, epsilon: this.#config.rmsNormEpsilon };
  }

  #optionalNorm(label: string, weight: string | undefined): RmsNorm | undefined {
    return weight === undefined ? undefined : this.#norm(label, weight);
  }
}
