import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadClassifier, OptionError } from 'tromino';
import { expect, it } from 'vitest';
import type { Section } from './suite.ts';

const folder = join(import.meta.dirname, '../suites');

/** What the runtime says that it has, when asked for a variant that there is not. */
async function knownVariants(op: string): Promise<readonly string[]> {
  const refused = loadClassifier('http://localhost/', { backend: 'cpu', variants: { [op]: '?' } });
  const error: unknown = await refused.catch((reason: unknown) => reason);
  if (!(error instanceof OptionError)) throw new Error(`expected an OptionError, found ${String(error)}`);
  return /expected one of (.*), found/.exec(error.message)?.[1]?.split(', ') ?? [];
}

it.each(['matmul', 'matmul_nf4', 'matmul_ternary'])('measures every %s variant that there is', async (op) => {
  const suites = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const sections = suites.flatMap((text) => (JSON.parse(text) as { sections: readonly Section[] }).sections);
  const named = new Set(sections.flatMap(({ variants }) => variants?.[op] ?? []));
  expect([...named].toSorted()).toEqual((await knownVariants(op)).toSorted());
});
