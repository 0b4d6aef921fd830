import { ops } from '../index.ts';
import { describeKernel, sizes } from '../testing/suite.ts';

describeKernel({
  definition: ops.add,
  problems: sizes(1000).map((length) => ({ length })),
  inputs: ({ length }, random, kind) => ({ a: random.floats(length, kind), b: random.floats(length, kind) }),
  always: [{ length: 255 }, { length: 257 }],
  folding: [{ length: 2500 }],
  twins: [{ variant: 'add_f32', from: 'a[i] + b[i]', to: 'a[i] - b[i]', problem: { length: 300 } }],
});
