import { answerError } from './answers.ts';
import type { Engine, LoadedModel, Say } from './engine.ts';
import { CallObserver, medianPhases, type ObservedCall } from './phases.ts';
import type { Row } from './result.ts';
import type { BenchModel, ExpectedScores, Section } from './suite.ts';

/** What a section's row says beside who ran what in which order. */
export type SectionOutcome = Omit<Row, 'model' | 'engine' | 'section' | 'earlierSections' | 'place'>;

/** What a section found, with the scores' bits for comparing it with others. */
export interface SectionRun {
  readonly outcome: SectionOutcome;
  readonly bits: Uint32Array | undefined;
}

/** Loads, calls and disposes. The first call counts: nothing warms up, and nothing but the call is inside its timer. */
export async function runSection(
  engine: Engine,
  model: BenchModel,
  expected: ExpectedScores,
  section: Section,
  numCalls: number,
  say: Say,
): Promise<SectionRun> {
  say('load');
  const loaded = await engine.load(model, expected, section, say);
  try {
    const facts = {
      input: loaded.input,
      numTokens: expected.ids.length,
      ...(expected.tolerance !== undefined && { tolerance: expected.tolerance }),
      loadMs: loaded.loadMs,
    };
    const noCalls = section.loadOnly === true || section.profile === true;
    const run = noCalls ? undefined : await callMany(loaded, section, numCalls, say);
    if (section.profile) say(`profile of ${numCalls} repeats`);
    const profile = section.profile ? await loaded.profile?.(numCalls) : undefined;
    const outcome = {
      ...facts,
      ...(run && { ...run.times, ...compareScores(run.calls, expected, model) }),
      ...(profile && { profile }),
      ...loaded.describe?.(),
    };
    return { outcome, bits: run?.calls.at(0) };
  } finally {
    await loaded.dispose();
  }
}

interface Calls {
  readonly times: Pick<SectionOutcome, 'callsMs' | 'phases' | 'counts'>;
  /** Bits of the scores, call by call. */
  readonly calls: readonly Uint32Array[];
}

async function callMany(loaded: LoadedModel, section: Section, numCalls: number, say: Say): Promise<Calls> {
  const call = section.phases ? callObserved : callTimed;
  return await call(loaded, numCalls, (index) => {
    say(`call ${index + 1} of ${numCalls}`);
  });
}

/** Hears of each call before it begins. */
type OnCall = (index: number) => void;

async function callTimed(loaded: LoadedModel, numCalls: number, onCall: OnCall): Promise<Calls> {
  const callsMs: number[] = [];
  const calls: Uint32Array[] = [];
  for (let index = 0; index < numCalls; index++) {
    onCall(index);
    const start = performance.now();
    const scores = await loaded.call();
    callsMs.push(performance.now() - start);
    calls.push(bitsOf(scores));
  }
  return { times: { callsMs }, calls };
}

async function callObserved(loaded: LoadedModel, numCalls: number, onCall: OnCall): Promise<Calls> {
  using observer = new CallObserver();
  const observed: ObservedCall[] = [];
  const calls: Uint32Array[] = [];
  for (let index = 0; index < numCalls; index++) {
    onCall(index);
    observed.push(await observer.observe(async () => calls.push(bitsOf(await loaded.call()))));
  }
  const [first, last] = [observed[0], observed.at(-1)];
  if (!first || !last) throw new Error('no call was observed');
  const steady = observed.slice(-Math.ceil(numCalls / 2)).map(({ phases }) => phases);
  return {
    times: {
      phases: { first: first.phases, steady: medianPhases(steady) },
      counts: { first: first.counts, steady: last.counts },
    },
    calls,
  };
}

/** The scores as 32-bit words, copied: an engine may use its memory again. */
function bitsOf(scores: ArrayLike<number>): Uint32Array {
  return new Uint32Array(Float32Array.from(scores).buffer);
}

/** Whether two runs gave the same bits. */
export function sameBits(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((word, place) => word === b[place]);
}

/** Compares every call with the expected scores and with the first call. */
function compareScores(
  calls: readonly Uint32Array[],
  expected: ExpectedScores,
  { task }: BenchModel,
): Required<Pick<SectionOutcome, 'maxError' | 'largestScore' | 'sameBitsEachCall'>> {
  const errorOf = task === 'answers' ? answerError : scoreError;
  const errors = calls.map((bits) => errorOf(new Float32Array(bits.slice().buffer), expected));
  const [first] = calls;
  return {
    // A NaN anywhere stays one: Math.max passes it on.
    maxError: Math.max(...errors),
    largestScore: Math.max(...expected.scores.map(Math.abs)),
    sameBitsEachCall: first !== undefined && calls.every((bits) => sameBits(bits, first)),
  };
}

function scoreError(found: Float32Array, { scores }: ExpectedScores): number {
  if (found.length !== scores.length) return Infinity;
  return Math.max(...scores.map((score, place) => Math.abs((found[place] ?? NaN) - score)));
}
