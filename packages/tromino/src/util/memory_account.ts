import { OutOfMemoryError } from './errors.ts';

/** What bytes are for. `readback` is the staging that scores come home in; `inputs` is what the host writes for each call. */
export const memoryCategories = [
  'weights',
  'workspace',
  'uniforms',
  'constants',
  'inputs',
  'readback',
] as const;
/** One of {@link memoryCategories}. */
export type MemoryCategory = (typeof memoryCategories)[number];

/** Bytes now and at the highest point so far. */
export interface MemoryUse {
  readonly currentBytes: number;
  readonly peakBytes: number;
}

/** All bytes of one owner, exact to the byte as requested from the device. */
export interface MemoryReport extends MemoryUse {
  readonly liveBuffers: number;
  readonly categories: Readonly<Record<MemoryCategory, MemoryUse>>;
}

/**
 * Counts the bytes that one model owns and refuses, before anything is allocated, what would go over its budget. Both backends count
 * here, so a report means the same on each.
 */
export class MemoryAccount {
  readonly #budgetBytes: number | undefined;
  readonly #current = new Map<MemoryCategory, number>();
  readonly #peak = new Map<MemoryCategory, number>();
  #currentBytes = 0;
  #peakBytes = 0;
  #liveBuffers = 0;

  constructor(budgetBytes?: number) {
    this.#budgetBytes = budgetBytes;
  }

  get currentBytes(): number {
    return this.#currentBytes;
  }

  /**
   * @param parts bytes by part that are about to be added to what is held.
   * @throws OutOfMemoryError naming needed and allowed bytes and the largest part.
   */
  requireRoomFor(subject: string, parts: Readonly<Record<string, number>>): void {
    const neededBytes = this.#currentBytes + Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
    if (this.#budgetBytes === undefined || neededBytes <= this.#budgetBytes) return;
    const [largest, largestBytes] = Object.entries(parts).reduce(
      (a, b) => (b[1] > a[1] ? b : a),
      ['nothing', 0],
    );
    throw new OutOfMemoryError(
      `${subject} (largest part: ${largest}, ${largestBytes} bytes)`,
      neededBytes,
      this.#budgetBytes,
    );
  }

  add(category: MemoryCategory, sizeBytes: number): void {
    const current = (this.#current.get(category) ?? 0) + sizeBytes;
    this.#current.set(category, current);
    this.#peak.set(category, Math.max(this.#peak.get(category) ?? 0, current));
    this.#currentBytes += sizeBytes;
    this.#peakBytes = Math.max(this.#peakBytes, this.#currentBytes);
    this.#liveBuffers++;
  }

  remove(category: MemoryCategory, sizeBytes: number): void {
    this.#current.set(category, (this.#current.get(category) ?? 0) - sizeBytes);
    this.#currentBytes -= sizeBytes;
    this.#liveBuffers--;
  }

  report(): MemoryReport {
    const use = (category: MemoryCategory): MemoryUse => ({
      currentBytes: this.#current.get(category) ?? 0,
      peakBytes: this.#peak.get(category) ?? 0,
    });
    return {
      currentBytes: this.#currentBytes,
      peakBytes: this.#peakBytes,
      liveBuffers: this.#liveBuffers,
      categories: {
        weights: use('weights'),
        workspace: use('workspace'),
        uniforms: use('uniforms'),
        constants: use('constants'),
        inputs: use('inputs'),
        readback: use('readback'),
      },
    };
  }
}
