import { describe, expect, it } from 'vitest';
import { OutOfMemoryError } from './errors.ts';
import { MemoryAccount } from './memory_account.ts';

describe('MemoryAccount', () => {
  it('keeps current and peak bytes by category and in all', () => {
    const account = new MemoryAccount();
    account.add('weights', 100);
    account.add('workspace', 40);
    account.remove('workspace', 40);
    account.add('readback', 8);
    expect(account.report()).toMatchObject({
      currentBytes: 108,
      peakBytes: 140,
      liveBuffers: 2,
      categories: {
        weights: { currentBytes: 100, peakBytes: 100 },
        workspace: { currentBytes: 0, peakBytes: 40 },
        readback: { currentBytes: 8, peakBytes: 8 },
      },
    });
  });

  it('refuses what goes over the budget by one byte, naming both numbers and the largest part', () => {
    const account = new MemoryAccount(1000);
    account.add('weights', 900);
    account.requireRoomFor('run', { workspace: 60, inputs: 40 });
    const refused = (): void => {
      account.requireRoomFor('run', { workspace: 61, inputs: 40 });
    };
    expect(refused).toThrow(OutOfMemoryError);
    expect(refused).toThrow(
      'run (largest part: workspace, 61 bytes): 1001 bytes are needed, 1000 bytes are allowed',
    );
  });
});
