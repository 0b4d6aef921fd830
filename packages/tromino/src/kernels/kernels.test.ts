import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCaps, foldWorkgroups, ops, type OpDefinition, type Problem } from './index.ts';

const definitions = Object.entries(ops) as unknown as readonly (readonly [string, OpDefinition<Problem>])[];

/** What WGSL type an operand's array may have, by its dtype. */
const elementTypes = { f32: ['f32', 'vec2f', 'vec4f'], u32: ['u32', 'vec2u', 'vec4u'] };

describe.each(definitions)('%s', (name, { contract, variants }) => {
  it('is registered under its own name and has variants', () => {
    expect(contract.op).toBe(name);
    expect(variants.length).toBeGreaterThan(0);
  });

  it('keeps to eight storage buffers', () => {
    expect(contract.operands.length).toBeLessThanOrEqual(8);
  });

  it.each(variants)('$id declares the uniform block as the contract has it', ({ wgsl }) => {
    const block = /struct Params \{([^}]*)\}/.exec(wgsl)?.[1] ?? '';
    const fields = [...block.matchAll(/(\w+): (\w+),/g)].map(([, field, type]) => ({ name: field, type }));
    expect(fields).toEqual(contract.params);
    expect(wgsl).toContain('@group(0) @binding(0) var<uniform> params: Params;');
  });

  it.each(variants)('$id declares the operands as the contract has them', ({ wgsl }) => {
    const pattern = /@group\(0\) @binding\((\d+)\) var<storage, (read|read_write)> (\w+): array<(\w+)>;/g;
    const declared = [...wgsl.matchAll(pattern)];
    expect(declared.map(([, binding, access, operand]) => [Number(binding), access, operand])).toEqual(
      contract.operands.map(({ name, role }, i) => [i + 1, role === 'output' ? 'read_write' : 'read', name]),
    );
    contract.operands.forEach(({ dtype }, i) => {
      expect(elementTypes[dtype]).toContain(declared[i]?.[4]);
    });
  });

  it.each(variants)('$id runs on default limits and leaves lengths to the uniforms', ({ wgsl, requires }) => {
    // What only some shader languages have is for variants beside one that does without.
    const languageFeatures = ['packed_4x8_integer_dot_product'];
    expect(requires.filter((feature) => !languageFeatures.includes(feature))).toEqual([]);
    expect(wgsl).not.toContain('arrayLength');
    expect(wgsl).not.toMatch(/^(enable|requires) /m);
    const size = /@workgroup_size\((\d+)(?:, (\d+))?\)/.exec(wgsl);
    expect(Number(size?.[1]) * Number(size?.[2] ?? 1)).toBeLessThanOrEqual(256);
  });
});

it('has a variant without requirements behind those that have some', () => {
  for (const [, { variants }] of definitions) expect(variants.at(-1)?.requires).toEqual([]);
});

it('gives every variant an id of its own', () => {
  const ids = definitions.flatMap(([, { variants }]) => variants.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
});

describe('foldWorkgroups', () => {
  it.each([
    [0, [1, 1]],
    [1, [1, 1]],
    [65_535, [65_535, 1]],
    [65_536, [32_768, 2]],
    [200_000, [50_000, 4]],
  ])('lays %i workgroups out as %j', (count, expected) => {
    expect(foldWorkgroups(count, defaultCaps)).toEqual(expected);
  });

  it('covers every workgroup, within the limit, with less than a row to spare', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_000_000_000 }), (count) => {
        const [x, y] = foldWorkgroups(count, defaultCaps);
        expect(x).toBeLessThanOrEqual(65_535);
        expect(x * y).toBeGreaterThanOrEqual(count);
        expect(x * y - count).toBeLessThan(Math.max(y, 1));
      }),
    );
  });
});
