// The process a training run starts many times. `worker` speaks the binary protocol of ../rollout.ts on its standard
// streams: it writes a round of records, reads one action byte for each game, and so on until its input ends.
// `play` prints, as JSON, how a policy that needs no model plays.
import { readSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { playGames, randomPolicy, teacherPolicy } from '../players.ts';
import { Rollout } from '../rollout.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    games: { type: 'string', default: '64' },
    'first-seed': { type: 'string', default: '1' },
    pieces: { type: 'string', default: '200' },
    once: { type: 'boolean', default: false },
    policy: { type: 'string', default: 'teacher' },
  },
});
const games = Number(values.games);
const firstSeed = Number(values['first-seed']);
const pieces = Number(values.pieces);

const clock = new Int32Array(new SharedArrayBuffer(4));

/** Calls a synchronous read or write until it moves bytes: a pipe that is not ready throws EAGAIN. */
function whenReady(transfer: () => number): number {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(clock, 0, 0, 1);
    }
  }
}

function writeAll(bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) {
    const from = done;
    done += whenReady(() => writeSync(1, bytes, from, bytes.length - from));
  }
}

/** Fills the buffer from standard input; false at its end. */
function readAll(bytes: Uint8Array): boolean {
  for (let done = 0; done < bytes.length;) {
    const from = done;
    const count = whenReady(() => readSync(0, bytes, from, bytes.length - from, null));
    if (count === 0) return false;
    done += count;
  }
  return true;
}

function work(): void {
  const rollout = new Rollout({ games, firstSeed, pieces, restart: !values.once });
  const actions = new Uint8Array(games);
  for (;;) {
    writeAll(rollout.records);
    if (!readAll(actions)) return;
    rollout.play(actions);
  }
}

async function play(): Promise<void> {
  const seeds = Array.from({ length: games }, (_, game) => firstSeed + game);
  const policy = values.policy === 'teacher' ? teacherPolicy() : randomPolicy(firstSeed);
  console.log(JSON.stringify(await playGames({ policy, seeds, pieces })));
}

if (positionals[0] === 'worker') work();
else if (positionals[0] === 'play') await play();
else throw new Error(`mode: expected worker or play, found ${positionals[0] ?? 'none'}`);
