import { describeError } from '../failure.ts';
import { count } from '../report.ts';
import type { Session } from '../sessions/session.ts';
import type { GoldenCase } from './golden.ts';

/** How one case of a checkpoint compared with its reference. */
export interface CaseResult {
  readonly inputs: string;
  /** What was compared: fields of the case. */
  readonly output: string;
  /** Largest error relative to max(1, max |reference|); NaN if any output is not a number or is missing. */
  readonly maxError: number;
  readonly greedy?: { readonly expected: readonly number[]; readonly found: readonly number[] };
  /** What the runtime said instead of an answer. */
  readonly error?: string;
  readonly passed: boolean;
}

/** Runs one case on the model that the session has loaded, and compares. A case that throws has failed. */
export async function runCase(session: Session, goldenCase: GoldenCase, bound: number): Promise<CaseResult> {
  const output = goldenCase.references.map((reference) => reference.output).join(', ');
  const about = { inputs: describeInputs(goldenCase), output };
  try {
    const maxError = await errorOf(session, goldenCase);
    const found = await continueGreedily(session, goldenCase);
    const { greedyIds: expected } = goldenCase;
    const greedy = expected && found && { expected, found };
    const idsAgree = greedy === undefined || sameIds(greedy.expected, greedy.found);
    return { ...about, maxError, ...(greedy && { greedy }), passed: maxError <= bound && idsAgree };
  } catch (error) {
    return { ...about, maxError: NaN, error: describeError(error), passed: false };
  }
}

/** The largest error of all that the case has to compare; NaN if any is. */
async function errorOf(session: Session, { rows, references }: GoldenCase): Promise<number> {
  const errors: number[] = [];
  for (const { output, values } of references) {
    errors.push(largestError(await session.request('compute', { inputs: rows, output }), values));
  }
  return Math.max(...errors);
}

/** The ids that the model continues a case with, if the case has any to compare. */
async function continueGreedily(
  session: Session,
  { rows, greedyIds }: GoldenCase,
): Promise<readonly number[] | undefined> {
  const [input] = rows;
  if (input === undefined || greedyIds === undefined) return undefined;
  const request = { input, maxNewTokens: greedyIds.length, stopTokens: [] };
  return (await session.request('generate', request)).ids;
}

/**
 * The largest error of `outputs` relative to max(1, max |reference|). NaN, which passes no bound, if an output is not a finite
 * number or the two differ in shape.
 */
export function largestError(
  outputs: readonly (readonly number[])[],
  reference: readonly (readonly number[])[],
): number {
  const found = outputs.flat();
  const expected = reference.flat();
  const sameShape =
    outputs.length === reference.length && outputs.every((row, i) => row.length === reference[i]?.length);
  if (!sameShape || !found.every((value) => Number.isFinite(value))) return NaN;
  const scale = expected.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1);
  return (
    found.reduce((largest, value, i) => Math.max(largest, Math.abs(value - (expected[i] ?? NaN))), 0) / scale
  );
}

/** True for the same ids in the same order. */
export function sameIds(expected: readonly number[], found: readonly number[]): boolean {
  return expected.length === found.length && expected.every((id, i) => id === found[i]);
}

function describeInputs({ rows, paddingSide }: GoldenCase): string {
  const lengths = rows.map(({ attentionMask }) => attentionMask.filter((bit) => bit !== 0).length);
  if (paddingSide === undefined) return count(lengths[0] ?? 0, 'token');
  return `batch of ${lengths.join(' and ')} tokens, padded ${paddingSide}`;
}
