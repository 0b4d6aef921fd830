import type { KernelVariant } from '../op.ts';
import type { MatmulProblem } from './contract.ts';
import tile16 from './matmul_tile16_f32_f32.wgsl?raw';
import tile2x2 from './matmul_tile2x2_f32_f32.wgsl?raw';
import tile4x4 from './matmul_tile4x4_f32_f32.wgsl?raw';
import matvec from './matvec_f32_f32.wgsl?raw';

/** Workgroups for tiles of `rows` by `columns` outputs. */
function tiles(rows: number, columns: number): (problem: MatmulProblem) => number {
  return ({ m, n }) => Math.ceil(m / rows) * Math.ceil(n / columns);
}

/** Up to four rows: 16 columns per workgroup, one invocation each. */
const matvecF32: KernelVariant<MatmulProblem> = {
  id: 'matvec_f32_f32',
  wgsl: matvec,
  requires: [],
  overrides: () => ({}),
  fits: ({ m }) => m <= 4,
  workgroups: ({ n }) => Math.ceil(n / 16),
};

/** 32 x 64 outputs per workgroup of 128, 4 x 4 per invocation; K in whole steps of 16, loaded as vec4. */
const tile4x4F32: KernelVariant<MatmulProblem> = {
  id: 'matmul_tile4x4_f32_f32',
  wgsl: tile4x4,
  requires: [],
  overrides: () => ({}),
  fits: ({ k }) => k % 16 === 0,
  workgroups: tiles(32, 64),
};

/** 32 x 32 outputs per workgroup of 256, 2 x 2 per invocation; any sizes. */
const tile2x2F32: KernelVariant<MatmulProblem> = {
  id: 'matmul_tile2x2_f32_f32',
  wgsl: tile2x2,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: tiles(32, 32),
};

/** The baseline: 16 x 16 outputs per workgroup of 256, one per invocation; any sizes. */
const tile16F32: KernelVariant<MatmulProblem> = {
  id: 'matmul_tile16_f32_f32',
  wgsl: tile16,
  requires: [],
  overrides: () => ({}),
  fits: () => true,
  workgroups: tiles(16, 16),
};

/** Best first. Flags are uniforms rather than overrides: a pipeline less to compile is worth more than a branch at the end. */
export const matmulVariants: readonly KernelVariant<MatmulProblem>[] = [
  matvecF32,
  tile4x4F32,
  tile2x2F32,
  tile16F32,
];
