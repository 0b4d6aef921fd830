import {
  ops,
  type DeviceCaps,
  type KernelVariant,
  type OpDefinition,
  type OpName,
  type Problem,
} from '../kernels/index.ts';
import { describe } from '../util/describe.ts';
import { OptionError, UnsupportedError } from '../util/errors.ts';

/** Variants that the caller insists on, by op. */
export type VariantChoice = Readonly<Partial<Record<OpName, string>>>;

/** @throws OptionError for an op or a variant that does not exist. */
export function checkVariantChoice(choice: VariantChoice): void {
  if (typeof choice !== 'object' || (choice as unknown) === null) {
    throw new OptionError('variants', 'an object of op and variant', describe(choice));
  }
  for (const [op, id] of Object.entries(choice)) {
    if (!Object.hasOwn(ops, op))
      throw new OptionError('variants', `ops among ${Object.keys(ops).join(', ')}`, op);
    const ids = ops[op as OpName].variants.map((variant) => variant.id);
    if (!ids.includes(id)) throw new OptionError(`variants.${op}`, `one of ${ids.join(', ')}`, describe(id));
  }
}

/** The wanted variant where it fits this problem, else the first of the op's list that does. */
export function chooseVariant(
  op: OpName,
  problem: Problem,
  caps: DeviceCaps,
  choice: VariantChoice,
): KernelVariant<Problem> {
  const definition: OpDefinition<Problem> = ops[op];
  const features = new Set([...caps.features, ...caps.languageFeatures]);
  const fits = definition.variants.filter(
    (variant) => variant.requires.every((feature) => features.has(feature)) && variant.fits(problem, caps),
  );
  const chosen = fits.find((variant) => variant.id === choice[op]) ?? fits[0];
  if (chosen) return chosen;
  throw new UnsupportedError(
    op,
    `no kernel computes ${JSON.stringify(problem)} within this adapter's limits`,
  );
}

/** A variant by its id, as a plan names it. */
export function variantById(op: OpName, id: string): KernelVariant<Problem> {
  const definition: OpDefinition<Problem> = ops[op];
  const variant = definition.variants.find((candidate) => candidate.id === id);
  if (variant) return variant;
  throw new UnsupportedError(op, `no kernel variant is called ${id}`);
}
