import { expect, it } from 'vitest';
import { timerResolution } from './environment.ts';

it('finds the step of a coarse clock', () => {
  let ticks = 0;
  const coarse = (): number => Math.floor(ticks++ / 7) * 0.125;
  expect(timerResolution(coarse)).toBe(0.125);
});
