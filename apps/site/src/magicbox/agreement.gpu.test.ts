import { loadExtractor, type Extraction, type Extractor } from 'tromino';
import { beforeAll, expect, it } from 'vitest';
import { examples } from './examples.ts';

/** A text and what to ask of it. */
interface Message {
  readonly text: string;
  readonly questions: readonly string[];
}

/** Of a template and with questions that training did not see. */
const generated: readonly Message[] = [
  {
    text: 'Yesterday I got my salary, so now I can pay Mrs. Fischer back. three lei, please. Reference bus pass.',
    questions: ['tell me the purpose', 'how much should go out?', 'which account is it from?'],
  },
];

/** Lines of the hand-written messages with an answer so close to another that it used to depend on the order of roundings. */
const closeCalls = [4, 15, 27, 45];

let messages: readonly Message[];
let device: Extractor;
let portable: Extractor;

beforeAll(async () => {
  const address = (path: string): string => new URL(path, location.origin).href;
  const source = address('/models/magicbox/');
  [device, portable] = (await Promise.all(
    (['webgpu', 'cpu'] as const).map((backend) => loadExtractor(source, { backend })),
  )) as [Extractor, Extractor];
  const response = await fetch(address('/training/magicbox/handwritten/dev.jsonl'));
  const lines = (await response.text()).split('\n');
  const written = closeCalls.map((line): Message => {
    const { text, questions } = JSON.parse(lines[line] ?? '') as {
      text: string;
      questions: { question: string }[];
    };
    return { text, questions: questions.map(({ question }) => question) };
  });
  messages = [...written, ...examples.slice(1, 2), ...generated];
  return () => {
    device.dispose();
    portable.dispose();
  };
});

/** The answer that stands, or that there is none. */
function chosen({ answers: [best], noAnswerScore }: Extraction): string {
  return best && best.score > noAnswerScore ? `${best.start}-${best.end} ${best.text}` : 'not stated';
}

it('answers every question as the portable backend does', async () => {
  let answers = 0;
  for (const { text, questions } of messages) {
    const [found, expected] = await Promise.all([
      device.extract(text, questions),
      portable.extract(text, questions),
    ]);
    expect(found.map(chosen), text).toEqual(expected.map(chosen));
    found.forEach(({ noAnswerScore }, i) => {
      expect(noAnswerScore).toBeCloseTo(expected[i]?.noAnswerScore ?? NaN, 4);
    });
    answers += found.length;
  }
  expect(answers).toBe(23);
}, 400_000);

it('computes the bits of the portable backend in every step of every layer', async () => {
  const [row] = device.encode('dentist asap pls', ['reason?']);
  const expected: Float32Array[] = [];
  await portable.tap(row ?? [], ({ values }) => void expected.push(values));
  const differing: string[] = [];
  let steps = 0;
  await device.tap(row ?? [], ({ index, step, values }) => {
    steps++;
    if (!sameBits(values, expected[index])) differing.push(step.label);
  });
  // What comes behind the last layer is in f32 on one side and f64 on the other.
  expect(differing.filter((label) => !['model.norm', 'pointer', 'logits', 'spans'].includes(label))).toEqual(
    [],
  );
  expect(steps).toBe(181);
});

function sameBits(found: Float32Array, expected: Float32Array | undefined): boolean {
  if (found.length !== expected?.length) return false;
  const [mine, theirs] = [found, expected].map(
    ({ buffer, byteOffset, length }) => new Uint32Array(buffer, byteOffset, length),
  ) as [Uint32Array, Uint32Array];
  return mine.every((word, i) => word === theirs[i]);
}
