import { FormatError } from 'tromino';
import { locateCheckpoint, readCheckpointJson, type CheckpointLocation } from '../checkpoint_location.ts';
import { parseGolden, type GoldenCase } from '../golden.ts';
import { count, describeAdapter, formatTable } from '../report.ts';
import type { GenerationResult, LoadedModel } from '../sessions/protocol.ts';
import { openSession } from '../sessions/open_session.ts';
import type { BackendName, Session } from '../sessions/session.ts';
import { failureLine } from '../failure.ts';

/** Options of the `verify` command. */
export interface VerifyOptions {
  readonly backend: BackendName;
  readonly json: boolean;
  /** Ends the command early, with everything it started closed. */
  readonly signal: AbortSignal;
}

/** How one case of a checkpoint compared with its reference. */
export interface CaseResult {
  readonly inputs: string;
  readonly output: GoldenCase['output'];
  /** Largest error relative to max(1, max |reference|); NaN if any output is not a number or is missing. */
  readonly maxError: number;
  readonly greedy: { readonly expected: readonly number[]; readonly found: readonly number[] } | undefined;
  readonly passed: boolean;
}

/** How one checkpoint compared with its references. */
export interface CheckpointResult {
  readonly folder: string;
  readonly backend: BackendName;
  readonly adapter: string | undefined;
  readonly model: string | undefined;
  readonly bound: number | undefined;
  readonly cases: readonly CaseResult[];
  readonly error: string | undefined;
  readonly passed: boolean;
}

/** Bounds on the relative error. BitNet's is wide because one rounded activation that flips moves everything after it. */
const defaultBound = 1e-4;
const bitnetBound = 5e-3;

/**
 * Runs each checkpoint's reference cases and compares. A checkpoint that cannot be compared has failed; the others still run.
 *
 * @returns the exit code: 0 if every case of every checkpoint passed, else 1
 */
export async function verify(
  folders: readonly string[],
  { backend, json, signal }: VerifyOptions,
): Promise<number> {
  await using session = await openSession(backend, signal);
  const results: CheckpointResult[] = [];
  for (const folder of folders) {
    const result = await verifyCheckpoint(session, folder, backend);
    signal.throwIfAborted();
    results.push(result);
    if (result.error !== undefined) console.error(result.error);
    if (!json) console.log(formatResult(result));
  }
  const passed = results.every((result) => result.passed);
  if (json) console.log(JSON.stringify({ passed, results }, undefined, 2));
  return passed ? 0 : 1;
}

/**
 * The reference of a 16-bit checkpoint comes from a model that was cast as a whole, rotary frequencies included, so that is how the
 * checkpoint is loaded here. It makes no difference to a 32-bit one.
 */
async function verifyCheckpoint(
  session: Session,
  folder: string,
  backend: BackendName,
): Promise<CheckpointResult> {
  let loaded: LoadedModel | undefined;
  let bound: number | undefined;
  const cases: CaseResult[] = [];
  let error: string | undefined;
  try {
    const location = locateCheckpoint(folder);
    const golden = parseGolden(await readCheckpointJson(location, 'golden.json'), `${folder}/golden.json`);
    bound = await boundOf(location);
    loaded = await session.request('load', {
      source: session.sourceOf(location),
      ropeFrequencies: 'as-stored',
    });
    for (const goldenCase of golden) cases.push(await runCase(session, goldenCase, bound));
  } catch (thrown) {
    error = failureLine(thrown);
  }
  return {
    folder,
    backend,
    adapter: loaded && describeAdapter(loaded.adapter),
    model: loaded && `${loaded.family} ${loaded.head}`,
    bound,
    cases,
    error,
    passed: error === undefined && cases.length > 0 && cases.every((result) => result.passed),
  };
}

async function boundOf(location: CheckpointLocation): Promise<number> {
  const config = (await readCheckpointJson(location, 'config.json')) as {
    quantization_config?: { quant_method?: unknown };
  } | null;
  return config?.quantization_config?.quant_method === 'bitnet' ? bitnetBound : defaultBound;
}

async function runCase(session: Session, goldenCase: GoldenCase, bound: number): Promise<CaseResult> {
  const { output, rows, reference, greedyIds } = goldenCase;
  const outputs =
    output === 'logits'
      ? (await session.request('classify', { inputs: rows })).map(({ scores }) =>
          scores.map(({ logit }) => logit),
        )
      : await session.request('lastLogits', { inputs: rows });
  const maxError = largestError(outputs, reference);
  const greedy = greedyIds && {
    expected: greedyIds,
    found: (await continueGreedily(session, goldenCase)).ids,
  };
  const idsAgree = greedy === undefined || sameIds(greedy.expected, greedy.found);
  return {
    inputs: describeInputs(goldenCase),
    output,
    maxError,
    greedy,
    passed: maxError <= bound && idsAgree,
  };
}

function continueGreedily(session: Session, { rows, greedyIds }: GoldenCase): Promise<GenerationResult> {
  const [input] = rows;
  if (input === undefined || rows.length > 1)
    throw new FormatError('golden.json', 'greedy ids are for a single row');
  return session.request('generate', { input, maxNewTokens: greedyIds?.length, stopTokens: [] });
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

function sameIds(expected: readonly number[], found: readonly number[]): boolean {
  return expected.length === found.length && expected.every((id, i) => id === found[i]);
}

function describeInputs({ rows, paddingSide }: GoldenCase): string {
  const lengths = rows.map(({ attentionMask }) => attentionMask.filter((bit) => bit !== 0).length);
  if (paddingSide === undefined) return count(lengths[0] ?? 0, 'token');
  return `batch of ${lengths.join(' and ')} tokens, padded ${paddingSide}`;
}

function formatResult(result: CheckpointResult): string {
  const heading = [result.folder, result.model, result.adapter && `${result.backend} on ${result.adapter}`]
    .filter(Boolean)
    .join(' · ');
  const table = formatTable(
    result.cases.map((one) => [
      '  ' + (one.passed ? 'ok' : 'FAILED'),
      one.inputs,
      one.output,
      formatError(one),
      formatGreedy(one),
    ]),
  );
  const failed = result.cases.filter((one) => !one.passed).length;
  const bound = result.bound === undefined ? '' : `, bound ${result.bound.toExponential(0)}`;
  const verdict = result.passed
    ? `  passed: ${count(result.cases.length, 'case')}${bound}`
    : `  FAILED: ${result.error === undefined ? `${failed} of ${count(result.cases.length, 'case')}${bound}` : 'see the error'}`;
  return [heading, ...(table === '' ? [] : [table]), verdict].join('\n');
}

function formatError({ maxError }: CaseResult): string {
  return Number.isNaN(maxError) ? 'not a number' : `error ${maxError.toExponential(1)}`;
}

function formatGreedy({ greedy }: CaseResult): string {
  if (greedy === undefined) return '';
  if (sameIds(greedy.expected, greedy.found)) return `${greedy.expected.length} greedy ids equal`;
  const first = greedy.expected.findIndex((id, i) => id !== greedy.found[i]);
  return `greedy id ${first}: expected ${String(greedy.expected[first])}, found ${String(greedy.found[first])}`;
}
