import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOfFixture, fixture, tromino } from './tromino_command.ts';

const classifiers = [
  'llama-seqcls',
  'llama-seqcls-sharded',
  'llama-seqcls-nf4',
  'llama-seqcls-nf4-plain',
  'qwen2-seqcls',
  'qwen3-seqcls',
];
const encoders = [
  'bert-seqcls',
  'bert-tokencls',
  'bert-qa',
  'bert-embed',
  'distilbert-seqcls',
  'distilbert-qa',
  'roberta-seqcls',
  'roberta-qa',
  'xlmroberta-embed',
  'modernbert-seqcls',
  'modernbert-tokencls',
  'modernbert-qa',
  'mpnet-embed',
];
const generators = [
  'llama-lm-tied',
  'llama-lm-bf16',
  'llama-lm-f16',
  'llama3-rope-lm',
  'qwen2-lm',
  'qwen3-lm-tied',
  'mistral-lm',
  'gemma3-lm',
  'gpt2-lm',
];

interface Verification {
  readonly passed: boolean;
  readonly results: readonly {
    readonly passed: boolean;
    readonly adapter?: string;
    readonly model?: string;
    readonly bound?: number;
    readonly cases: readonly { readonly maxError: number | null; readonly passed: boolean }[];
  }[];
}

/** Overwrites the first float of a tensor in a checkpoint's only safetensors file. */
async function setFirstWeight(folder: string, tensor: string, value: number): Promise<void> {
  const file = join(folder, 'model.safetensors');
  const bytes = await readFile(file);
  const dataOffset = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, dataOffset)) as Record<
    string,
    { data_offsets: [number, number] }
  >;
  const start = header[tensor]?.data_offsets[0];
  if (start === undefined) throw new Error(`${tensor} is not in ${file}`);
  bytes.writeFloatLE(value, dataOffset + start);
  await writeFile(file, bytes);
}

/** A copy of a fixture with one weight changed. */
async function changedFixture(name: string, tensor: string, value: number): ReturnType<typeof copyOfFixture> {
  const copy = await copyOfFixture(name);
  await setFirstWeight(copy.folder, tensor, value);
  return copy;
}

