import { describe, expect, it } from 'vitest';
import { ShapeError, UnsupportedError } from '../util/errors.ts';
import { decodeToF32 } from './decode.ts';
import type { StoredDType } from './dtype.ts';

/** The same bytes at an odd address. */
function unaligned(bytes: Uint8Array): Uint8Array {
  const moved = new Uint8Array(bytes.length + 1);
  moved.set(bytes, 1);
  return moved.subarray(1);
}

describe('decodeToF32', () => {
  it.each<[StoredDType, Uint8Array]>([
    ['f32', new Uint8Array(Float32Array.of(1.5, -0.25).buffer)],
    ['f64', new Uint8Array(Float64Array.of(1.5, -0.25).buffer)],
    ['f16', Uint8Array.of(0x00, 0x3e, 0x00, 0xb4)],
    ['bf16', Uint8Array.of(0xc0, 0x3f, 0x80, 0xbe)],
  ])('reads %s at any alignment, into the middle of the target', (dtype, bytes) => {
    const target = new Float32Array(4).fill(7);
    decodeToF32('w', dtype, unaligned(bytes), target, 1);
    expect([...target]).toEqual([7, 1.5, -0.25, 7]);
  });

  it('rounds f64 to the nearest f32', () => {
    const target = new Float32Array(1);
    decodeToF32('w', 'f64', new Uint8Array(Float64Array.of(1 + 2 ** -24 + 2 ** -40).buffer), target);
    expect(target[0]).toBe(1 + 2 ** -23);
  });

  it('writes within a target that is itself a view', () => {
    const memory = new Float32Array(4);
    decodeToF32('w', 'f32', new Uint8Array(Float32Array.of(5).buffer), memory.subarray(2), 1);
    expect([...memory]).toEqual([0, 0, 0, 5]);
  });

  it('refuses integers, naming the tensor', () => {
    const decode = (): void => {
      decodeToF32('h.ids', 'i64', new Uint8Array(8), new Float32Array(1));
    };
    expect(decode).toThrow(UnsupportedError);
    expect(decode).toThrow('tensor h.ids: i64 values cannot be read as f32');
  });

  it('refuses half an element and a target that is too short', () => {
    const decode = (lengthBytes: number, room: number) => (): void => {
      decodeToF32('w', 'f32', new Uint8Array(lengthBytes), new Float32Array(room));
    };
    expect(decode(6, 9)).toThrow(new ShapeError('tensor w', 'whole f32 elements', '6 bytes'));
    expect(decode(8, 1)).toThrow(new ShapeError('tensor w', 'room for 2 elements', '1 from element 0'));
  });
});
