import type { KernelVariant } from '../op.ts';
import type { MatmulNf4Problem } from './contract.ts';
import tile16 from './matmul_tile16_nf4_f32.wgsl?raw';
import tile2x4 from './matmul_tile2x4_nf4_f32.wgsl?raw';
import tile4x4 from './matmul_tile4x4_nf4_f32.wgsl?raw';
import matvec from './matvec_nf4_f32.wgsl?raw';

/** Workgroups for tiles of `rows` by `columns` outputs. */
function tiles(rows: number, columns: number): (problem: MatmulNf4Problem) => number {
  return ({ m, n }) => Math.ceil(m / rows) * Math.ceil(n / columns);
}

/** K beyond whole steps of 16 needs a check in the inner loop, which a pipeline of its own has. */
const kTail = ({ k }: MatmulNf4Problem): Record<string, number> => ({ k_tail: k % 16 === 0 ? 0 : 1 });

/** Rows are whole words of eight codes, which then have one scale: all matrices of the usual models. */
const hasWholeWords = ({ k }: MatmulNf4Problem): boolean => k % 8 === 0;

/** Below this many tiles of 32 x 64, smaller tiles win, as they do for `matmul`. */
const manyTiles = 256;

/** Up to four rows: one column per invocation. */
const matvecNf4F32: KernelVariant<MatmulNf4Problem> = {
  id: 'matvec_nf4_f32',
  wgsl: matvec,
  requires: [],
  overrides: () => ({}),
  fits: (p) => p.m <= 4 && hasWholeWords(p),
  workgroups: ({ n }) => Math.ceil(n / 32),
};

/** 16 x 32 outputs per workgroup of 64, 2 x 4 per invocation. For outputs that larger tiles would cover too few times. */
const tile2x4Nf4F32: KernelVariant<MatmulNf4Problem> = {
  id: 'matmul_tile2x4_nf4_f32',
  wgsl: tile2x4,
  requires: [],
  overrides: kTail,
  fits: (p) => hasWholeWords(p) && tiles(32, 64)(p) < manyTiles,
  workgroups: tiles(16, 32),
};

/** 32 x 64 outputs per workgroup of 128, 4 x 4 per invocation. */
const tile4x4Nf4F32: KernelVariant<MatmulNf4Problem> = {
  id: 'matmul_tile4x4_nf4_f32',
  wgsl: tile4x4,
  requires: [],
  overrides: kTail,
  fits: hasWholeWords,
  workgroups: tiles(32, 64),
};

/** The baseline: 16 x 16 outputs per workgroup of 256, one per invocation; any sizes. */
const tile16Nf4F32: KernelVariant<MatmulNf4Problem> = {
  id: 'matmul_tile16_nf4_f32',
  wgsl: tile16,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: tiles(16, 16),
};

/** Best first: the first that fits is used. They compute a tile's weights once, while staging it, and then multiply as `matmul`'s do. */
export const matmulNf4Variants: readonly KernelVariant<MatmulNf4Problem>[] = [
  matvecNf4F32,
  tile2x4Nf4F32,
  tile4x4Nf4F32,
  tile16Nf4F32,
];
