import { spawn, type ChildProcess } from 'node:child_process';
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

/** A run of the command that has not ended yet. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandResult>;
}

/** Starts the `tromino` command as a user does, from a folder that is not the repository. */
export function startTromino(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: tmpdir(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const closed = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { child, ended: ended.then(([code, stdout, stderr]) => ({ code, stdout, stderr })) };
}

/** Runs the `tromino` command and waits for its end. */
export function tromino(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return startTromino(args, env).ended;
}

/** A new folder that is removed, with all in it, at the end of the scope. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tromino-test-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Path of one of the runtime's test checkpoints. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../tromino/test/fixtures/checkpoints/${name}`, import.meta.url));
}

/** A copy of a test checkpoint that may be damaged; it is removed at the end of the scope. */
export async function copyOfFixture(name: string): Promise<AsyncDisposable & { readonly folder: string }> {
  const copy = await temporaryFolder();
  await cp(fixture(name), copy.folder, { recursive: true });
  return copy;
}
