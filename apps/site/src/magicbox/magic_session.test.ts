import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MagicSession } from './magic_session.ts';
import { fakeReader, type FakeReader } from './testing.ts';

const example = { name: 'a call', text: 'call Ana at noon', questions: ['Ana?', 'noon?', 'Rome?'] };

let session: MagicSession;
let reader: FakeReader;
const settle = async (): Promise<void> => {
  await vi.advanceTimersByTimeAsync(1000);
};
/** What each question is answered with; null is "not stated", undefined not known. */
const answers = (): (string | null | undefined)[] =>
  session.questions.map(({ id }) => {
    const finding = session.findingOf(id);
    return finding && (finding.isStated ? (finding.best?.text ?? '') : null);
  });
const lit = (): string[] => session.spans.map(({ start, end }) => session.text.slice(start, end));

beforeEach(() => {
  vi.useFakeTimers();
  session = new MagicSession();
  reader = fakeReader();
  session.showExample(example);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('MagicSession', () => {
  it('reads what is there as soon as it has a reader', async () => {
    await settle();
    expect([session.canRead, answers()]).toEqual([false, [undefined, undefined, undefined]]);
    session.setReader(reader);
    await settle();
    expect(reader.tasks).toEqual([{ text: 'call Ana at noon', questions: ['Ana?', 'noon?', 'Rome?'] }]);
    expect(answers()).toEqual(['Ana', 'noon', null]);
    expect(lit()).toEqual(['Ana', 'noon']);
  });

  it('reads again when the text rests, and keeps lit meanwhile what still stands there', async () => {
    session.setReader(reader);
    await settle();
    session.setText('call Bo or Ana at noon');
    session.setText('call Bo or Ana at no');
    expect([lit(), reader.tasks.length, session.isReading]).toEqual([['Ana'], 1, true]);
    await settle();
    expect(reader.tasks.slice(1).map(({ text }) => text)).toEqual(['call Bo or Ana at no']);
    expect(answers()).toEqual(['Ana', null, null]);
  });

  it('forgets the answer to a question that is edited, and asks the new one', async () => {
    session.setReader(reader);
    await settle();
    session.editQuestion(session.questions[0]?.id ?? -1, 'call?');
    expect(answers()).toEqual([undefined, 'noon', null]);
    await settle();
    expect(answers()).toEqual(['call', 'noon', null]);
  });

  it('adds and removes questions', async () => {
    session.setReader(reader);
    session.addQuestion('at?');
    session.removeQuestion(session.questions[1]?.id ?? -1);
    await settle();
    expect(session.questions.map(({ text }) => text)).toEqual(['Ana?', 'Rome?', 'at?']);
    expect(answers()).toEqual(['Ana', null, 'at']);
  });

  it('asks nothing where there is nothing to read or to ask', async () => {
    session.setReader(reader);
    await settle();
    session.setText('  ');
    await settle();
    expect([reader.tasks.length, answers()]).toEqual([1, [undefined, undefined, undefined]]);
    session.showExample({ ...example, questions: ['', ' '] });
    await settle();
    expect(reader.tasks.length).toBe(1);
  });

  it('leaves out a question that is empty, and gives the answers to those that are not', async () => {
    session.showExample({ ...example, questions: ['', 'noon?'] });
    session.setReader(reader);
    await settle();
    expect(reader.tasks.at(-1)?.questions).toEqual(['noon?']);
    expect(answers()).toEqual([undefined, 'noon']);
  });

  it('shows what the model refuses, and reads on when that is mended', async () => {
    session.setReader(reader);
    await settle();
    reader.error = Object.assign(new Error('questions[0]: too long'), { name: 'OptionError' });
    session.setText('noon');
    await settle();
    expect([session.refusal, session.canRead]).toEqual(['questions[0]: too long', true]);
    reader.error = undefined;
    session.setText('noon!');
    expect(session.refusal).toBe(undefined);
    await settle();
    expect(answers()).toEqual([null, 'noon', null]);
  });

  it('tells of a failure and is without a reader then', async () => {
    const failed: unknown[] = [];
    session.listen({ failed: (error) => failed.push(error) });
    reader.error = Object.assign(new Error('gone'), { name: 'DeviceLostError' });
    session.setReader(reader);
    await settle();
    expect(failed).toEqual([reader.error]);
    expect(session.canRead).toBe(false);
    session.setText('call Bo');
    await settle();
    expect(reader.tasks.length).toBe(1);
  });

  it('tells of answers with what they took', async () => {
    const durations: number[] = [];
    session.listen({ answered: ({ durationMs }) => durations.push(durationMs) });
    session.setReader(reader);
    await settle();
    expect(durations).toEqual([7]);
  });
});
