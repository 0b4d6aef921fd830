import {
  loadClassifier,
  loadExtractor,
  type Classifier,
  type Extractor,
  type LoadOptions,
  type LoadPhase,
  type Profile,
  type RowOptions,
  type StepProfile,
  type TokenExtraction,
} from 'tromino';
import { flatAnswers } from './answers.ts';
import type { Engine } from './engine.ts';
import type { ProfileFacts, Row } from './result.ts';
import type { BenchTask, ExpectedScores, QuestionLayout, Section } from './suite.ts';

/** A model loaded for its task. */
interface TaskModel {
  readonly model: Classifier | Extractor;
  readonly call: () => Promise<ArrayLike<number>>;
}

/** Loads a model for a task, with the call that computes what the task wants of the input. */
const tasks: Readonly<
  Record<BenchTask, (folder: URL, expected: ExpectedScores, options: LoadOptions) => Promise<TaskModel>>
> = {
  classification: async (folder, { text, ids }, options) => {
    const model = await loadClassifier(folder, options);
    return { model, call: async () => (await model.classify(text ?? ids)).logits };
  },
  'span-logits': async (folder, { ids }, options) => {
    const model = await loadExtractor(folder, options);
    return { model, call: async () => startAndEnd(await model.spanLogits([{ ids }])) };
  },
  answers: async (folder, { ids, layout }, options) => {
    const model = await loadExtractor(folder, options);
    const search = { maxAnswerTokens: layout?.maxAnswerTokens ?? ids.length };
    return { model, call: async () => firstAnswers(await model.extractIds([{ ids }], search)) };
  },
};

/** Tromino as its users have it: through its public entry alone. Each load gets a device of its own, since the one before was disposed. */
export const trominoEngine: Engine = {
  name: 'Tromino',
  async load({ folder, task = 'classification' }, expected, section, say) {
    const clock = new PhaseClock();
    const { model, call } = await tasks[task](new URL(folder, location.href), expected, {
      ...loadOptions(section),
      onProgress: ({ phase, loadedBytes, totalBytes }) => {
        clock.enter(phase);
        say(
          totalBytes === undefined
            ? `load, ${phase}`
            : `load, ${phase}, ${loadedBytes} of ${totalBytes} bytes`,
        );
      },
    });
    const load = clock.stop();
    try {
      const prepareMs = section.prepared ? await timePrepare(model, expected) : undefined;
      const { text, ids } = expected;
      return {
        input: text === undefined ? 'ids' : 'text',
        loadMs: { ...load, ...(prepareMs !== undefined && { prepareMs }) },
        call,
        profile: async (repeats) => profileFacts(await model.profile(text ?? ids, { repeats })),
        describe: () => {
          requireSameIds(model, expected);
          const { currentBytes, peakBytes } = model.memory();
          return { ...planFacts(model, expected), memory: { currentBytes, peakBytes } };
        },
        dispose: () => {
          model.dispose();
          return Promise.resolve();
        },
      };
    } catch (error) {
      model.dispose();
      throw error;
    }
  },
};

function loadOptions({ retainedPlans, layersPerSlice, variants, profile }: Section): LoadOptions {
  return {
    backend: 'webgpu',
    ...(retainedPlans !== undefined && { retainedPlans }),
    ...(layersPerSlice !== undefined && { layersPerSlice }),
    ...(variants && { variants }),
    ...(profile && { profiling: true }),
  };
}

/** A start and an end score for each token, as the exported networks have them. */
function startAndEnd([logits]: Awaited<ReturnType<Extractor['spanLogits']>>): Float32Array {
  if (!logits) throw new Error('no scores for the input');
  const { start, end } = logits;
  return Float32Array.from(
    { length: 2 * start.length },
    (_, i) => (i % 2 === 0 ? start : end)[i >> 1] ?? NaN,
  );
}

/** The best answer to each question of the only row. */
function firstAnswers([row]: readonly (readonly TokenExtraction[])[]): readonly number[] {
  const answers = row?.map(({ answers: [best], noAnswerScore }) => {
    if (!best) throw new Error('a question without an answer');
    return { ...best, noAnswerScore };
  });
  return flatAnswers(answers ?? []);
}

/** Times a load's phases from the moments at which it reports them. */
class PhaseClock {
  readonly #start = performance.now();
  readonly #byPhaseMs: Record<string, number> = {};
  #phase: LoadPhase | undefined;
  #phaseStart = this.#start;

  enter(phase: LoadPhase): void {
    if (phase === this.#phase) return;
    this.#endPhase();
    this.#phase = phase;
  }

  stop(): { totalMs: number; byPhaseMs: Readonly<Record<string, number>> } {
    this.#endPhase();
    return { totalMs: performance.now() - this.#start, byPhaseMs: this.#byPhaseMs };
  }

  #endPhase(): void {
    const now = performance.now();
    if (this.#phase !== undefined && this.#phase !== 'ready') {
      this.#byPhaseMs[this.#phase] = (this.#byPhaseMs[this.#phase] ?? 0) + now - this.#phaseStart;
    }
    this.#phaseStart = now;
  }
}

/** Both engines must compute the same thing: the text that this one tokenises has to be the ids that the other gets. */
function requireSameIds({ tokenizer }: Classifier | Extractor, { text, ids }: ExpectedScores): void {
  if (text === undefined) return;
  const found = tokenizer?.encode(text).ids ?? [];
  if (found.length !== ids.length || found.some((id, place) => id !== ids[place])) {
    throw new Error(`expected scores: the tokenizer makes other ids of the text than those stated`);
  }
}

async function timePrepare(model: Classifier | Extractor, { ids, layout }: ExpectedScores): Promise<number> {
  const start = performance.now();
  await model.prepare(ids.length, rowOptions(layout));
  return performance.now() - start;
}

function rowOptions(layout: QuestionLayout | undefined): RowOptions {
  return layout ? { questionsPerRow: layout.markers.length } : {};
}

function planFacts(
  model: Classifier | Extractor,
  { ids, layout }: ExpectedScores,
): Required<Pick<Row, 'plan' | 'planBuildMs'>> {
  const start = performance.now();
  const { hash, steps, bytes } = model.plan(ids.length, rowOptions(layout));
  const planBuildMs = performance.now() - start;
  const variants: Record<string, number> = {};
  for (const step of steps) {
    if (step.kind === 'dispatch') variants[step.variant] = (variants[step.variant] ?? 0) + 1;
  }
  const numDispatches = steps.filter(({ kind }) => kind === 'dispatch').length;
  return { plan: { hash, numDispatches, variants, bytes: { ...bytes } }, planBuildMs };
}

function profileFacts({ steps, repeats, resolutionNs, discardedSpans, totalNs }: Profile): ProfileFacts {
  const byVariant: Record<string, { steps: number; sumMs: number }> = {};
  for (const { step, durationNs = 0 } of steps) {
    const sum = (byVariant[profileKey(step)] ??= { steps: 0, sumMs: 0 });
    sum.steps += 1;
    sum.sumMs += durationNs / 1e6;
  }
  return { totalMs: totalNs / 1e6, resolutionMs: resolutionNs / 1e6, repeats, discardedSpans, byVariant };
}

/** Products are told apart by their sizes, since those decide which variant is best. */
function profileKey({ variant, problem }: StepProfile['step']): string {
  const { m, n, k } = problem;
  return m === undefined || n === undefined || k === undefined
    ? variant
    : `${variant} ${[m, n, k].join(' x ')}`;
}
