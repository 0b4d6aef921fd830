import { Action } from '@tromino/strata';
import { describe, expect, it } from 'vitest';
import { actionOfKey } from './keyboard.ts';

describe('actionOfKey', () => {
  it.each([
    ['ArrowLeft', Action.left],
    ['ArrowRight', Action.right],
    ['x', Action.rotateClockwise],
    ['Z', Action.rotateCounterClockwise],
    ['ArrowDown', Action.softDrop],
    [' ', Action.hardDrop],
    ['c', Action.hold],
    ['Tab', undefined],
    ['Enter', undefined],
  ])('%j is action %s', (key, action) => {
    expect(actionOfKey(key)).toBe(action);
  });
});
