import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { WeightIndex } from '../../formats/weight_index.ts';
import { declareDecoderBody } from '../decoder/weights.ts';
import { readLinearFormats } from '../linear_formats.ts';
import type { ModelDefinition } from '../model_definition.ts';
import type { RopePrecision } from '../rope.ts';
import { WeightList } from '../weight_list.ts';
import { readMagicBoxConfig } from './config.ts';
import { magicBoxGraph, type MagicBoxWeights } from './graph.ts';

/** MagicBox: an encoder that finds the answers to several questions in one text, from its config. */
export function defineMagicBox(
  family: string,
  config: ConfigReader,
  index: WeightIndex,
  ropePrecision: RopePrecision,
): ModelDefinition {
  const read = readMagicBoxConfig(config);
  const magicBox = { ...read, body: { ...read.body, ropePrecision } };
  const { body, pointerSize, questionTokens } = magicBox;
  const list = new WeightList(readLinearFormats(config, index));
  const vector = (module: string): { module: string; rows: number } => ({ module, rows: pointerSize });
  const weights: MagicBoxWeights = {
    body: declareDecoderBody(list, body),
    // One matrix, so that one dispatch makes all of a token's vectors: a question's are those of its marker.
    pointer: list.stackedLinear(
      'pointer',
      body.hidden,
      ['start_question', 'end_question', 'start_token', 'end_token'].map((part) => vector(`pointer.${part}`)),
      false,
    ),
  };
  return {
    family,
    head: 'extractor',
    batchRules: {
      vocabularySize: body.vocabularySize,
      numTypes: 0,
      positions: { kind: 'from_first_token' },
      maxPositions: body.maxPositions,
      readsFirstColumn: false,
      questionMarker: questionTokens.marker,
    },
    maxTokens: body.maxPositions,
    questionTokens,
    labels: [],
    scoreFunction: 'none',
    stopTokens: [],
    numLayers: body.numLayers,
    weights: list.specs,
    outputs: [
      { name: 'spans', per: 'question', width: undefined },
      { name: 'logits', per: 'pair', width: 2 },
    ],
    graph: (batch) => magicBoxGraph(magicBox, list.specs, weights, batch),
  };
}
