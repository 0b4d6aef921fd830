import { spawn } from 'node:child_process';
import process from 'node:process';

/** How a command ended. */
export interface CommandOutcome {
  /** Exit code; null for a command that a signal ended, which includes one that ran past its limit. */
  readonly exitCode: number | null;
  /** Standard output and standard error, as they came. */
  readonly output: string;
}

/** Runs a command to its end, or to the end of its time. */
export function runCommand(
  program: string,
  args: readonly string[],
  limitMs: number,
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const shell = process.platform === 'win32' && program === 'npm'; // There npm is a script that only a shell can start.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs, shell });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    child.on('error', (error) => {
      resolve({ exitCode: null, output: `${output}${error.message}\n` });
    });
    child.on('close', (exitCode) => {
      resolve({ exitCode, output });
    });
  });
}
