import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { runCommand } from './run_command.ts';

const node = (script: string, limitMs = 20_000): ReturnType<typeof runCommand> =>
  runCommand(process.execPath, ['-e', script], limitMs);

describe('runCommand', () => {
  it('gives the exit code and all output', async () => {
    expect(await node('console.log("out"); console.error("err"); process.exit(3)')).toEqual({
      exitCode: 3,
      output: expect.stringMatching(/^(out\nerr|err\nout)\n$/) as string,
    });
  });

  it('ends a command that hangs, and gives no exit code', async () => {
    const outcome = await node('console.log("begun"); setInterval(() => {}, 1000)', 1_500);
    expect(outcome).toEqual({ exitCode: null, output: 'begun\n' });
  });

  it('says why a program could not be started', async () => {
    const { exitCode, output } = await runCommand('/nowhere/program', [], 20_000);
    expect([exitCode, output]).toEqual([null, 'spawn /nowhere/program ENOENT\n']);
  });
});
