import { describe, expect, it } from 'vitest';
import { Mutex } from './mutex.ts';

describe('Mutex', () => {
  it('lets one holder in at a time, in the order of asking', async () => {
    const mutex = new Mutex();
    const seen: string[] = [];
    const work = async (name: string): Promise<void> => {
      const end = await mutex.acquire();
      seen.push(`${name} in`);
      await Promise.resolve();
      seen.push(`${name} out`);
      end();
    };
    await Promise.all([work('a'), work('b'), work('c')]);
    expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
  });

  it('takes a waiter whose signal aborts out of the line, and serves the others', async () => {
    const mutex = new Mutex();
    const end = await mutex.acquire();
    const controller = new AbortController();
    const aborted = mutex.acquire(controller.signal);
    const next = mutex.acquire();
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    end();
    const endNext = await next;
    endNext();
    const again = await mutex.acquire();
    again();
  });

  it('ignores a second end of the same turn', async () => {
    const mutex = new Mutex();
    const end = await mutex.acquire();
    end();
    await mutex.acquire();
    end();
    const third = mutex.acquire();
    const outcome = await Promise.race([third.then(() => 'entered'), Promise.resolve('waits')]);
    expect(outcome).toBe('waits');
  });
});
