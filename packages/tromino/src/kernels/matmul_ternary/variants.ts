import type { KernelVariant } from '../op.ts';
import portable from '../portable.wgsl?raw';
import type { MatmulTernaryProblem } from './contract.ts';
import dot4Packed from './dot4_packed.wgsl?raw';
import dot4Plain from './dot4_plain.wgsl?raw';
import tile2x4 from './matmul_tile2x4_ternary_i8.wgsl?raw';
import matvec from './matvec_ternary_i8.wgsl?raw';

/** The WGSL language feature that has `dot4I8Packed`. */
const packedProducts = 'packed_4x8_integer_dot_product';

type Shared = Pick<KernelVariant<MatmulTernaryProblem>, 'overrides' | 'fits' | 'workgroups'>;

/** Up to four rows: one column per invocation. */
const rows4: Shared = {
  overrides: () => ({}),
  fits: ({ m }) => m <= 4,
  workgroups: ({ n }) => Math.ceil(n / 32),
};

/** 16 x 32 outputs per workgroup of 64, 2 x 4 per invocation. */
const tiles: Shared = {
  overrides: () => ({}),
  fits: () => true,
  workgroups: ({ m, n }) => Math.ceil(m / 16) * Math.ceil(n / 32),
};

/** Best first. Each kernel comes with both ways to multiply four bytes, which give the same integers. */
export const matmulTernaryVariants: readonly KernelVariant<MatmulTernaryProblem>[] = [
  {
    id: 'matvec_dot4_ternary_i8',
    wgsl: portable + dot4Packed + matvec,
    requires: [packedProducts],
    ...rows4,
  },
  { id: 'matvec_ternary_i8', wgsl: portable + dot4Plain + matvec, requires: [], ...rows4 },
  {
    id: 'matmul_tile2x4_dot4_ternary_i8',
    wgsl: portable + dot4Packed + tile2x4,
    requires: [packedProducts],
    ...tiles,
  },
  { id: 'matmul_tile2x4_ternary_i8', wgsl: portable + dot4Plain + tile2x4, requires: [], ...tiles },
];
