import { OptionError } from 'tromino';
import { locateCheckpoint } from '../checkpoint_location.ts';
import { count, describeAdapter, formatTable } from '../report.ts';
import type { ClassificationResult, GenerationResult, LoadedModel } from '../sessions/protocol.ts';
import { openSession } from '../sessions/open_session.ts';
import type { BackendName, Session } from '../sessions/session.ts';

/** Options of the `run` command: a text or ids, never both. */
export interface RunOptions {
  readonly backend: BackendName;
  readonly input: string | readonly number[];
  readonly maxNewTokens: number | undefined;
  readonly json: boolean;
  /** Ends the command early, with everything it started closed. */
  readonly signal: AbortSignal;
}

/**
 * Runs a checkpoint on one input and prints its answer: a classifier's scores, or a generator's continuation.
 *
 * @returns the exit code
 */
export async function run(folder: string, options: RunOptions): Promise<number> {
  const location = locateCheckpoint(folder);
  await using session = await openSession(options.backend, options.signal);
  const loaded = await session.request('load', {
    source: session.sourceOf(location),
    ropeFrequencies: 'f32',
  });
  const started = performance.now();
  const answer = await answerOf(session, loaded, options);
  const durationMs = Math.round((performance.now() - started) * 10) / 10;
  const { head, family, adapter } = loaded;
  if (options.json) {
    console.log(
      JSON.stringify(
        { folder, family, head, backend: options.backend, adapter, durationMs, ...answer },
        undefined,
        2,
      ),
    );
  } else {
    console.log(`${family} ${head} · ${options.backend} on ${describeAdapter(adapter)}`);
    console.log('scores' in answer ? formatClassification(answer) : formatGeneration(answer, options.input));
    console.log(`${durationMs} ms for the first call`);
  }
  return 0;
}

async function answerOf(
  session: Session,
  { head }: LoadedModel,
  { input, maxNewTokens }: RunOptions,
): Promise<ClassificationResult | GenerationResult> {
  if (head === 'generator')
    return session.request('generate', { input, maxNewTokens, stopTokens: undefined });
  if (maxNewTokens !== undefined)
    throw new OptionError('--max-new-tokens', 'a generator', 'a classifier, which makes no new tokens');
  const [result] = await session.request('classify', { inputs: [input] });
  if (result === undefined) throw new Error('the classifier gave no answer');
  return result;
}

function formatClassification({ scores, numTokens, truncated }: ClassificationResult): string {
  const rows = scores
    .toSorted((a, b) => b.probability - a.probability)
    .map(({ label, logit, probability }) => [
      `  ${probability.toFixed(4)}`,
      label,
      `logit ${logit.toFixed(4)}`,
    ]);
  return `${formatTable(rows)}\n${count(numTokens, 'token')}${truncated ? ', truncated' : ''}`;
}

function formatGeneration({ ids, text, stopReason }: GenerationResult, input: RunOptions['input']): string {
  const continued = text === '' ? ids.join(',') : `${typeof input === 'string' ? input : ''}${text}`;
  return `${continued}\n${count(ids.length, 'new token')}, ended by ${endings[stopReason]}`;
}

const endings: Readonly<Record<GenerationResult['stopReason'], string>> = {
  length: 'the length limit',
  stop: 'a stop token',
  context: "the end of the model's positions",
};
