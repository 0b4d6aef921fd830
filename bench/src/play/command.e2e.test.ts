import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

it('plays with the shipped model on the portable backend and prints the three players', async () => {
  const args = ['--import', './packages/lab/bin/register.mjs', 'bench/src/play/command.ts'];
  const flags = ['--backend', 'cpu', '--games', '1', '--pieces', '1', '--json'];
  const { stdout } = await run(process.execPath, [...args, ...flags], { cwd: root });
  const { adapter, players } = JSON.parse(stdout) as {
    adapter: { vendor: string };
    players: { player: string; games: number; pieces: number; steps: number }[];
  };
  expect(adapter.vendor).toBe('cpu');
  expect(players.map(({ player, games, pieces }) => [player, games, pieces])).toEqual([
    ['model', 1, 1],
    ['teacher', 1, 1],
    ['random legal', 1, 1],
  ]);
  expect(players[0]?.steps).toBeGreaterThan(0);
});
