import { describe, expect, it } from 'vitest';
import { readBitNetQuantization } from '../formats/huggingface/bitnet_quantization.ts';
import { ConfigReader } from '../formats/huggingface/config_reader.ts';
import { GraphBuilder } from '../graph/builder.ts';
import { elementCount } from '../tensor/shape.ts';
import { addLinear } from './linear.ts';
import { ternaryShapes } from './ternary_linear.ts';
import { WeightList } from './weight_list.ts';

type Json = Readonly<Record<string, string | boolean | string[]>>;

function listFor(json: Json): WeightList {
  const bitnet = readBitNetQuantization(new ConfigReader('config.json', { quant_method: 'bitnet', ...json }));
  return new WeightList({ nf4: new Map(), bitnet });
}

const parts = [
  { module: 'a.q', rows: 8 },
  { module: 'a.k', rows: 4 },
  { module: 'a.v', rows: 4 },
];

/** Ops of a projection's nodes, with the first column that each writes. */
function nodesOf(list: WeightList, hasBias = false): (readonly [string, number | undefined])[] {
  const linear = list.stackedLinear('a.qkv', 20, parts, hasBias);
  const graph = new GraphBuilder(list.specs);
  const out = addLinear(graph, 'a.qkv', linear, graph.input('x', 'f32', [3, 20]));
  return graph
    .finish({ out })
    .nodes.map(({ op, problem }) => [op, problem['columnOffset'] as number | undefined] as const);
}

describe('a stack of ternary matrices', () => {
  it('is one product of rows that are rounded once', () => {
    const list = listFor({ linear_class: 'autobitlinear' });
    expect(nodesOf(list)).toEqual([
      ['quantize_activations', undefined],
      ['matmul_ternary', 0],
    ]);
    // 20 inputs are two words of 16 codes for each of 16 rows; one scale a matrix.
    expect(list.specs.map(({ name, shape, dtype }) => [name, shape, dtype])).toEqual([
      ['a.qkv.weight.codes', [2, 16], 'u32'],
      ['a.qkv.weight.scales', [3], 'f32'],
    ]);
  });

  it('takes two bits a weight and four bytes a matrix', () => {
    const { codes, scales } = ternaryShapes([{ module: 'q', rows: 576 }, { module: 'k', rows: 192 }, { module: 'v', rows: 192 }], 576);
    const sizeBytes = 4 * (elementCount(codes) + elementCount(scales));
    expect(sizeBytes).toBe((960 * 576) / 4 + 12);
    expect((sizeBytes * 8) / (960 * 576)).toBeLessThan(2.1);
  });

  it('is cut where a matrix between is dense, and still rounds its rows once', () => {
    const list = listFor({ modules_to_not_convert: ['a.k'] });
    expect(nodesOf(list, true)).toEqual([
      ['quantize_activations', undefined],
      ['matmul_ternary', 0],
      ['matmul', 8],
      ['matmul_ternary', 12],
    ]);
  });

  it('rounds rows for each matrix where each has a norm of its own', () => {
    const list = listFor({ use_rms_norm: true });
    const one = (column: number): (readonly [string, number | undefined])[] => [
      ['rms_norm_quantize', undefined],
      ['matmul_ternary', column],
    ];
    expect(nodesOf(list)).toEqual([...one(0), ...one(8), ...one(12)]);
    expect(list.specs.map(({ name }) => name)).toContain('a.k.rms_norm.weight');
  });

  it('scales its bias as its class does', () => {
    const flags = (json: Json): readonly unknown[] => {
      const piece = listFor(json).linear('a', 4, 4, true).pieces[0];
      return piece?.format === 'ternary' ? [piece.scaling, piece.scalesBias] : [];
    };
    expect(flags({ linear_class: 'autobitlinear' })).toEqual(['multiply', true]);
    expect(flags({ linear_class: 'autobitlinear', quantization_mode: 'online' })).toEqual(['multiply', false]);
    expect(flags({ linear_class: 'bitlinear' })).toEqual(['divide', false]);
  });

  it('names a matrix whose rows cannot be packed by fours', () => {
    expect(() => listFor({}).linear('a.up', 4, 6, false)).toThrow(
      'a.up.weight: expected rows in a multiple of 4, as ternary codes are packed, found 6',
    );
  });
});
