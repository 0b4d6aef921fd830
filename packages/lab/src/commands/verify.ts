import { SourceError, type RopeFrequencies } from 'tromino';
import { locateCheckpoint, readCheckpointJson } from '../checkpoint_location.ts';
import { failureLine } from '../failure.ts';
import { count, describeAdapter, formatTable } from '../report.ts';
import { openSession } from '../sessions/open_session.ts';
import type { LoadedModel } from '../sessions/protocol.ts';
import type { BackendName, Session } from '../sessions/session.ts';
import { runCase, sameIds, type CaseResult } from '../verification/compare.ts';
import { parseGolden, referenceError, type GoldenCase } from '../verification/golden.ts';

/** Options of the `verify` command. */
export interface VerifyOptions {
  readonly backend: BackendName;
  readonly json: boolean;
  /** Ends the command early, with everything it started closed. */
  readonly signal: AbortSignal;
}

/** How a checkpoint's cases compared, loaded in one way. */
interface Comparison {
  readonly loaded: LoadedModel;
  readonly ropeFrequencies: RopeFrequencies;
  readonly bound: number;
  readonly cases: readonly CaseResult[];
}

/** How one checkpoint compared with its references. */
interface CheckpointResult extends Partial<Omit<Comparison, 'loaded'>> {
  readonly folder: string;
  readonly backend: BackendName;
  readonly model?: string;
  readonly adapter?: string;
  /** One line that says why there is no comparison. */
  readonly error?: string;
  readonly passed: boolean;
}

/** The facts of a `config.json` that decide how its checkpoint is compared. */
type Config = {
  quantization_config?: { quant_method?: unknown };
  dtype?: unknown;
  torch_dtype?: unknown;
} | null;

/** Bounds on the relative error. BitNet's is wide because one rounded activation that flips moves everything after it. */
const defaultBound = 1e-4;
const bitnetBound = 5e-3;

/** A run in f32 may be this many times as far from the reference as the reference's own run in f32 is. */
const referenceErrors = 3;

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

async function verifyCheckpoint(
  session: Session,
  folder: string,
  backend: BackendName,
): Promise<CheckpointResult> {
  try {
    const { loaded, ...comparison } = await compareCheckpoint(session, folder);
    return {
      folder,
      backend,
      model: `${loaded.family} ${loaded.head}`,
      adapter: describeAdapter(loaded.adapter),
      ...comparison,
      passed: allPassed(comparison.cases),
    };
  } catch (error) {
    return { folder, backend, error: failureLine(error, folder), passed: false };
  }
}

/** Loads a checkpoint in each way that its reference may have been made, until all cases pass. */
async function compareCheckpoint(session: Session, folder: string): Promise<Comparison> {
  const location = locateCheckpoint(folder);
  const goldenFile = `${folder}/golden.json`;
  const config = (await readCheckpointJson(location, 'config.json')) as Config;
  const goldenJson = await readCheckpointJson(location, 'golden.json').catch((error: unknown) => {
    throw config?.quantization_config?.quant_method === 'bitsandbytes' ? withAdvice(error) : error;
  });
  const golden = parseGolden(goldenJson, goldenFile);
  const isBitNet = config?.quantization_config?.quant_method === 'bitnet';
  const bound = isBitNet
    ? Math.max(bitnetBound, referenceErrors * referenceError(goldenJson, goldenFile))
    : defaultBound;
  const source = session.sourceOf(location);
  const compare = async (ropeFrequencies: RopeFrequencies): Promise<Comparison> => {
    const loaded = await session.request('load', { source, ropeFrequencies });
    return { loaded, ropeFrequencies, bound, cases: await runCases(session, golden, bound) };
  };
  const comparison = await compare('f32');
  return allPassed(comparison.cases) || !isStoredIn16Bits(config) ? comparison : compare('as-stored');
}

/** Quantised folders are where references are missed: `quantize` copies none. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof SourceError)) return error;
  const problem = error.message.slice(`${error.file}: `.length);
  const advice = 'those of the original do not hold for a quantised copy, whose answers `tromino run` shows';
  return new SourceError(error.file, `${problem}; ${advice}`, { cause: error });
}

/** Of a 16-bit model there are two: as transformers loads it, and cast as a whole, which rounds its rotary frequencies too. */
function isStoredIn16Bits(config: Config): boolean {
  const dtype = config?.dtype ?? config?.torch_dtype;
  return dtype === 'bfloat16' || dtype === 'float16';
}

async function runCases(
  session: Session,
  golden: readonly GoldenCase[],
  bound: number,
): Promise<CaseResult[]> {
  const cases: CaseResult[] = [];
  for (const goldenCase of golden) cases.push(await runCase(session, goldenCase, bound));
  return cases;
}

function allPassed(cases: readonly CaseResult[]): boolean {
  return cases.length > 0 && cases.every(({ passed }) => passed);
}

function formatResult({ folder, backend, model, adapter, cases = [], ...result }: CheckpointResult): string {
  const heading = [folder, model, adapter && `${backend} on ${adapter}`].filter(Boolean).join(' · ');
  const table = cases.map((one) => [
    one.passed ? '  ok' : '  FAILED',
    one.inputs,
    one.output,
    formatError(one),
    formatGreedy(one),
  ]);
  return [
    heading,
    ...(table.length === 0 ? [] : [formatTable(table)]),
    `  ${formatVerdict(cases, result)}`,
  ].join('\n');
}

function formatVerdict(
  cases: readonly CaseResult[],
  {
    passed,
    error,
    bound,
    ropeFrequencies,
  }: Pick<CheckpointResult, 'passed' | 'error' | 'bound' | 'ropeFrequencies'>,
): string {
  if (error !== undefined) return 'FAILED: see the error';
  const how = ropeFrequencies === 'as-stored' ? ', rotary frequencies rounded as the weights are' : '';
  const measure = `${count(cases.length, 'case')}, bound ${bound?.toExponential(0) ?? 'none'}${how}`;
  return passed ? `passed: ${measure}` : `FAILED: ${cases.filter((one) => !one.passed).length} of ${measure}`;
}

function formatError({ maxError, error }: CaseResult): string {
  if (error !== undefined) return error;
  return Number.isNaN(maxError) ? 'not a number' : `error ${maxError.toExponential(1)}`;
}

function formatGreedy({ greedy }: CaseResult): string {
  if (greedy === undefined) return '';
  if (sameIds(greedy.expected, greedy.found)) return `${greedy.expected.length} greedy ids equal`;
  const first = greedy.expected.findIndex((id, i) => id !== greedy.found[i]);
  return `greedy id ${first}: expected ${String(greedy.expected[first])}, found ${String(greedy.found[first])}`;
}
