import type { Extraction, Extractor } from 'tromino';

/** A text with what is asked of it. */
export interface Message {
  readonly text: string;
  readonly questions: readonly string[];
}

/** Messages of a file of written ones, a line of JSON each; what their answers should be is left out. */
export function parseMessages(lines: string): Message[] {
  const objects = lines.split('\n').filter((line) => line.trim() !== '');
  return objects.map((line) => {
    const { text, questions } = JSON.parse(line) as { text: string; questions: { question: string }[] };
    return { text, questions: questions.map(({ question }) => question) };
  });
}

/** What a model says to a message: to each question its two best answers, as margins need them. */
export function answersTo(
  { text, questions }: Message,
  model: Pick<Extractor, 'extract'>,
): Promise<Extraction[]> {
  return model.extract(text, questions, { topK: answersPerQuestion });
}

/** Answers that `compareAnswers` needs of each question. */
export const answersPerQuestion = 2;
