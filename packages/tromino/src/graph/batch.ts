import { must } from '../util/assert.ts';
import { describe } from '../util/describe.ts';
import { OptionError } from '../util/errors.ts';
import type { BatchShape } from './graph.ts';

/** One row of a batch as callers give it: ids and, where some are padding, a mask of ones and zeros. */
export interface TokenRow {
  readonly ids: ArrayLike<number>;
  readonly attentionMask?: ArrayLike<number> | undefined;
}

/** A ragged batch ready for upload; see {@link packBatch}. */
export interface PackedBatch {
  readonly shape: BatchShape;
  /** [numTokens] */
  readonly ids: Uint32Array<ArrayBuffer>;
  /** [numTokens, 4]: first token of the row, one past its last, position within the row, row. */
  readonly tokens: Uint32Array<ArrayBuffer>;
  /** [numRows]: index of each row's last real token. */
  readonly lastTokens: Uint32Array<ArrayBuffer>;
}

/**
 * Packs rows one behind the other and drops padded tokens: what is not there cannot be attended to, needs no mask and costs nothing, and
 * a row's bits cannot depend on its companions. Positions count from the row's first real token and keep the gaps of a mask with holes,
 * so that padding on the left, on the right, or not at all gives the same scores.
 * @throws OptionError for an empty row, a mask of another length or with other values than 0 and 1, or an id outside the vocabulary.
 */
export function packBatch(rows: readonly TokenRow[], vocabularySize: number): PackedBatch {
  if (rows.length === 0) throw new OptionError('inputs', 'at least one row', 'none');
  const kept = rows.map((row, index) => realTokens(row, index, rows.length > 1, vocabularySize));
  const numTokens = kept.reduce((sum, row) => sum + row.length, 0);
  const ids = new Uint32Array(numTokens);
  const tokens = new Uint32Array(numTokens * 4);
  const lastTokens = new Uint32Array(kept.length);
  let next = 0;
  let maxRowTokens = 0;
  let numPositions = 0;
  kept.forEach((places, row) => {
    const source = must(rows[row], 'row').ids;
    const first = must(places[0], 'first token');
    const start = next;
    for (const place of places) {
      ids[next] = must(source[place], 'id');
      tokens.set([start, start + places.length, place - first, row], next * 4);
      numPositions = Math.max(numPositions, place - first + 1);
      next++;
    }
    lastTokens[row] = next - 1;
    maxRowTokens = Math.max(maxRowTokens, places.length);
  });
  return { shape: { numTokens, numRows: kept.length, maxRowTokens, numPositions }, ids, tokens, lastTokens };
}

/** A batch's arrays by the names of the graph's inputs. */
export function batchInputs(batch: PackedBatch): Readonly<Record<string, Uint32Array<ArrayBuffer>>> {
  return { ids: batch.ids, tokens: batch.tokens, last_tokens: batch.lastTokens };
}

function realTokens(row: TokenRow, index: number, isBatch: boolean, vocabularySize: number): number[] {
  const name = isBatch ? `inputs[${index}]` : 'input';
  const { ids, attentionMask } = row;
  if (attentionMask && attentionMask.length !== ids.length) {
    throw new OptionError(
      `${name}.attentionMask`,
      `${ids.length} values, one for each id`,
      `${attentionMask.length}`,
    );
  }
  const kept: number[] = [];
  for (let place = 0; place < ids.length; place++) {
    const id = ids[place] as number;
    if (!Number.isInteger(id) || id < 0 || id >= vocabularySize) {
      throw new OptionError(
        `${name}.ids[${place}]`,
        `an integer from 0 to ${vocabularySize - 1}`,
        describe(id),
      );
    }
    const mask = attentionMask ? attentionMask[place] : 1;
    if (mask !== 0 && mask !== 1)
      throw new OptionError(`${name}.attentionMask[${place}]`, '0 or 1', describe(mask));
    if (mask === 1) kept.push(place);
  }
  if (kept.length === 0)
    throw new OptionError(name, 'at least one token that the attention mask marks real', 'none');
  return kept;
}
