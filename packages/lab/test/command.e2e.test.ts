import { existsSync } from 'node:fs';
import { chmod, copyFile, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { startServer } from '../src/server.ts';
import { copyOfFixture, fixture, startTromino, temporaryFolder, tromino } from './tromino_command.ts';

const backends = ['webgpu', 'dawn', 'cpu'];

describe('tromino run', () => {
  it.each(backends)("prints a classifier's scores for token ids on %s", async (backend) => {
    const { code, stdout, stderr } = await tromino([
      'run',
      fixture('llama-seqcls'),
      '--ids',
      '5,9,2',
      '--backend',
      backend,
      '--json',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answer = JSON.parse(stdout) as {
      scores: { label: string; probability: number }[];
      head: string;
      numTokens: number;
      label: string;
    };
    expect(answer).toMatchObject({
      family: 'llama',
      head: 'classifier',
      backend,
      numTokens: 3,
      truncated: false,
    });
    expect(answer.scores.map(({ label }) => label)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `LABEL_${i}`),
    );
    expect(answer.scores.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 5);
    const best = answer.scores.toSorted((a, b) => b.probability - a.probability)[0];
    expect(answer.label).toBe(best?.label);
  });

  it('continues ids with a generator, as many as asked for', async () => {
    const golden = JSON.parse(await readFile(join(fixture('llama-lm-tied'), 'golden.json'), 'utf8')) as {
      cases: { input_ids: number[]; greedy: number[] }[];
    };
    const [first] = golden.cases;
    const args = ['--ids', String(first?.input_ids), '--max-new-tokens', '5', '--backend', 'cpu', '--json'];
    const { code, stdout } = await tromino(['run', fixture('llama-lm-tied'), ...args]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ids: first?.greedy.slice(0, 5), stopReason: 'length' });
  });

  it('says in one line that a checkpoint without a tokenizer takes no text', async () => {
    const { code, stdout, stderr } = await tromino([
      'run',
      fixture('llama-seqcls'),
      '--text',
      'hello',
      '--backend',
      'cpu',
    ]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('tokenizer')]);
  });
});

