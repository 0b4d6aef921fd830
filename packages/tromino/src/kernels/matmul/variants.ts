import type { KernelVariant } from '../op.ts';
import type { MatmulProblem } from './contract.ts';
import tile16 from './matmul_tile16_f32_f32.wgsl?raw';
import tile2x2 from './matmul_tile2x2_f32_f32.wgsl?raw';
import tile2x4 from './matmul_tile2x4_f32_f32.wgsl?raw';
import tile4x4 from './matmul_tile4x4_f32_f32.wgsl?raw';
import matvec from './matvec_f32_f32.wgsl?raw';
import matvecVec4 from './matvec_vec4_f32_f32.wgsl?raw';

/** Workgroups for tiles of `rows` by `columns` outputs. */
function tiles(rows: number, columns: number): (problem: MatmulProblem) => number {
  return ({ m, n }) => Math.ceil(m / rows) * Math.ceil(n / columns);
}

/** K beyond whole steps of 16 needs a check in the inner loop, which a pipeline of its own has. */
const kTail = ({ k }: MatmulProblem): Record<string, number> => ({ k_tail: k % 16 === 0 ? 0 : 1 });

/** Below this many tiles of 32 x 64, smaller tiles win; see `matmulVariants` for the measurement. */
const manyTiles = 256;

/** Up to four rows: one column per invocation, K in whole vec4. */
const matvecVec4F32: KernelVariant<MatmulProblem> = {
  id: 'matvec_vec4_f32_f32',
  wgsl: matvecVec4,
  requires: [],
  overrides: () => ({}),
  fits: ({ m, k }) => m <= 4 && k % 4 === 0,
  workgroups: ({ n }) => Math.ceil(n / 32),
};

/** Up to four rows: one column per invocation, any K. */
const matvecF32: KernelVariant<MatmulProblem> = {
  id: 'matvec_f32_f32',
  wgsl: matvec,
  requires: [],
  overrides: () => ({}),
  fits: ({ m }) => m <= 4,
  workgroups: ({ n }) => Math.ceil(n / 32),
};

/** 16 x 32 outputs per workgroup of 64, 2 x 4 per invocation; K in whole vec4. For outputs that larger tiles would cover too few times. */
const tile2x4F32: KernelVariant<MatmulProblem> = {
  id: 'matmul_tile2x4_f32_f32',
  wgsl: tile2x4,
  requires: [],
  overrides: kTail,
  fits: (p) => p.k % 4 === 0 && tiles(32, 64)(p) < manyTiles,
  workgroups: tiles(16, 32),
};

/** 32 x 64 outputs per workgroup of 128, 4 x 4 per invocation; K in whole vec4. */
const tile4x4F32: KernelVariant<MatmulProblem> = {
  id: 'matmul_tile4x4_f32_f32',
  wgsl: tile4x4,
  requires: [],
  overrides: kTail,
  fits: ({ k }) => k % 4 === 0,
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

/**
 * Best first: the first that fits is used. Flags are uniforms rather than overrides: a pipeline less to compile is worth more than a
 * branch at the end.
 *
 * The choice between the tiles is measured: µs per product on an NVIDIA H200 (132 multiprocessors) through Dawn, by how many tiles of
 * 32 x 64 the output is. Few workgroups wait for memory, whatever each of them does; many are held up by the reads of staged operands, of
 * which a 4 x 4 square needs fewer. The columns tile2x4 and tile4x4 are from candidates that guarded loads by branches; the kernels
 * clamp the row instead.
 *
 * | m x n x k       | tiles | tile2x4 | tile4x4 | tile2x2 | tile16 |
 * | --------------- | ----: | ------: | ------: | ------: | -----: |
 * | 346 x 128 x 128 |    22 |     8.0 |    12.7 |    14.0 |   13.5 |
 * | 111 x 768 x 768 |    48 |    19.8 |    40.7 |    60.1 |   69.6 |
 * | 346 x 576 x 576 |    99 |    21.0 |    31.7 |    56.4 |   91.6 |
 * | 346 x 576 x 1536 |   99 |    47.8 |    73.2 |   142.5 |  237.4 |
 * | 346 x 1024 x 256 |  176 |    22.5 |    24.2 |    35.8 |   70.8 |
 * | 111 x 3072 x 768 |  192 |    46.0 |    54.3 |   198.0 |  288.0 |
 * | 1024³            |  512 |   168.5 |   104.3 |   297.2 |  731.9 |
 * | 346 x 3072 x 576 |  528 |    98.1 |    61.9 |   169.7 |  415.2 |
 */
export const matmulVariants: readonly KernelVariant<MatmulProblem>[] = [
  matvecVec4F32,
  matvecF32,
  tile2x4F32,
  tile4x4F32,
  tile2x2F32,
  tile16F32,
];
