import type { ConfigReader } from '../../formats/huggingface/config_reader.ts';
import type { WeightIndex } from '../../formats/weight_index.ts';
import type { BatchRules, PositionRule } from '../../graph/batch.ts';
import { must } from '../../util/assert.ts';
import { tiesHead } from '../decoder/define.ts';
import type { HeadName, ModelDefinition, ModelOutput } from '../model_definition.ts';
import { readLinearFormats } from '../linear_formats.ts';
import { scoreFunction } from '../shared_config.ts';
import { WeightList } from '../weight_list.ts';
import type { EncoderConfig, EncoderModules } from './config.ts';
import { encoderGraph, type EncoderPooling, type EncoderTask } from './graph.ts';
import { declareEncoderWeights } from './weights.ts';

/** An encoder with one of its heads or alone, from its family's config and the names that the checkpoint holds. */
export function defineEncoder(
  family: string,
  encoder: EncoderConfig,
  modules: EncoderModules,
  head: HeadName,
  config: ConfigReader,
  index: WeightIndex,
): ModelDefinition {
  const labels = head === 'classifier' || head === 'tagger' ? config.labelNames() : [];
  const numScores = numScoresOf(head, labels, encoder);
  const headConfig = head === 'embedder' ? undefined : must(encoder.heads[head], head);
  const headIsEmbedding = head === 'generator' && tiesHead(encoder.tieWordEmbeddings, index, config);
  const list = new WeightList(readLinearFormats(config, index));
  const weights = declareEncoderWeights(list, encoder, modules, headConfig, numScores, headIsEmbedding, index);
  const outputs = outputsOf(head, numScores, encoder.hidden);
  const batchRules = batchRulesOf(encoder, head);
  const { positions } = batchRules;
  const taskOf = (output: string): EncoderTask => ({
    output,
    pooling: poolingOf(encoder, head, output),
    headActivation: headConfig?.transform?.activation,
  });
  return {
    family,
    head,
    batchRules,
    maxTokens: batchRules.maxPositions - (positions.kind === 'past_padding' ? positions.paddingId + 1 : 0),
    labels,
    scoreFunction: head === 'classifier' ? scoreFunction(config, labels.length) : 'none',
    stopTokens: 'eos_token_id' in config.json ? config.tokenIds('eos_token_id') : encoder.defaultStopTokens,
    numLayers: encoder.numLayers,
    weights: list.specs,
    outputs,
    graph: (batch) => encoderGraph(encoder, list.specs, weights, taskOf(batch.output ?? outputs[0].name), batch),
  };
}

/** What each output of an encoder alone is read off. */
const embeddingPoolings: Readonly<Record<string, EncoderPooling>> = {
  mean_pooled: 'mean',
  first_token: 'first',
  last_token: 'last',
};

function poolingOf({ classifierPooling }: EncoderConfig, head: HeadName, output: string): EncoderPooling {
  switch (head) {
    case 'classifier':
      return classifierPooling;
    case 'generator':
      return 'last';
    case 'embedder':
      return embeddingPoolings[output] ?? 'none';
    case 'tagger':
    case 'extractor':
      return 'none';
  }
}

function numScoresOf(head: HeadName, labels: readonly string[], { vocabularySize }: EncoderConfig): number {
  if (head === 'generator') return vocabularySize;
  return head === 'extractor' ? 2 : labels.length;
}

function outputsOf(head: HeadName, numScores: number, hidden: number): ModelDefinition['outputs'] {
  switch (head) {
    case 'classifier':
    case 'generator':
      return [{ name: 'logits', per: 'row', width: numScores }];
    case 'tagger':
      return [{ name: 'logits', per: 'token', width: numScores }];
    case 'extractor':
      return [
        { name: 'spans', per: 'row', width: undefined },
        { name: 'logits', per: 'token', width: numScores },
      ];
    case 'embedder': {
      const pooled = Object.keys(embeddingPoolings).map((name): ModelOutput => ({ name, per: 'row', width: hidden }));
      return [must(pooled[0], 'pooling'), ...pooled.slice(1), { name: 'last_hidden_state', per: 'token', width: hidden }];
    }
  }
}

function batchRulesOf(encoder: EncoderConfig, head: HeadName): BatchRules {
  const { vocabularySize, numTypes, positions, readsFirstColumn } = encoder;
  return {
    vocabularySize,
    numTypes,
    positions: positionRule(encoder),
    maxPositions: positions.kind === 'learned' ? positions.tableSize : positions.maxPositions,
    readsFirstColumn: head === 'classifier' && readsFirstColumn,
  };
}

function positionRule({ positions, isCausal }: EncoderConfig): PositionRule {
  if (isCausal) return { kind: 'from_first_token' };
  return positions.kind === 'learned' && positions.paddingId !== undefined
    ? { kind: 'past_padding', paddingId: positions.paddingId }
    : { kind: 'from_row_start' };
}
