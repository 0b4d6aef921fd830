import type { GpuContext } from '../gpu/device.ts';
import { withErrorScopes } from '../gpu/error_scopes.ts';
import { createOwnedBuffer, type OwnedBuffer } from '../gpu/ledger.ts';
import type { DispatchStep } from '../plan/plan.ts';
import { throwIfAborted } from '../util/abort.ts';
import { must } from '../util/assert.ts';
import { UnsupportedError } from '../util/errors.ts';
import type { MemoryAccount } from '../util/memory_account.ts';
import { submitAndAwait } from './fence.ts';
import { dispatchesOf, type Recording } from './record.ts';
import { encodeDispatch } from './submit.ts';

/** How long one step took on the device. */
export interface StepProfile {
  readonly step: DispatchStep;
  /** Mean over the repeats whose span was possible; undefined if none was, or if the mean is below what the clock can tell. */
  readonly durationNs: number | undefined;
}

/** The steps of a run, each timed on the device in a compute pass of its own. */
export interface Profile {
  readonly steps: readonly StepProfile[];
  readonly repeats: number;
  /** Smallest step of the device's clock that was seen. Spans near it say little: repeat more. */
  readonly resolutionNs: number;
  /** Spans that were negative, and so thrown away. */
  readonly discardedSpans: number;
  /** From the first timestamp of a repeat to its last, mean over the repeats; passes of their own make it longer than a run. */
  readonly totalNs: number;
}

/** Timestamps that one query set may hold (WebGPU specification, `createQuerySet`). */
const maxQueries = 4096;

/**
 * Times every dispatch with the device's own clock. Browsers quantise it, to 65,536 ns or 100 µs if not told otherwise; the quantisation of many
 * repeats averages out, and the resolution is stated.
 * @throws UnsupportedError where the device was made without `timestamp-query`, or the plan has more steps than a query set can time;
 * OutOfMemoryError where the budget does not allow the timestamps.
 */
export async function profileRecording(
  context: GpuContext,
  account: MemoryAccount,
  recording: Recording,
  repeats: number,
  signal: AbortSignal | undefined,
): Promise<Profile> {
  const { device } = context;
  const dispatches = dispatchesOf(recording);
  const numQueries = dispatches.length * 2;
  if (!device.features.has('timestamp-query')) {
    throw new UnsupportedError(
      'timestamp-query',
      'load the model with profiling: true, on an adapter that has it',
    );
  }
  if (numQueries > maxQueries) {
    throw new UnsupportedError(
      'profile',
      `${dispatches.length} steps are too many, at most ${maxQueries / 2} can be timed`,
    );
  }
  const clock = await TimestampReader.create(context, account, numQueries);
  try {
    const runs: BigUint64Array[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      throwIfAborted(signal);
      const stamps = clock.read((encoder, querySet) => {
        dispatches.forEach((dispatch, index) => {
          const timestampWrites = {
            querySet,
            beginningOfPassWriteIndex: index * 2,
            endOfPassWriteIndex: index * 2 + 1,
          };
          const pass = encoder.beginComputePass({ timestampWrites });
          encodeDispatch(pass, dispatch);
          pass.end();
        });
      });
      runs.push(await context.guard(stamps));
    }
    return summarise(
      dispatches.map(({ step }) => step),
      runs,
    );
  } finally {
    clock.dispose();
  }
}

/**
 * Turns raw timestamps, a begin and an end for each step in each repeat, into a profile.
 * @param runs [repeats][steps * 2] in ns.
 */
export function summarise(steps: readonly DispatchStep[], runs: readonly BigUint64Array[]): Profile {
  let discardedSpans = 0;
  const resolutionNs = clockStepNs(runs);
  const profiles = steps.map((step, index) => {
    const spans = runs.flatMap((stamps) => {
      const span = Number(must(stamps[index * 2 + 1], 'end') - must(stamps[index * 2], 'begin'));
      if (span >= 0) return [span];
      discardedSpans++;
      return [];
    });
    const mean = spans.reduce((sum, span) => sum + span, 0) / spans.length;
    return { step, durationNs: mean > 0 ? mean : undefined };
  });
  const totals = runs.map((stamps) => Number((stamps.at(-1) ?? 0n) - (stamps[0] ?? 0n)));
  const totalNs = totals.reduce((sum, total) => sum + total, 0) / Math.max(totals.length, 1);
  return { steps: profiles, repeats: runs.length, resolutionNs, discardedSpans, totalNs };
}

/** The smallest difference between two different timestamps. */
function clockStepNs(runs: readonly BigUint64Array[]): number {
  let smallest = Infinity;
  for (const stamps of runs) {
    const sorted = [...stamps].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    sorted.forEach((stamp, i) => {
      const difference = i === 0 ? 0 : Number(stamp - must(sorted[i - 1], 'stamp'));
      if (difference > 0) smallest = Math.min(smallest, difference);
    });
  }
  return Number.isFinite(smallest) ? smallest : 0;
}

/** A query set with the buffers that bring its timestamps home. */
class TimestampReader {
  readonly #context: GpuContext;
  readonly #querySet: GPUQuerySet;
  readonly #resolved: OwnedBuffer;
  readonly #readback: OwnedBuffer;

  private constructor(
    context: GpuContext,
    querySet: GPUQuerySet,
    resolved: OwnedBuffer,
    readback: OwnedBuffer,
  ) {
    this.#context = context;
    this.#querySet = querySet;
    this.#resolved = resolved;
    this.#readback = readback;
  }

  static async create(context: GpuContext, account: MemoryAccount, count: number): Promise<TimestampReader> {
    const { device } = context;
    const sizeBytes = count * 8;
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    account.requireRoomFor('profile', { readback: sizeBytes * 2 });
    const create = (label: string, usage: GPUBufferUsageFlags): OwnedBuffer =>
      createOwnedBuffer(device, account, { label, category: 'readback', sizeBytes, usage });
    const make = (): TimestampReader => {
      const made: { destroy(): void }[] = [];
      const keep = <T extends { destroy(): void }>(one: T): T => {
        made.push(one);
        return one;
      };
      try {
        return new TimestampReader(
          context,
          keep(device.createQuerySet({ type: 'timestamp', count })),
          keep(create('timestamps', QUERY_RESOLVE | COPY_SRC)),
          keep(create('timestamps readback', MAP_READ | COPY_DST)),
        );
      } catch (error) {
        for (const one of made) one.destroy();
        throw error;
      }
    };
    return await withErrorScopes(device, 'profile', sizeBytes * 2, make, (refused) => {
      refused.dispose();
    });
  }

  async read(encode: (encoder: GPUCommandEncoder, querySet: GPUQuerySet) => void): Promise<BigUint64Array> {
    const { device } = this.#context;
    const { count } = this.#querySet;
    const resolved = this.#resolved.buffer;
    const readback = this.#readback.buffer;
    const submission = (): void => {
      const encoder = device.createCommandEncoder();
      encode(encoder, this.#querySet);
      encoder.resolveQuerySet(this.#querySet, 0, count, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, readback, 0, count * 8);
      device.queue.submit([encoder.finish()]);
    };
    await submitAndAwait(this.#context, 'profile', this.#resolved.sizeBytes, submission, () =>
      readback.mapAsync(GPUMapMode.READ),
    );
    const stamps = new BigUint64Array(readback.getMappedRange().slice(0));
    readback.unmap();
    return stamps;
  }

  dispose(): void {
    this.#querySet.destroy();
    this.#resolved.destroy();
    this.#readback.destroy();
  }
}
