import type { Answer, Extraction } from 'tromino';

/** Two answers to one question that are not the same. */
export interface Difference {
  readonly message: number;
  readonly question: string;
  /** The answers, undefined where the text is said not to have one. */
  readonly found: string | undefined;
  readonly expected: string | undefined;
  /** How far the smaller of the two leads is, in scores: what had to move to change the answer. */
  readonly margin: number;
}

/** How far two backends agree on a set of messages. */
export interface Agreement {
  readonly messages: number;
  readonly answers: number;
  readonly differing: number;
  /** Between scores of the same answer, or of there being none. */
  readonly largestScoreDifference: number;
  readonly smallestMarginOfDiffering: number | undefined;
  /** Of all answers: no difference of scores below half of it changes one. */
  readonly smallestMargin: number;
  readonly differences: readonly Difference[];
}

/** Compares what two backends say to the same messages, each question's two best answers. */
export function compareAnswers(
  found: readonly (readonly Extraction[])[],
  expected: readonly (readonly Extraction[])[],
): Agreement {
  const differences: Difference[] = [];
  const margins: number[] = [];
  let [answers, largestScoreDifference] = [0, 0];
  expected.forEach((extractions, message) => {
    extractions.forEach((mine, index) => {
      const theirs = found[message]?.[index];
      if (!theirs) throw new Error(`message ${message}, question ${index}: expected an answer, found none`);
      answers++;
      largestScoreDifference = Math.max(largestScoreDifference, scoreDifference(mine, theirs));
      margins.push(marginOf(mine), marginOf(theirs));
      const [one, other] = [chosen(mine), chosen(theirs)];
      if (one?.start === other?.start && one?.end === other?.end) return;
      const margin = Math.min(marginOf(mine), marginOf(theirs));
      differences.push({ message, question: mine.question, found: other?.text, expected: one?.text, margin });
    });
  });
  return {
    messages: expected.length,
    answers,
    differing: differences.length,
    largestScoreDifference,
    smallestMarginOfDiffering:
      differences.length > 0 ? Math.min(...differences.map(({ margin }) => margin)) : undefined,
    smallestMargin: Math.min(...margins),
    differences,
  };
}

/** The figures as lines to read. */
export function formatAgreement(agreement: Agreement): string {
  const { messages, answers, differing, largestScoreDifference, smallestMarginOfDiffering, smallestMargin } =
    agreement;
  return [
    `${messages} messages, ${answers} answers, ${differing} differing`,
    `largest difference of scores ${largestScoreDifference.toPrecision(3)}, smallest margin of an answer ${smallestMargin.toPrecision(3)}`,
    ...(smallestMarginOfDiffering === undefined
      ? []
      : [`smallest margin of a differing answer ${smallestMarginOfDiffering.toPrecision(3)}`]),
    ...agreement.differences.map(
      ({ message, question, found, expected, margin }) =>
        `message ${message}, "${question}": ${shown(found)}, expected ${shown(expected)} (margin ${margin.toPrecision(3)})`,
    ),
  ].join('\n');
}

function shown(answer: string | undefined): string {
  return answer === undefined ? 'not stated' : JSON.stringify(answer);
}

/** The answer that stands: undefined where none is better than there being none. */
function chosen({ answers: [best], noAnswerScore }: Extraction): Answer | undefined {
  return best && best.score > noAnswerScore ? best : undefined;
}

/** How far the best of answers and no answer is before the next. */
function marginOf({ answers, noAnswerScore }: Extraction): number {
  const [best = -Infinity, next = -Infinity] = [...answers.map(({ score }) => score), noAnswerScore].sort(
    (a, b) => b - a,
  );
  return best - next;
}

/** The largest difference between the scores of what both name. */
function scoreDifference(one: Extraction, other: Extraction): number {
  const scores = new Map(other.answers.map(({ start, end, score }) => [`${start}-${end}`, score]));
  const differences = one.answers.map(({ start, end, score }) =>
    Math.abs(score - (scores.get(`${start}-${end}`) ?? score)),
  );
  return Math.max(Math.abs(one.noAnswerScore - other.noAnswerScore), ...differences);
}
