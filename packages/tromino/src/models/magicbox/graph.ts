import { GraphBuilder } from '../../graph/builder.ts';
import type { BatchShape, ModelGraph, WeightSpec } from '../../graph/graph.ts';
import { questionFields } from '../../kernels/index.ts';
import { addDecoderBody } from '../decoder/graph.ts';
import type { DecoderBodyWeights } from '../decoder/weights.ts';
import { addLinear, type Linear } from '../linear.ts';
import { addSpanSearch } from '../shared_graph.ts';
import type { MagicBoxConfig } from './config.ts';

/** All weights of MagicBox, as its graph uses them. */
export interface MagicBoxWeights {
  readonly body: DecoderBodyWeights;
  /** From a hidden state to its vectors as a start's question, an end's question, a start and an end. */
  readonly pointer: Linear;
}

/**
 * MagicBox for one batch shape: token ids in; out come the best spans for each question (`spans`), or the scores of each question with each
 * token of its row (`logits`). The pairs of a question with its row's tokens are to the search of spans what a row is elsewhere.
 */
export function magicBoxGraph(
  { body, pointerSize: width }: MagicBoxConfig,
  specs: readonly WeightSpec[],
  weights: MagicBoxWeights,
  batch: BatchShape,
): ModelGraph {
  const { numTokens, numRows, maxRowTokens, numQuestions = numRows, numPairs = numTokens, output = 'spans' } = batch;
  const graph = new GraphBuilder(specs);
  const states = addDecoderBody(graph, body, weights.body, 'all_tokens', batch);
  const projected = addLinear(graph, 'pointer', weights.pointer, states);
  const questions = graph.input('questions', 'u32', [numQuestions, questionFields.count]);
  const logits = graph.node(
    'pointer_scores',
    'logits',
    { numTokens, numQuestions, numPairs, maxRowTokens, width },
    { projected, questions },
    { name: 'logits', shape: [numPairs, 2] },
  );
  if (output === 'logits') return graph.finish({ logits });
  return graph.finish({ spans: addSpanSearch(graph, logits, numQuestions, numTokens, batch.spanSearch) });
}
