import { loadClassifier, type Classifier, type LoadPhase, type Profile } from 'tromino';
import type { Engine } from './engine.ts';
import type { ProfileFacts, Row } from './result.ts';
import type { ExpectedScores } from './suite.ts';

/** Tromino as its users have it: through its public entry alone. Each load gets a device of its own, since the one before was disposed. */
export const trominoEngine: Engine = {
  name: 'Tromino',
  async load({ folder }, expected, section) {
    const clock = new PhaseClock();
    const model = await loadClassifier(new URL(folder, location.href), {
      backend: 'webgpu',
      ...(section.retainedPlans !== undefined && { retainedPlans: section.retainedPlans }),
      ...(section.layersPerSlice !== undefined && { layersPerSlice: section.layersPerSlice }),
      ...(section.variants && { variants: section.variants }),
      ...(section.profile && { profiling: true }),
      onProgress: ({ phase }) => {
        clock.enter(phase);
      },
    });
    const load = clock.stop();
    try {
      const prepareMs = section.prepared ? await timePrepare(model, expected) : undefined;
      const { text, ids } = expected;
      return {
        input: text === undefined ? 'ids' : 'text',
        loadMs: { ...load, ...(prepareMs !== undefined && { prepareMs }) },
        call: async () => (await model.classify(text ?? ids)).logits,
        profile: async (repeats) => profileFacts(await model.profile(text ?? ids, { repeats })),
        describe: () => {
          requireSameIds(model, expected);
          const { currentBytes, peakBytes } = model.memory();
          return { ...planFacts(model, ids.length), memory: { currentBytes, peakBytes } };
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
function requireSameIds({ tokenizer }: Classifier, { text, ids }: ExpectedScores): void {
  if (text === undefined) return;
  const found = tokenizer?.encode(text).ids ?? [];
  if (found.length !== ids.length || found.some((id, place) => id !== ids[place])) {
    throw new Error(`expected scores: the tokenizer makes other ids of the text than those stated`);
  }
}

async function timePrepare(model: Classifier, { ids }: ExpectedScores): Promise<number> {
  const start = performance.now();
  await model.prepare(ids.length);
  return performance.now() - start;
}

function planFacts(model: Classifier, numTokens: number): Required<Pick<Row, 'plan' | 'planBuildMs'>> {
  const start = performance.now();
  const { hash, steps, bytes } = model.plan(numTokens);
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
    const sum = (byVariant[step.variant] ??= { steps: 0, sumMs: 0 });
    sum.steps += 1;
    sum.sumMs += durationNs / 1e6;
  }
  return { totalMs: totalNs / 1e6, resolutionMs: resolutionNs / 1e6, repeats, discardedSpans, byVariant };
}
