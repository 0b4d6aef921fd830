/** What a load is busy with: small files and headers, weight bytes, compiling pipelines, or nothing any more. */
export type LoadPhase = 'files' | 'weights' | 'pipelines' | 'ready';

/** A step of a load. */
export interface LoadProgress {
  readonly phase: LoadPhase;
  /** Weight bytes read so far. */
  readonly loadedBytes: number;
  /** Weight bytes of the whole load; `undefined` while it is not known. Never below `loadedBytes`. */
  readonly totalBytes: number | undefined;
  /** From 0 to 1, never falling; `undefined` while the total is not known. Exactly 1 in the last report and only when all is read. */
  readonly fraction: number | undefined;
}

/** Hears of a load's steps. What it throws rejects the load. */
export type OnProgress = (progress: LoadProgress) => void;

/** Turns byte counts into reports that keep `LoadProgress`'s promises, whatever the lengths that a server stated. */
export class ProgressTracker {
  readonly #onProgress: OnProgress | undefined;
  #phase: LoadPhase = 'files';
  #loadedBytes = 0;
  #totalBytes: number | undefined;
  #fraction: number | undefined;

  constructor(onProgress: OnProgress | undefined) {
    this.#onProgress = onProgress;
  }

  /** Enters a phase and reports it. `totalBytes`, once known, holds for the rest of the load. */
  enter(phase: Exclude<LoadPhase, 'ready'>, totalBytes?: number): void {
    this.#phase = phase;
    this.#totalBytes = totalBytes ?? this.#totalBytes;
    this.#report();
  }

  /** Counts bytes that have arrived. */
  add(sizeBytes: number): void {
    this.#loadedBytes += sizeBytes;
    this.#report();
  }

  /** Reports the end: `ready`, at exactly 1. To be called once, when the load has succeeded. */
  finish(): void {
    this.#phase = 'ready';
    this.#totalBytes = this.#loadedBytes;
    this.#fraction = 1;
    this.#report();
  }

  #report(): void {
    if (this.#totalBytes !== undefined) {
      this.#totalBytes = Math.max(this.#totalBytes, this.#loadedBytes);
      const fraction = this.#totalBytes === 0 ? 1 : this.#loadedBytes / this.#totalBytes;
      this.#fraction = Math.max(this.#fraction ?? 0, fraction);
    }
    this.#onProgress?.({
      phase: this.#phase,
      loadedBytes: this.#loadedBytes,
      totalBytes: this.#totalBytes,
      fraction: this.#fraction,
    });
  }
}
