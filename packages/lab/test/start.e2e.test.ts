import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('npm start', () => {
  it('plays headless and prints the board, eight scores, the choice and the time of a move', () => {
    const args = ['start', '--silent', '--', '--headless', '--moves', '1', '--seed', '7'];
    const { status, stdout, stderr } = spawnSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      timeout: 240_000,
      shell: process.platform === 'win32',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^seed 7 on \S+/);
    const [, ...moves] = stdout.split(/^move \d+$/m);
    expect(moves).toHaveLength(1);
    for (const move of moves) {
      expect(move.match(/^[.#@:]{10}$/gm)).toHaveLength(20);
      const labels = [...move.matchAll(/^ {2}(\S.*?) +-?\d+\.\d{4} +[01]\.\d{4}$/gm)].map(
        ([, label]) => label,
      );
      expect(labels).toEqual([
        'left',
        'right',
        'rotate clockwise',
        'rotate counter-clockwise',
        'soft drop',
        'hard drop',
        'hold',
        'wait',
      ]);
      expect(labels).toContain(/^chose (.+) in \d+\.\d ms$/m.exec(move)?.[1]);
    }
  });

  it.each([['--moves', 'many'], ['--moves', '5'], ['--port', '99999'], ['--fly']])(
    'refuses options that make no sense: %s',
    (...args) => {
      const { status, stderr } = spawnSync('npm', ['start', '--silent', '--', ...args], {
        cwd: root,
        encoding: 'utf8',
        timeout: 60_000,
        shell: process.platform === 'win32',
      });
      expect(status).toBe(2);
      expect(stderr).toMatch(new RegExp(`^error: .*${args[0]}`));
    },
  );
});
