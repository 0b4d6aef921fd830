import { describe, expect, it } from 'vitest';
import { describePlayerFailure, describeReaderFailure } from './failure_text.ts';

describe('describePlayerFailure', () => {
  it.each([
    ['SourceError', 'The player is not here', false],
    ['FormatError', 'This is not a player of Strata', false],
    ['ShapeError', 'This is not a player of Strata', false],
    ['DeviceLostError', 'The GPU went away', true],
    ['OutOfMemoryError', 'Not enough GPU memory', true],
    ['UnsupportedError', 'This device cannot run the model', true],
    ['TypeError', 'The model stopped', true],
  ])('for a %s says "%s"', (name, title, offersCpu) => {
    expect(describePlayerFailure({ name, message: 'm' })).toMatchObject({ title, offersCpu });
  });
});

describe('describeReaderFailure', () => {
  it('says of a refused checkpoint no more than is known: it may be refused before or behind an upload', () => {
    const advice = 'Its files were read, and what they hold was refused:';
    for (const describeFailure of [describePlayerFailure, describeReaderFailure])
      expect(describeFailure({ name: 'FormatError', message: 'm' }).advice).toBe(advice);
  });

  it.each([
    ['SourceError', 'MagicBox is not here', false],
    ['FormatError', 'This is not MagicBox', false],
    ['ShapeError', 'This is not MagicBox', false],
    ['DeviceLostError', 'The GPU went away', true],
    ['ScoreError', 'The model stopped', true],
  ])('for a %s says "%s"', (name, title, offersCpu) => {
    expect(describeReaderFailure({ name, message: 'm' })).toMatchObject({ title, offersCpu });
  });
});
