import { OptionError, type Entity, type Extraction } from 'tromino';
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
  /** What an extractor is asked. */
  readonly questions: readonly string[];
  /** Answers to each question. */
  readonly topK: number | undefined;
  readonly json: boolean;
  /** Ends the command early, with everything it started closed. */
  readonly signal: AbortSignal;
}

/** What a model says, by what its head is. */
type RunAnswer =
  | ClassificationResult
  | GenerationResult
  | { readonly extractions: readonly Extraction[] }
  | { readonly entities: readonly Entity[] }
  | { readonly vector: readonly number[] };

/**
 * Runs a checkpoint on one input and prints its answer: a classifier's scores, a generator's continuation, an extractor's answers, a
 * tagger's entities, an embedder's vector.
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
    console.log(formatAnswer(answer, options.input));
    console.log(`${durationMs} ms for the first call`);
  }
  return 0;
}

async function answerOf(
  session: Session,
  { head }: LoadedModel,
  { input, maxNewTokens, questions, topK }: RunOptions,
): Promise<RunAnswer> {
  requireHead('--max-new-tokens', maxNewTokens !== undefined, head, 'generator');
  requireHead('--question', questions.length > 0, head, 'extractor');
  requireHead('--top-k', topK !== undefined, head, 'extractor');
  switch (head) {
    case 'generator':
      return session.request('generate', { input, maxNewTokens, stopTokens: undefined });
    case 'extractor': {
      if (questions.length === 0) throw new OptionError('--question', 'a question to the text', 'none');
      const text = requireText(input);
      return { extractions: await session.request('extract', { text, questions, topK }) };
    }
    case 'tagger':
      return { entities: await session.request('tag', { text: requireText(input) }) };
    case 'embedder':
      return { vector: await session.request('embed', { input }) };
    case 'classifier': {
      const [result] = await session.request('classify', { inputs: [input] });
      if (result === undefined) throw new Error('the classifier gave no answer');
      return result;
    }
  }
}

/** @throws OptionError for a flag that this model makes nothing of. */
function requireHead(flag: string, isGiven: boolean, head: string, needed: string): void {
  if (isGiven && head !== needed)
    throw new OptionError(flag, `a model with the head "${needed}"`, `"${head}"`);
}

/** What is found has places in a text. */
function requireText(input: RunOptions['input']): string {
  if (typeof input === 'string') return input;
  throw new OptionError('--text', 'a text for this model', '--ids');
}

function formatAnswer(answer: RunAnswer, input: RunOptions['input']): string {
  if ('scores' in answer) return formatClassification(answer);
  if ('extractions' in answer) return answer.extractions.map(formatExtraction).join('\n');
  if ('entities' in answer) return formatEntities(answer.entities);
  if ('vector' in answer) return formatVector(answer.vector);
  return formatGeneration(answer, input);
}

function formatExtraction({ question, answers, noAnswerScore }: Extraction): string {
  const rows = answers.map(({ text, start, end, score }) => [
    `  ${score.toFixed(4)}`,
    `${start}–${end}`,
    JSON.stringify(text),
  ]);
  return `${question}\n${formatTable([...rows, [`  ${noAnswerScore.toFixed(4)}`, '', 'no answer']])}`;
}

function formatEntities(entities: readonly Entity[]): string {
  const rows = entities.map(({ label, text, start, end, score }) => [
    `  ${score.toFixed(4)}`,
    label,
    `${start}–${end}`,
    JSON.stringify(text),
  ]);
  return `${formatTable(rows)}${rows.length > 0 ? '\n' : ''}${entities.length === 1 ? '1 entity' : `${entities.length} entities`}`;
}

/** Numbers of a vector that people are shown; `--json` has all. */
const shownNumbers = 8;

function formatVector(vector: readonly number[]): string {
  const shown = vector.slice(0, shownNumbers).map((value) => value.toFixed(5));
  const rest = vector.length > shownNumbers ? ' …' : '';
  return `  ${shown.join('  ')}${rest}\n${count(vector.length, 'number')}, length ${Math.hypot(...vector).toFixed(4)}`;
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
