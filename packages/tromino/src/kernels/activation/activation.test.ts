import { describe, expect, it } from 'vitest';
import { activate } from './functions.ts';
import { activationReference } from './reference.ts';

describe('activate', () => {
  // Computed with 30 digits.
  it.each([
    ['silu', 1, 0.731058578630005],
    ['silu', -2, -0.238405844044235],
    ['gelu', 1, 0.841344746068543],
    ['gelu', -0.5, -0.154268769362993],
    ['gelu', 3.9, 3.89981242425833],
    ['gelu', -4.5, -1.52895290612853e-5],
    ['gelu_tanh', 1, 0.841191990608277],
    ['gelu_tanh', -2, -0.045402305912225],
    ['relu', -3, 0],
    ['relu', 3, 3],
    ['relu_squared', -3, 0],
    ['relu_squared', 3, 9],
    ['tanh', 0.25, 0.244918662403709],
    ['tanh', -2, -0.964027580075817],
  ] as const)('%s of %f is %f', (activation, x, expected) => {
    expect(activate(activation, x)).toBeCloseTo(expected, 12);
  });

  it('keeps the relative precision of the tail of gelu', () => {
    expect(activate('gelu', -4.5) / -1.52895290612853e-5).toBeCloseTo(1, 10);
  });
});

it('activates every element', () => {
  const out = new Float32Array(4);
  activationReference({ length: 4, activation: 'relu' }, { x: Float32Array.of(1, -1, -0.5, 2), out });
  expect([...out]).toEqual([1, 0, 0, 2]);
});
