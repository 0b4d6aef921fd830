/**
 * The mean of f32 values with the roundings of torch on a CPU: bitsandbytes takes scales relative to it, so another last bit changes them
 * all. Torch sums by 4 vectors of 8 lanes, in a cascade of partial sums, on one thread below 32,768 values; beyond, its order depends on
 * the machine and this is within a rounding or two.
 *
 * **Source** https://github.com/pytorch/pytorch, aten/src/ATen/native/cpu/SumKernel.cpp (`cascade_sum`).
 */
export function torchMean(values: Float32Array): number {
  return Math.fround(torchSum(values) / values.length);
}

const unrolled = 4;
const levels = 4;

function torchSum(values: Float32Array): number {
  const width = values.length < 8 ? 1 : 8;
  const lanes = unrolled * width;
  const whole = Math.floor(values.length / width) * width;
  const numRows = Math.floor(whole / lanes);
  const sums = cascade(values, numRows, lanes);
  for (let i = numRows * lanes; i < whole; i++) add(sums, i % width, values[i]);
  for (let i = width; i < lanes; i++) add(sums, i % width, sums[i]);
  let total = 0;
  for (const value of values.subarray(whole)) total = Math.fround(total + value);
  for (const sum of sums.subarray(0, width)) total = Math.fround(total + sum);
  return total;
}

/** Sums rows lane by lane. A full accumulator is emptied into the next level's, so that numbers of like size are added. */
function cascade(values: Float32Array, numRows: number, lanes: number): Float32Array {
  const accumulators = Array.from({ length: levels }, () => new Float32Array(lanes));
  const [first = new Float32Array(lanes), ...higher] = accumulators;
  const power = Math.max(4, Math.floor(Math.ceil(Math.log2(Math.max(1, numRows))) / levels));
  const step = 2 ** power;
  for (let row = 0; row < numRows; row++) {
    for (let lane = 0; lane < lanes; lane++) add(first, lane, values[row * lanes + lane]);
    const done = row + 1;
    if (done % step === 0) carry(accumulators, done, step);
  }
  for (const level of higher)
    level.forEach((sum, lane) => {
      add(first, lane, sum);
    });
  return first;
}

/** Empties accumulators upwards, up to the first that still has room. */
function carry(accumulators: readonly Float32Array[], done: number, step: number): void {
  let full = step;
  for (let level = 1; level < accumulators.length; level++) {
    const below = accumulators[level - 1];
    below?.forEach((sum, lane) => {
      add(accumulators[level], lane, sum);
    });
    below?.fill(0);
    full *= step;
    if (done % full !== 0) return;
  }
}

function add(sums: Float32Array | undefined, lane: number, value: number | undefined): void {
  if (sums) sums[lane] = (sums[lane] ?? 0) + (value ?? 0);
}
