import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/tromino.mjs', import.meta.url));
const limitMs = 120_000;

/** How a run of the command ended. */
export interface CommandResult {
  /** Exit code; null for a run that was killed because it took too long. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the `tromino` command as a user does, from a folder that is not the repository, and waits for its end. */
export async function tromino(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Path of one of the runtime's test checkpoints. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../tromino/test/fixtures/checkpoints/${name}`, import.meta.url));
}

/** A copy of a test checkpoint that may be damaged; it is removed at the end of the scope. */
export async function copyOfFixture(name: string): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tromino-checkpoint-'));
  await cp(fixture(name), folder, { recursive: true });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
