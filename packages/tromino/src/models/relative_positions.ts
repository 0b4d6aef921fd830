import { must } from '../util/assert.ts';

/** Distances of a row's places, query minus key, in the order in which attention looks them up: `1 - numPositions` first. */
function distances(numPositions: number): number[] {
  return Array.from({ length: 2 * numPositions - 1 }, (_, i) => i + 1 - numPositions);
}

/** Buckets that `biasBuckets` gives: half of them for keys ahead of the query. */
export const numBiasBuckets = 32;

/** Distances from which on all fall into the last bucket. */
const farthestBias = 128;

/**
 * The bucket of each distance in MPNet: small distances have one each, larger ones share by their logarithm.
 *
 * **Numerics** rounded to f32 where transformers does, since a distance at the border of two buckets must fall on the same side.
 *
 * **Source** transformers, `MPNetEncoder.relative_position_bucket`. The number of buckets is fixed there, whatever the config says.
 */
export function biasBuckets(numPositions: number): number[] {
  const half = numBiasBuckets / 2;
  const numExact = half / 2;
  return distances(numPositions).map((distance) => {
    const first = distance < 0 ? half : 0;
    const size = Math.abs(distance);
    if (size < numExact) return first + size;
    const logarithm = Math.fround(Math.log(Math.fround(size / numExact)));
    const share = Math.fround(logarithm / Math.fround(Math.log(farthestBias / numExact)));
    const far = numExact + Math.trunc(Math.fround(share * (half - numExact)));
    return first + Math.min(far, half - 1);
  });
}

/** How DeBERTa puts distances into buckets. */
export interface DisentangledBuckets {
  /** Buckets to either side; the table has twice as many rows. */
  readonly span: number;
  /** The distance whose logarithm reaches the last bucket; undefined where each distance has a bucket of its own. */
  readonly maxDistance: number | undefined;
}

/**
 * The bucket of each distance in DeBERTa, of those that a row of so many places can need.
 * @returns `rows` of the table for the buckets, in ascending order, and `buckets`: for each distance the index of its row among them.
 *
 * **Numerics** rounded to f32 where transformers does, as in {@link biasBuckets}.
 *
 * **Source** transformers, `make_log_bucket_position` and `disentangled_attention_bias` of DebertaV2.
 */
export function disentangledBuckets(
  numPositions: number,
  { span, maxDistance }: DisentangledBuckets,
): { readonly buckets: readonly number[]; readonly rows: readonly number[] } {
  const tableRows = distances(numPositions).map((distance) => {
    const bucket = maxDistance === undefined ? distance : logBucket(distance, span, maxDistance);
    return Math.min(Math.max(bucket + span, 0), 2 * span - 1);
  });
  const rows = [...new Set(tableRows)].sort((a, b) => a - b);
  const places = new Map(rows.map((row, place) => [row, place]));
  return { buckets: tableRows.map((row) => must(places.get(row), 'row')), rows };
}

function logBucket(distance: number, span: number, maxDistance: number): number {
  const middle = Math.floor(span / 2);
  const size = Math.abs(distance);
  if (size <= middle) return distance;
  const logarithm = Math.fround(Math.log(Math.fround(size / middle)));
  const whole = Math.fround(Math.log(Math.fround((maxDistance - 1) / middle)));
  const share = Math.fround(Math.fround(logarithm / whole) * (middle - 1));
  return Math.sign(distance) * (Math.ceil(share) + middle);
}
