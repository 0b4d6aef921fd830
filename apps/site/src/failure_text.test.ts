import { describe, expect, it } from 'vitest';
import { describeFailure } from './failure_text.ts';

describe('describeFailure', () => {
  it.each([
    ['SourceError', 'The player is not here', false],
    ['FormatError', 'This is not a player of Strata', false],
    ['ShapeError', 'This is not a player of Strata', false],
    ['DeviceLostError', 'The GPU went away', true],
    ['OutOfMemoryError', 'Not enough GPU memory', true],
    ['UnsupportedError', 'This device cannot run the model', true],
    ['TypeError', 'The model stopped', true],
  ])('for a %s says "%s"', (name, title, offersCpu) => {
    expect(describeFailure({ name, message: 'm' })).toMatchObject({ title, offersCpu });
  });
});
