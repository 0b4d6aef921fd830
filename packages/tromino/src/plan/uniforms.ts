import { parameterBlockBytes, type OpContract, type Problem } from '../kernels/index.ts';
import { must } from '../util/assert.ts';

/** Gathers parameter blocks into one buffer. Layers of a model have equal blocks, and equal blocks are stored once. */
export class UniformBlocks {
  readonly #words: number[] = [];
  readonly #offsets = new Map<string, number>();
  readonly #alignmentWords: number;

  constructor(alignmentBytes: number) {
    this.#alignmentWords = alignmentBytes / 4;
  }

  /** @returns the block's offset in bytes, aligned as dynamic offsets must be. */
  add(contract: OpContract<Problem>, problem: Problem): number {
    const words = parameterWords(contract, problem);
    const key = words.join();
    const known = this.#offsets.get(key);
    if (known !== undefined) return known;
    const offsetBytes = this.#words.length * 4;
    this.#words.push(...words);
    while (this.#words.length % this.#alignmentWords !== 0) this.#words.push(0);
    this.#offsets.set(key, offsetBytes);
    return offsetBytes;
  }

  finish(): readonly number[] {
    return this.#words;
  }
}

/** One block's words, written and read through here: hundreds are made for a plan. */
const scratchWords = new Uint32Array(64);
const scratchFloats = new Float32Array(scratchWords.buffer);

function parameterWords(contract: OpContract<Problem>, problem: Problem): number[] {
  const values = contract.paramValues(problem);
  const count = parameterBlockBytes(contract) / 4;
  scratchWords.fill(0, 0, count);
  contract.params.forEach(({ name, type }, index) => {
    const value = must(values[index], `${contract.op} parameter ${name}`);
    if (type === 'f32') scratchFloats[index] = value;
    else scratchWords[index] = value;
  });
  return Array.from(scratchWords.subarray(0, count));
}
