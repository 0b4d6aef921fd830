import { describe, expect, it } from 'vitest';
import { count, describeAdapter, formatBytes, formatTable } from './report.ts';

describe('report', () => {
  it('writes byte counts in binary units with three significant digits', () => {
    expect([0, 1, 1023, 1024, 1536, 531200, 128 * 1024 ** 2, 3 * 1024 ** 3].map(formatBytes)).toEqual([
      '0 bytes',
      '1 bytes',
      '1023 bytes',
      '1.00 KiB',
      '1.50 KiB',
      '519 KiB',
      '128 MiB',
      '3.00 GiB',
    ]);
  });

  it('counts in the singular and the plural', () => {
    expect([count(1, 'token'), count(2, 'token'), count(0, 'token')]).toEqual([
      '1 token',
      '2 tokens',
      '0 tokens',
    ]);
  });

  it('lines columns up without trailing blanks', () => {
    expect(
      formatTable([
        ['a', 'bb', ''],
        ['ccc', 'd', 'e'],
      ]),
    ).toBe('a    bb\nccc  d   e');
  });

  it('names an adapter and says when it is a software one', () => {
    const swiftshader = {
      vendor: 'google',
      architecture: 'swiftshader',
      device: '',
      description: '',
      isSoftware: true,
    };
    expect(describeAdapter(swiftshader)).toBe('google swiftshader (software)');
    const cpu = {
      vendor: 'cpu',
      architecture: '',
      device: '',
      description: 'portable backend',
      isSoftware: true,
    };
    expect(describeAdapter(cpu)).toBe('the portable backend');
    const none = { vendor: '', architecture: '', device: '', description: '', isSoftware: false };
    expect(describeAdapter(none)).toBe('an unnamed adapter');
  });
});
