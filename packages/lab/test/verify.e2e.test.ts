import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer } from '../src/server.ts';
import { copyOfFixture, fixture, tromino } from './tromino_command.ts';

const classifiers = ['llama-seqcls', 'llama-seqcls-sharded', 'qwen2-seqcls', 'qwen3-seqcls'];
const generators = [
  'llama-lm-tied',
  'llama-lm-bf16',
  'llama-lm-f16',
  'llama3-rope-lm',
  'qwen2-lm',
  'qwen3-lm-tied',
  'mistral-lm',
];

/** All of them where a run is cheap; the runtime's own tests have all of them on WebGPU. */
const fixturesByBackend = {
  cpu: [...classifiers, ...generators],
  webgpu: ['llama-seqcls', 'llama-seqcls-sharded', 'llama-lm-tied'],
  dawn: ['llama-seqcls', 'llama-lm-tied'],
};

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

describe('tromino verify', () => {
  it.each(['cpu', 'webgpu', 'dawn'] as const)(
    'passes test checkpoints on %s and names the adapter',
    async (backend) => {
      const fixtures = fixturesByBackend[backend];
      const { code, stdout, stderr } = await tromino([
        'verify',
        ...fixtures.map(fixture),
        '--backend',
        backend,
      ]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.match(/^ {2}passed: \d+ cases?, bound 1e-4$/gm)).toHaveLength(fixtures.length);
      expect(stdout.match(new RegExp(`${backend} on \\S+`, 'g'))).toHaveLength(fixtures.length);
      expect(stdout).toMatch(/batch of \d+ and \d+ tokens, padded left/);
      expect(stdout).toContain('24 greedy ids equal');
    },
  );

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

  it.each(['webgpu', 'cpu'])(
    'fails a checkpoint with one changed weight on %s, and still checks the others',
    async (backend) => {
      await using copy = await copyOfFixture('llama-seqcls');
      await setFirstWeight(copy.folder, 'model.layers.1.self_attn.o_proj.weight', 0.5);
      const { code, stdout } = await tromino([
        'verify',
        copy.folder,
        fixture('llama-seqcls-sharded'),
        '--backend',
        backend,
        '--json',
      ]);
      const { passed, results } = JSON.parse(stdout) as Verification;
      expect([code, passed, results.map((result) => result.passed)]).toEqual([1, false, [false, true]]);
    },
  );

  it('fails results that are not numbers', async () => {
    await using copy = await copyOfFixture('llama-lm-tied');
    await setFirstWeight(copy.folder, 'model.norm.weight', NaN);
    const { code, stdout } = await tromino(['verify', copy.folder, '--backend', 'cpu']);
    expect(code).toBe(1);
    expect(stdout).toContain('FAILED');
    expect(stdout).not.toContain('  ok ');
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
      'a head that comes later',
      '{"cases": [{"input_ids": [1], "attention_mask": [1], "start_logits": [1]}]}',
      /question answering: .*not supported yet/,
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

  it('verifies a checkpoint behind a URL that allows no other origin', async () => {
    await using server = await startServer();
    server.mount('/models/', { folder: fixture('llama-seqcls') });
    const { code, stdout, stderr } = await tromino(['verify', `${server.origin}/models`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('passed: 5 cases');
  });
});
