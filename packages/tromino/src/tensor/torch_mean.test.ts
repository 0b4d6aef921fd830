import { describe, expect, it } from 'vitest';
import { torchMean } from './torch_mean.ts';

/** Values whose sums are rounded at almost every step; exact integers below 2^24 as quotients of a power of two. */
function values(length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => ((i * 7_368_787 + 1_299_709) % 15_485_863) / 2 ** 24);
}

describe('torchMean', () => {
  // Computed by torch 2.13 on a CPU: (torch.arange(n, dtype=torch.int64) * 7368787 + 1299709).remainder(15485863).float().div(2**24).mean()
  it.each([
    [1, 0.07746869325637817],
    [5, 0.4020789563655853],
    [7, 0.47208112478256226],
    [8, 0.460930734872818],
    [27, 0.45419126749038696],
    [64, 0.4566701054573059],
    [150, 0.4621112644672394],
    [300, 0.4633149206638336],
    [1000, 0.46134263277053833],
    [5000, 0.4617290496826172],
    [13824, 0.4615112245082855],
    [30000, 0.46155980229377747],
  ])('has the last bit of torch for %i values', (length, expected) => {
    expect(torchMean(values(length))).toBe(Math.fround(expected));
  });
});
