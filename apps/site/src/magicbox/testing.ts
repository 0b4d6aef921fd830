/** Stand-ins for tests. */
import type { Extraction } from 'tromino';
import { emptyMemory, playerInfo } from '../testing.ts';
import type { CallExtent } from '../model_protocol.ts';
import type { Reader } from './reader.ts';
import type { ReadingTask } from './reader_protocol.ts';

/** A reader that finds the question's own first word in the text, or says that it is not stated. */
export interface FakeReader extends Reader {
  readonly tasks: ReadingTask[];
  /** What the next calls fail with. */
  error: Error | undefined;
  /** What the next calls tell of themselves before they answer. */
  extent: CallExtent | undefined;
}

/** A new {@link FakeReader}. */
export function fakeReader(): FakeReader {
  const { backend, adapter } = playerInfo;
  return {
    info: { family: 'magicbox', backend, adapter, checkpointBytes: 1 },
    tasks: [],
    error: undefined,
    extent: undefined,
    ask(task, _signal, onExtent) {
      if (this.extent !== undefined) onExtent?.(this.extent);
      this.tasks.push(task);
      if (this.error !== undefined) return Promise.reject(this.error);
      const extractions = task.questions.map((question) => findWord(task.text, question));
      return Promise.resolve({
        extractions,
        durationMs: 7,
        memory: emptyMemory,
      });
    },
    dispose: () => undefined,
  };
}

function findWord(text: string, question: string): Extraction {
  const word = question.replace('?', '');
  const start = text.indexOf(word);
  const span =
    start < 0
      ? { text: text.slice(0, 1), start: 0, end: 1 }
      : { text: word, start, end: start + word.length };
  return { question, answers: [{ ...span, score: start < 0 ? -2 : 4 }], noAnswerScore: 1 };
}
