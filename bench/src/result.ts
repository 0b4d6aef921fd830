import type { CallPhases } from './phases.ts';

/** What a benchmark page found: where it ran, and a row for each section of each model. */
export interface BenchResult {
  readonly environment: Environment;
  readonly rows: readonly Row[];
}

/** Where a page ran. */
export interface Environment {
  readonly adapter: {
    readonly vendor: string;
    readonly architecture: string;
    readonly device: string;
    readonly description: string;
  };
  /** True where WebGPU runs on the CPU. Then rows have scores and no times. */
  readonly isSoftware: boolean;
  readonly browser: string;
  readonly crossOriginIsolated: boolean;
  /** Smallest step seen of the clock that times the calls. */
  readonly timerResolutionMs: number;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

/** What one section found. */
export interface Row {
  readonly model: string;
  readonly engine: string;
  /** The file that the engine ran, where it is not the model's folder. */
  readonly file?: string;
  /** The section's settings in words. */
  readonly section: string;
  /** How many sections of this engine ran in this page before, whatever the model: only a row with 0 is truly cold. */
  readonly earlierSections: number;
  /** Place among all sections of the page, from 1: shows what ran between two rows. */
  readonly place: number;
  /** Why there is nothing else. */
  readonly error?: string;
  /** What the timed call starts from. */
  readonly input?: 'text' | 'ids';
  readonly numTokens?: number;
  /** Largest difference from the expected scores, and the largest expected score. */
  readonly maxError?: number;
  readonly largestScore?: number;
  /** Error that the model may have, as a share of the largest score; that of f32 where it is left out. */
  readonly tolerance?: number;
  /** Whether every call of the section gave the same bits. */
  readonly sameBitsEachCall?: boolean;
  /** Whether the bits are those of the model's first Tromino section in this page. */
  readonly sameBitsAsFirst?: boolean;
  /** Facts about the engine's plan: variants used, dispatches, planned bytes. */
  readonly plan?: PlanFacts;
  /** Building the plan once more after the calls; no device is involved. */
  readonly planBuildMs?: number;
  /** Bytes that the engine says it holds. */
  readonly memory?: { readonly currentBytes: number; readonly peakBytes: number };
  /** Why there are no times. */
  readonly untimed?: string;
  readonly loadMs?: LoadTimes;
  /** Every call in order, first call included. */
  readonly callsMs?: readonly number[];
  readonly profile?: ProfileFacts;
  /** The first call and the median of the steady ones taken apart; counts are in {@link counts}. */
  readonly phases?: { readonly first: CallPhases; readonly steady: CallPhases };
  readonly counts?: {
    readonly first: Readonly<Record<string, number>>;
    readonly steady: Readonly<Record<string, number>>;
  };
}

/** The device's own times of the steps, which ran in a pass each: their shares count, not their sum. */
export interface ProfileFacts {
  readonly totalMs: number;
  readonly resolutionMs: number;
  readonly repeats: number;
  readonly discardedSpans: number;
  /** By variant, with the sizes of the product where the step is one; a step below the clock's resolution adds nothing to the sum. */
  readonly byVariant: Readonly<Record<string, { readonly steps: number; readonly sumMs: number }>>;
}

/** What a plan says, without running it. */
export interface PlanFacts {
  readonly hash: string;
  readonly numDispatches: number;
  /** Variant ids by op, with the number of dispatches that use each. */
  readonly variants: Readonly<Record<string, number>>;
  readonly bytes: Readonly<Record<string, number>>;
}

/** Load times, none of which is inside a call's. */
export interface LoadTimes {
  readonly totalMs: number;
  /** By the engine's own phases, where it tells. */
  readonly byPhaseMs: Readonly<Record<string, number>>;
  /** Compiling and allocating before the first call, where the section asks for it. */
  readonly prepareMs?: number;
}
