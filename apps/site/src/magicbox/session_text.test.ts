import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MagicSession } from './magic_session.ts';
import { describeAnswers, describeState } from './session_text.ts';
import { fakeReader } from './testing.ts';

const example = { name: 'a call', text: 'call Ana at noon', questions: ['Ana?', '', 'Rome?', ' '] };

let session: MagicSession;
const settle = async (): Promise<void> => {
  await vi.advanceTimersByTimeAsync(1000);
};

beforeEach(() => {
  vi.useFakeTimers();
  session = new MagicSession();
  session.showExample(example);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('describeState', () => {
  it('counts what is stated of the questions that say something', async () => {
    expect(describeState(session)).toBe('no answers without the model');
    session.setReader(fakeReader());
    expect(describeState(session)).toBe('reading');
    await settle();
    expect(describeState(session)).toBe('1 of 2 stated in the text');
  });

  it('keeps the count while a question is edited, and counts what becomes empty no more', async () => {
    session.setReader(fakeReader());
    await settle();
    const [first] = session.questions;
    session.editQuestion(first?.id ?? -1, 'call?');
    expect(describeState(session)).toBe('0 of 2 stated in the text');
    session.editQuestion(first?.id ?? -1, '');
    await settle();
    expect(describeState(session)).toBe('0 of 1 stated in the text');
  });

  it('says what is missing where there is nothing to read or nothing to answer', async () => {
    session.setReader(fakeReader());
    await settle();
    session.setText(' ');
    await settle();
    expect(describeState(session)).toBe('no text to read');
    session.showExample({ ...example, questions: ['', ' '] });
    await settle();
    expect(describeState(session)).toBe('no question to answer');
  });

  it('says of a long text how much there is to read, also where older answers are there, until the new ones are', async () => {
    const reader = fakeReader();
    session.setReader(reader);
    await settle();
    reader.extent = { numWindows: 3, numRows: 6 };
    const said: string[] = [];
    session.listen({ changed: () => said.push(describeState(session)) });
    session.setText('call Ana at noon or Rome');
    await settle();
    expect(said).toEqual([
      '1 of 2 stated in the text',
      'reading a long text in 3 windows: 6 rows with the questions',
      '2 of 2 stated in the text',
    ]);
  });

  it('forgets how much there was to read when something else is asked', async () => {
    const reader = fakeReader();
    reader.ask = (_task, _signal, onExtent) => {
      onExtent?.({ numWindows: 3, numRows: 6 });
      return new Promise(() => undefined);
    };
    session.setReader(reader);
    await settle();
    expect(describeState(session)).toBe('reading a long text in 3 windows: 6 rows with the questions');
    session.setText('short');
    expect(describeState(session)).toBe('reading');
  });

  it('gives the model’s own words where it refuses', async () => {
    const reader = fakeReader();
    reader.error = Object.assign(new Error('questions[0]: too long'), { name: 'OptionError' });
    session.setReader(reader);
    await settle();
    expect(describeState(session)).toBe('questions[0]: too long');
  });
});

describe('describeAnswers', () => {
  it('says the answer to each question that was asked', async () => {
    expect(describeAnswers(session)).toBe('');
    session.setReader(fakeReader());
    await settle();
    expect(describeAnswers(session)).toBe('Ana? Ana. Rome? Not stated.');
    session.setText('');
    expect(describeAnswers(session)).toBe('');
  });
});