describe('tromino verify', () => {
  it('passes every test checkpoint on the portable backend', async () => {
    const folders = [...classifiers, ...generators, ...encoders].map(fixture);
    const { code, stdout, stderr } = await tromino(['verify', ...folders, '--backend', 'cpu']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/^ {2}passed: \d+ cases?, bound 1e-4/gm)).toHaveLength(folders.length);
    expect(stdout.match(/ · cpu on the portable backend$/gm)).toHaveLength(folders.length);
    expect(stdout.match(/rotary frequencies rounded as the weights are$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/batch of 3 and 9 tokens, padded left/);
    expect(stdout.match(/24 greedy ids equal$/gm)).toHaveLength(3 * generators.length);
  });

  // One run for good and bad ones, since a browser's first call compiles every kernel.
  it('passes rows of several questions, and fails them with a changed head', async () => {
    await using wrong = await changedFixture('magicbox-tiny', 'pointer.end_token.weight', 0.5);
    const folders = [fixture('magicbox-tiny'), wrong.folder];
    const { code, stdout } = await tromino(['verify', ...folders, '--backend', 'cpu']);
    expect(code).toBe(1);
    expect(stdout.match(/^ {2}(passed|FAILED): .*$/gm)).toEqual([
      '  passed: 4 cases, bound 5e-3',
      expect.stringMatching(/^ {2}FAILED: \d of 4 cases, bound 5e-3$/),
    ]);
    expect(stdout).toMatch(/ok +39 tokens +start_logits, end_logits +error \de-7$|ok .*error \d\.\de-7$/m);
  });

  it('on webgpu tells good checkpoints from those with a changed weight, and names the adapter', async () => {
    await using wrong = await changedFixture('llama-seqcls', 'model.layers.1.self_attn.o_proj.weight', 0.5);
    await using broken = await changedFixture('llama-seqcls', 'model.norm.weight', NaN);
    const folders = [fixture('llama-seqcls'), wrong.folder, broken.folder, fixture('llama-lm-tied')];
    const { code, stdout, stderr } = await tromino(['verify', ...folders]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.match(/ · webgpu on \S+/g)).toHaveLength(4);
    expect(stdout.match(/^ {2}(passed|FAILED): .*$/gm)).toEqual([
      '  passed: 5 cases, bound 1e-4',
      expect.stringMatching(/^ {2}FAILED: \d of 5 cases, bound 1e-4$/),
      '  FAILED: 5 of 5 cases, bound 1e-4',
      '  passed: 3 cases, bound 1e-4',
    ]);
    expect(stdout.match(/ScoreError: score 0: expected a finite number, found NaN/g)).toHaveLength(5);
    expect(stdout.match(/24 greedy ids equal$/gm)).toHaveLength(3);
  });

  it('passes on Dawn and names the adapter', async () => {
    const { code, stdout, stderr } = await tromino(['verify', fixture('llama-seqcls'), '--backend', 'dawn']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^.* · llama classifier · dawn on \S+/);
    expect(stdout).toContain('passed: 5 cases, bound 1e-4');
  });

  it('fails a changed weight on the portable backend, and one wrong greedy id', async () => {
    await using wrong = await changedFixture('llama-seqcls', 'model.layers.1.self_attn.o_proj.weight', 0.5);
    await using greedy = await copyOfFixture('qwen2-lm');
    const golden = join(greedy.folder, 'golden.json');
    const reference = JSON.parse(await readFile(golden, 'utf8')) as { cases: { greedy: number[] }[] };
    reference.cases[0]?.greedy.splice(3, 1, 7);
    await writeFile(golden, JSON.stringify(reference));
    const { code, stdout } = await tromino(['verify', wrong.folder, greedy.folder, '--backend', 'cpu']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}FAILED: \d of 5 cases, bound 1e-4$/m);
    expect(stdout).toMatch(/FAILED +1 token +last_logits +error \S+ +greedy id 3: expected 7, found \d+$/m);
    expect(stdout).toMatch(/^ {2}FAILED: 1 of 3 cases, bound 1e-4$/m);
  });

  it('prints one JSON document that holds every case', async () => {
    const { code, stdout } = await tromino(['verify', fixture('llama-seqcls'), '--backend', 'cpu', '--json']);
    const { passed, results } = JSON.parse(stdout) as Verification;
    expect([code, passed, results.length]).toEqual([0, true, 1]);
    expect(results[0]).toMatchObject({
      passed: true,
      adapter: expect.stringContaining('portable backend') as string,
      model: 'llama classifier',
      bound: 1e-4,
    });
    expect(results[0]?.cases).toHaveLength(5);
    for (const { maxError, passed } of results[0]?.cases ?? [])
      expect([passed, maxError !== null && maxError <= 1e-4]).toEqual([true, true]);
  });

  it.each([
    ['a missing golden.json', undefined, /golden\.json: there is no such file/],
    [
      'a golden.json without cases',
      '{"source": "none", "cases": []}',
      /golden\.json: expected at least one case/,
    ],
    ['a golden.json that is not JSON', '<html>', /golden\.json: not JSON/],
    [
      'a golden.json with nothing to compare',
      '{"cases": [{"input_ids": [1], "attention_mask": [1]}]}',
      /found nothing to compare/,
    ],
    [
      'a golden.json whose tokens do not fit together',
      '{"cases": [{"input_ids": [1], "attention_mask": [1], "start_logits": [1, 2]}]}',
      /start_logits: expected length 1, found 2/,
    ],
  ])('fails %s with one line', async (_, content, message) => {
    await using copy = await copyOfFixture('llama-seqcls');
    const golden = join(copy.folder, 'golden.json');
    await (content === undefined ? rm(golden) : writeFile(golden, content));
    const { code, stdout, stderr } = await tromino(['verify', copy.folder, '--backend', 'cpu']);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(message)]);
    expect(stdout).toContain('FAILED: see the error');
  });
});