describe('tromino run --tap and --profile', () => {
  const seqcls = [fixture('llama-seqcls'), '--ids', '5,9,2'];

  it.each(['dawn', 'cpu'])(
    'shows every step with the bits that it wrote on %s, the same each time',
    async (backend) => {
      const [first, second] = await Promise.all(
        [1, 2].map(() => tromino(['run', ...seqcls, '--tap', '--json', '--backend', backend])),
      );
      expect(first).toMatchObject({ code: 0, stderr: '' });
      const { steps } = JSON.parse(first?.stdout ?? '') as {
        steps: { label: string; bits: string; numValues: number }[];
      };
      expect(steps.map(({ label }) => label).filter((label) => !label.startsWith('model.layers.'))).toEqual([
        'model.embed_tokens',
        'model.norm',
        'score',
      ]);
      expect(steps.at(-1)).toMatchObject({
        numValues: 8,
        bits: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
      });
      expect(second?.stdout).toBe(first?.stdout);
    },
  );

  it("times every step on the device's own clock, and says what the adapter is", async () => {
    const args = ['--profile', '--repeats', '2', '--backend', 'dawn'];
    const { code, stdout } = await tromino(['run', ...seqcls, ...args]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/mean of 2 repeats; the clock's steps are [\d.]+ µs/);
    expect(stdout).toMatch(/matvec_vec4_f32_f32 +model.layers.0.self_attn.qkv_proj/);
  });

  it('does not time the portable backend, and does one thing at a time', async () => {
    const untimed = await tromino(['run', ...seqcls, '--profile', '--backend', 'cpu']);
    expect(untimed.code).toBe(1);
    expect(untimed.stderr).toContain('UnsupportedError: profile: the portable backend is not to be timed');
    expect(await tromino(['run', ...seqcls, '--profile', '--tap'])).toMatchObject({ code: 2 });
  });
});

/** A trained model, kept next to the repository because it is not ours to ship. */
const stories = fileURLToPath(new URL('../../../../shared/real-checkpoints/stories260k', import.meta.url));

describe('tromino run on a trained model', () => {
  // Runs only where that folder is there; `npm test` lists it under "did not run" elsewhere. Fewer tokens where each is slow.
  it.runIf(existsSync(stories)).each([
    ['cpu', 60],
    ['webgpu', 16],
  ] as const)(
    'continues the text that its author documents on %s for %i tokens',
    async (backend, numTokens) => {
      const golden = JSON.parse(await readFile(join(stories, 'golden.json'), 'utf8')) as {
        greedy_text: string;
      };
      const args = ['--ids', '1', '--max-new-tokens', String(numTokens), '--backend', backend, '--json'];
      const { code, stdout } = await tromino(['run', stories, ...args]);
      expect(code).toBe(0);
      const { ids, text } = JSON.parse(stdout) as { ids: number[]; text: string };
      expect(ids).toHaveLength(numTokens);
      expect(text.trim().length).toBeGreaterThan(2 * numTokens);
      expect(golden.greedy_text.startsWith(text.trim())).toBe(true);
    },
  );
});

describe('tromino inspect', () => {
  it.each(backends)('shows configuration, tensors and planned bytes on %s', async (backend) => {
    const { code, stdout, stderr } = await tromino([
      'inspect',
      fixture('llama-seqcls'),
      '--tokens',
      '40',
      '--backend',
      backend,
      '--json',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const inspection = JSON.parse(stdout) as {
      adapter: { vendor: string };
      tensors: { name: string; dtype: string; shape: number[]; sizeBytes: number }[];
      plannedBytes: Record<string, number>;
    };
    expect(inspection).toMatchObject({
      family: 'llama',
      head: 'classifier',
      backend,
      numTokens: 40,
      numParameters: 132032,
    });
    expect(inspection.adapter.vendor).not.toBe('');
    expect(inspection.tensors.find(({ name }) => name === 'model.embed_tokens.weight')).toMatchObject({
      shape: [320, 64],
      sizeBytes: 320 * 64 * 4,
    });
    const { peak, ...categories } = inspection.plannedBytes;
    expect(Object.keys(categories).sort()).toEqual([
      'constants',
      'inputs',
      'readback',
      'uniforms',
      'weights',
      'workspace',
    ]);
    expect(Object.values(categories).reduce((sum, bytes) => sum + bytes, 0)).toBe(peak);
  });

  it('prints the same for people', async () => {
    const { stdout } = await tromino(['inspect', fixture('llama-seqcls-sharded'), '--backend', 'cpu']);
    expect(stdout).toMatch(/cpu on the portable backend/);
    expect(stdout).toMatch(/hidden_size +64/);
    expect(stdout).toMatch(
      /model\.embed_tokens\.weight +\S+ +\[320, 64\] +80\.0 KiB +32 bits per weight +model-0000\d-of-00005\.safetensors/,
    );
    expect(stdout).toMatch(/planned bytes for one call of 128 tokens/);
    expect(stdout).toMatch(/workspace +\S+ [KM]iB +\d+ bytes/);
  });
});

describe('tromino on a URL', () => {
  it.each(['webgpu', 'cpu'])(
    'reads a checkpoint whose server shares with no other origin on %s',
    async (backend) => {
      await using server = await startServer();
      server.mount('/models/', { folder: fixture('llama-seqcls') });
      const { code, stdout, stderr } = await tromino([
        'inspect',
        `${server.origin}/models`,
        '--backend',
        backend,
      ]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('132032 parameters');
    },
  );

  it.each(['webgpu', 'cpu'])('says that nothing is there on %s', async (backend) => {
    await using server = await startServer();
    const { code, stdout, stderr } = await tromino([
      'inspect',
      `${server.origin}/none/`,
      '--backend',
      backend,
    ]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^tromino: SourceError: .*config\.json.*\n$/);
    expect(stderr).toContain(server.origin);
  });
});

describe('tromino with input that cannot work', () => {
  it('fails a folder that is not there with one line', async () => {
    expect(await tromino(['inspect', '/nowhere/model', '--backend', 'cpu'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tromino: SourceError: /nowhere/model: there is no such folder\n',
    });
  });

  it.each(['webgpu', 'cpu'])('fails an unknown model_type on %s and names it', async (backend) => {
    await using copy = await copyOfFixture('llama-seqcls');
    const file = join(copy.folder, 'config.json');
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('"model_type": "llama"', '"model_type": "rwkv9"'),
    );
    const { code, stdout, stderr } = await tromino(['run', copy.folder, '--ids', '1', '--backend', backend]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^tromino: UnsupportedError: .*rwkv9.*\n$/);
  });

  it('names a broken file by the path that the user gave, also from inside the browser', async () => {
    await using copy = await copyOfFixture('llama-seqcls');
    await writeFile(join(copy.folder, 'model.safetensors'), 'cut');
    const { code, stderr } = await tromino(['run', copy.folder, '--ids', '1']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^tromino: \w+Error: .*model\.safetensors.*\n$/);
    expect(stderr).not.toContain('http://');
  });

  it.each([
    ['no command', []],
    ['an unknown command', ['fly']],
    ['no folder', ['run', '--ids', '1']],
    ['an unknown option', ['inspect', '.', '--fast']],
    ['an unknown backend', ['verify', '.', '--backend', 'tpu']],
    ['ids that are no numbers', ['run', '.', '--ids', '1,x']],
    ['negative ids', ['run', '.', '--ids=-1']],
    ['neither text nor ids', ['run', '.']],
    ['both text and ids', ['run', '.', '--text', 'a', '--ids', '1']],
    ['no new tokens', ['run', '.', '--ids', '1', '--max-new-tokens', '0']],
    ['a token count that is no number', ['inspect', '.', '--tokens', 'many']],
  ])('ends with code 2 for %s', async (_, args) => {
    const { code, stdout, stderr } = await tromino(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('shows help without a failure', async () => {
    const { code, stdout } = await tromino(['--help']);
    expect(code).toBe(0);
    for (const command of ['run', 'verify', 'inspect']) expect(stdout).toContain(command);
  });
});

describe('tromino with a browser that does not work', () => {
  it('says that CHROMIUM_PATH names nothing', async () => {
    const { code, stderr } = await tromino(['run', fixture('llama-seqcls'), '--ids', '1'], {
      CHROMIUM_PATH: '/nowhere/chromium',
    });
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain('CHROMIUM_PATH: expected a browser');
  });

  it('says that the browser did not start, and leaves no profile behind', async () => {
    await using temporary = await temporaryFolder();
    const browser = join(temporary.folder, 'browser');
    await writeFile(browser, '#!/bin/sh\nexit 3\n');
    await chmod(browser, 0o755);
    const env = { CHROMIUM_PATH: browser, TMPDIR: temporary.folder };
    const { code, stderr } = await tromino(['run', fixture('llama-seqcls'), '--ids', '1'], env);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain(`BrowserError: ${browser} did not start`);
    expect(await profilesIn(temporary.folder)).toEqual([]);
  });

  it('ends on an interrupt, and takes its browser and its profile along', async () => {
    await using temporary = await temporaryFolder();
    const run = startTromino(['verify', fixture('llama-lm-tied')], { TMPDIR: temporary.folder });
    await vi.waitUntil(async () => (await profilesIn(temporary.folder)).length > 0, {
      timeout: 60_000,
      interval: 50,
    });
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(await profilesIn(temporary.folder)).toEqual([]);
  });
});

describe('tromino quantize', () => {
  it('writes a folder that transformers would have written, and that is verified like any other', async () => {
    await using temporary = await temporaryFolder();
    const out = join(temporary.folder, 'out');
    await using source = await copyOfFixture('llama-seqcls');
    await writeFile(join(source.folder, 'tokenizer.json'), '{}');
    const quantized = await tromino(['quantize', source.folder, out, '--to', 'nf4', '--double']);
    expect(quantized).toMatchObject({ code: 0, stderr: '' });
    expect(quantized.stdout).toContain('21 matrices in NF4, blocks of 64');
    expect((await readdir(out)).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
    expect(await readdir(temporary.folder)).toEqual(['out']);
    await rm(join(out, 'tokenizer.json'));
    const without = await tromino(['verify', out, '--backend', 'cpu']);
    expect(without.code).toBe(1);
    expect(without.stderr).toMatch(/golden\.json: there is no such file; .* `tromino run` shows/);
    await copyFile(join(fixture('llama-seqcls-nf4'), 'golden.json'), join(out, 'golden.json'));
    const verified = await tromino(['verify', out, '--backend', 'cpu']);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await tromino(['inspect', out, '--backend', 'cpu']);
    expect(stdout).toMatch(/layers\.0\.mlp\.up_proj\.weight +nf4 +\[128, 64\] .*bits per weight/);
    expect(stdout).toMatch(/score\.weight +f32 +\[8, 64\] .*32 bits per weight/);
  });

  it('keeps away from a folder that exists, and says what it cannot do', async () => {
    await using temporary = await temporaryFolder();
    const existing = await tromino(['quantize', fixture('llama-seqcls'), temporary.folder, '--to', 'nf4']);
    expect([existing.code, existing.stderr]).toEqual([
      1,
      `tromino: OptionError: ${temporary.folder}: expected a folder that does not exist yet, found something there\n`,
    ]);
    const out = join(temporary.folder, 'out');
    const block = await tromino(['quantize', fixture('llama-seqcls'), out, '--to', 'nf4', '--block', '48']);
    expect(block.stderr).toContain('OptionError: --block: expected one of 32, 64');
    const again = await tromino(['quantize', fixture('llama-seqcls-nf4'), out, '--to', 'nf4']);
    expect(again.stderr).toContain(
      'UnsupportedError: quantization_config: the checkpoint is quantised already',
    );
    const inFile = join(fixture('llama-seqcls'), 'config.json', 'out');
    const nowhere = await tromino(['quantize', fixture('llama-seqcls'), inFile, '--to', 'nf4']);
    expect(nowhere.stderr).toBe(
      `tromino: OptionError: ${inFile}: expected a place where a folder can be made, found none\n`,
    );
    const format = await tromino(['quantize', fixture('llama-seqcls'), out, '--to', 'fp4']);
    expect(format.code).toBe(2);
    expect(await readdir(temporary.folder)).toEqual([]);
  });
});

/** The browser profiles that lie in a folder for temporary files. */
async function profilesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.includes('playwright'));
}
