import fc from 'fast-check';
import { ops } from '../index.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

const small = { numRows: 5, width: 70, sourceRows: 9 };

describeKernel({
  definition: ops.gather_rows,
  problems: fc.record({ numRows: sizes(40), width: sizes(200), sourceRows: sizes(40) }),
  inputs: ({ numRows, width, sourceRows }, random, kind) => ({
    x: random.floats(sourceRows * width, kind),
    rows: random.indices(numRows, sourceRows),
  }),
  always: [small, { numRows: 65_540, width: 3, sourceRows: 4 }],
  folding: [{ numRows: 50, width: 5, sourceRows: 5 }],
  twins: [{ variant: 'gather_rows_f32', from: 'rows[row] *', to: 'row *', problem: small }],
});
