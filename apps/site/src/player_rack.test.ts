import { describe, expect, it } from 'vitest';
import { PlayerRack } from './player_rack.ts';
import type { Player } from './player.ts';
import { decisionFor, playerInfo } from './testing.ts';

interface FakePlayer extends Player {
  readonly url: string;
  isDisposed: boolean;
}

function makeRack(): { rack: PlayerRack; loaded: FakePlayer[] } {
  const loaded: FakePlayer[] = [];
  const rack = new PlayerRack('dense/', async (url) => {
    await Promise.resolve();
    if (url === 'missing/') throw new Error('not there');
    const player: FakePlayer = {
      url,
      isDisposed: false,
      info: playerInfo,
      decide: () => Promise.resolve(decisionFor(0)),
      dispose() {
        this.isDisposed = true;
      },
    };
    loaded.push(player);
    return player;
  });
  return { rack, loaded };
}

const ignore = (): void => undefined;

describe('PlayerRack', () => {
  it('keeps the dense player as the reference of another, and disposes of that one when the dense plays again', async () => {
    const { rack, loaded } = makeRack();
    await rack.play('dense/', ignore);
    expect(rack.reference).toBe(undefined);
    await rack.play('nf4/', ignore);
    expect([rack.playing, rack.reference]).toEqual([loaded[1], loaded[0]]);
    await rack.play('dense/', ignore);
    expect(rack.playing).toBe(loaded[0]);
    expect(loaded.map(({ isDisposed }) => isDisposed)).toEqual([false, true]);
  });

  it('gives the new player before the old one goes', async () => {
    const { rack, loaded } = makeRack();
    await rack.play('a/', ignore);
    let wasDisposed: boolean | undefined;
    await rack.play('b/', () => {
      wasDisposed = loaded[0]?.isDisposed;
    });
    expect([wasDisposed, loaded[0]?.isDisposed]).toEqual([false, true]);
  });

  it('lets a later wish overtake an earlier one, and disposes of what came too late', async () => {
    const { rack, loaded } = makeRack();
    const first = rack.play('a/', ignore);
    const second = rack.play('b/', ignore);
    expect(await Promise.all([first, second])).toEqual([false, true]);
    expect(rack.playingUrl).toBe('b/');
    expect(loaded.find(({ url }) => url === 'a/')?.isDisposed).toBe(true);
  });

  it('plays on with the old player when the next cannot be loaded', async () => {
    const { rack, loaded } = makeRack();
    await rack.play('a/', ignore);
    await expect(rack.play('missing/', ignore)).rejects.toThrow('not there');
    expect([rack.playing, loaded[0]?.isDisposed]).toEqual([loaded[0], false]);
  });

  it('loads the reference beside a player that came first, and leaves nothing after clear', async () => {
    const { rack, loaded } = makeRack();
    await rack.play('a/', ignore);
    await rack.loadReference();
    await rack.loadReference();
    expect(loaded.map(({ url }) => url)).toEqual(['a/', 'dense/']);
    const late = rack.play('b/', ignore);
    rack.clear();
    expect(await late).toBe(false);
    expect(loaded.every(({ isDisposed }) => isDisposed)).toBe(true);
    expect([rack.playing, rack.reference]).toEqual([undefined, undefined]);
  });
});
