import { locateCheckpoint } from '../checkpoint_location.ts';
import { count, describeAdapter, formatTable } from '../report.ts';
import { openSession } from '../sessions/open_session.ts';
import type { LoadedModel, StepTiming, StepTimings, StepTrace } from '../sessions/protocol.ts';
import type { BackendName, Session } from '../sessions/session.ts';

/** Options of `run --tap` and `run --profile`. */
export interface TraceOptions {
  readonly backend: BackendName;
  readonly input: string | readonly number[];
  /** What an extractor is asked: the first row that it reads for them is traced. */
  readonly questions: readonly string[];
  readonly json: boolean;
  /** Ends the command early, with everything it started closed. */
  readonly signal: AbortSignal;
}

/**
 * Prints what each step of a run wrote: its range, and a fingerprint of its bits. Two builds, or two backends, first differ at the first step
 * whose fingerprints do.
 *
 * @returns the exit code
 */
export function tap(folder: string, options: TraceOptions): Promise<number> {
  return withModel(folder, options, false, async (session, loaded) => {
    const { input, questions } = options;
    const steps = await session.request('tap', { input, questions });
    if (options.json) printJson({ folder, backend: options.backend, adapter: loaded.adapter, steps });
    else console.log(formatTraces(steps));
  });
}

/**
 * Prints how long each step of a run takes on the device's own clock, and how much each kernel takes of it.
 *
 * @returns the exit code
 */
export function profile(
  folder: string,
  options: TraceOptions & { readonly repeats: number },
): Promise<number> {
  return withModel(folder, options, true, async (session, loaded) => {
    const { input, questions, repeats } = options;
    const timings = await session.request('profile', { input, questions, repeats });
    if (options.json) printJson({ folder, backend: options.backend, adapter: loaded.adapter, ...timings });
    else {
      console.log(formatTimings(timings));
      if (loaded.adapter.isSoftware)
        console.log('These are times of a software adapter: they say nothing about a GPU.');
    }
  });
}

async function withModel(
  folder: string,
  options: TraceOptions,
  profiling: boolean,
  use: (session: Session, loaded: LoadedModel) => Promise<void>,
): Promise<number> {
  const location = locateCheckpoint(folder);
  await using session = await openSession(options.backend, options.signal);
  const source = session.sourceOf(location);
  const loaded = await session.request('load', { source, ropeFrequencies: 'f32', profiling });
  if (!options.json) {
    const { family, head, adapter } = loaded;
    console.log(`${family} ${head} · ${options.backend} on ${describeAdapter(adapter)}`);
  }
  await use(session, loaded);
  return 0;
}

function printJson(document: unknown): void {
  console.log(JSON.stringify(document, undefined, 2));
}

/** One line for each step. */
export function formatTraces(steps: readonly StepTrace[]): string {
  const rows = steps.map(({ label, variant, numValues, bits, least, greatest, numNotFinite }) => [
    `  ${bits}`,
    numNotFinite > 0 ? `${numNotFinite} not finite` : `${least.toPrecision(4)} … ${greatest.toPrecision(4)}`,
    String(numValues),
    variant,
    label,
  ]);
  return `${formatTable([['  bits', 'range', 'values', 'kernel', 'step'], ...rows])}\n${count(steps.length, 'step')}`;
}

/** One line for each step, one for each kernel, and what the clock can tell. */
export function formatTimings({
  steps,
  repeats,
  resolutionNs,
  totalNs,
  discardedSpans,
}: StepTimings): string {
  const rows = steps.map(({ label, variant, numWorkgroups, durationNs }) => [
    `  ${microseconds(durationNs)}`,
    String(numWorkgroups),
    variant,
    label,
  ]);
  return [
    formatTable([['  µs', 'workgroups', 'kernel', 'step'], ...rows]),
    formatTable([['  µs', 'steps', 'kernel'], ...byKernel(steps)]),
    `${microseconds(totalNs)} µs from the first step to the last, mean of ${count(repeats, 'repeat')}; the clock's steps are ${microseconds(resolutionNs)} µs`,
    ...(discardedSpans > 0 ? [`${discardedSpans} impossible spans were thrown away`] : []),
  ].join('\n');
}

/** Sums over the steps of each kernel, longest first. */
function byKernel(steps: readonly StepTiming[]): string[][] {
  const sums = new Map<string, { durationNs: number; steps: number }>();
  for (const { variant, durationNs } of steps) {
    const sum = sums.get(variant) ?? { durationNs: 0, steps: 0 };
    sums.set(variant, { durationNs: sum.durationNs + (durationNs ?? 0), steps: sum.steps + 1 });
  }
  return [...sums]
    .toSorted(([, a], [, b]) => b.durationNs - a.durationNs)
    .map(([variant, sum]) => [`  ${microseconds(sum.durationNs)}`, String(sum.steps), variant]);
}

/** Below what the clock can tell there is no figure. */
function microseconds(durationNs: number | undefined): string {
  return durationNs === undefined ? 'too short' : (durationNs / 1000).toFixed(1);
}
