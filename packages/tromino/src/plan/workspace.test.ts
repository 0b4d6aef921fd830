import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveFloorBytes, type Lifetime, type Separations } from './lifetimes.ts';
import { layOutWorkspace, type WorkspaceLayout } from './workspace.ts';

const limits = { maxBufferSize: 1 << 28, minStorageBufferOffsetAlignment: 16 };

interface Graph {
  readonly lifetimes: readonly Lifetime[];
  readonly separations: Separations;
}

/** Node i writes value i and reads the values that `reads[i]` says, counted back from i. */
function graphOf(sizesBytes: readonly number[], reads: readonly (readonly number[])[]): Graph {
  const lastNode = sizesBytes.map((_, value) => value);
  const separations = new Map<number, Set<number>>(sizesBytes.map((_, value) => [value, new Set()]));
  reads.forEach((back, node) => {
    for (const value of back.map((steps) => node - 1 - steps)) {
      if (value < 0) continue;
      lastNode[value] = node;
      separations.get(value)?.add(node);
      separations.get(node)?.add(value);
    }
  });
  const lifetimes = sizesBytes.map((sizeBytes, value) => ({
    value,
    sizeBytes,
    firstNode: value,
    lastNode: lastNode[value] ?? value,
  }));
  return { lifetimes, separations };
}

const graphs = fc
  .array(
    fc.record({
      words: fc.integer({ min: 1, max: 40 }),
      reads: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((nodes) =>
    graphOf(
      nodes.map(({ words }) => words * 4),
      nodes.map(({ reads }) => reads),
    ),
  );

function total({ arenaBytes }: WorkspaceLayout): number {
  return arenaBytes.reduce((sum, bytes) => sum + bytes, 0);
}

/** What is wrong with a layout; empty if nothing is. */
function faults({ lifetimes, separations }: Graph, layout: WorkspaceLayout): string[] {
  const found: string[] = [];
  for (const a of lifetimes) {
    const placed = layout.placementOf.get(a.value);
    if (!placed) return [`${a.value} has no place`];
    const endBytes = placed.offsetBytes + a.sizeBytes;
    if (placed.offsetBytes % 16 !== 0) found.push(`${a.value} is not aligned`);
    if (endBytes > (layout.arenaBytes[placed.arena] ?? 0)) found.push(`${a.value} does not fit`);
    for (const b of lifetimes) {
      const other = layout.placementOf.get(b.value);
      if (a.value >= b.value || other?.arena !== placed.arena) continue;
      if (separations.get(a.value)?.has(b.value)) found.push(`${a.value} and ${b.value} share a buffer`);
      const meet = a.firstNode <= b.lastNode && b.firstNode <= a.lastNode;
      const overlap = placed.offsetBytes < other.offsetBytes + b.sizeBytes && other.offsetBytes < endBytes;
      if (meet && overlap) found.push(`${a.value} and ${b.value} overlap`);
    }
  }
  return found;
}

describe('layOutWorkspace', () => {
  it('never lets two values that are alive at the same node overlap, nor an operation read the buffer that it writes', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const layout = layOutWorkspace(graph.lifetimes, graph.separations, limits, 'on');
        expect(faults(graph, layout)).toEqual([]);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('has a check that sees values that overlap and buffers that are read and written', () => {
    const graph = graphOf([32, 32, 32], [[], [0], [0, 1]]);
    const placements = [0, 1, 2].map((value) => [value, { arena: 0, offsetBytes: value * 16 }] as const);
    expect(faults(graph, { placementOf: new Map(placements), arenaBytes: [64] })).toEqual([
      '0 and 1 share a buffer',
      '0 and 1 overlap',
      '0 and 2 share a buffer',
      '1 and 2 share a buffer',
      '1 and 2 overlap',
    ]);
  });

  it('gives equal layouts for equal lifetimes, and never takes more than separate buffers do', () => {
    fc.assert(
      fc.property(graphs, ({ lifetimes, separations }) => {
        const layout = layOutWorkspace(lifetimes, separations, limits, 'on');
        expect(layOutWorkspace(lifetimes, separations, limits, 'on')).toEqual(layout);
        const paddingBytes = 16 * lifetimes.length;
        expect(total(layout)).toBeLessThanOrEqual(
          total(layOutWorkspace(lifetimes, separations, limits, 'off')) + paddingBytes,
        );
      }),
      { seed: 2, numRuns: 50 },
    );
  });

  it('hands two buffers to and fro along a chain', () => {
    const { lifetimes, separations } = graphOf([64, 64, 64, 64], [[], [0], [0], [0]]);
    const { placementOf, arenaBytes } = layOutWorkspace(lifetimes, separations, limits, 'on');
    expect(arenaBytes).toEqual([64, 64]);
    expect([0, 1, 2, 3].map((value) => placementOf.get(value)?.arena)).toEqual([0, 1, 0, 1]);
  });

  it('puts values side by side where a larger one was', () => {
    // 0 (96) → 1 (32) → 2 (32) → 3 (reads 1 and 2, 16): 2 goes where 0 was, beside nothing that is alive.
    const { lifetimes, separations } = graphOf([96, 32, 32, 16], [[], [0], [0], [0, 1]]);
    const layout = layOutWorkspace(lifetimes, separations, limits, 'on');
    expect(total(layout)).toBe(96 + 32 + 16);
    expect(liveFloorBytes(lifetimes)).toBe(128);
  });

  it('opens another buffer where one would grow beyond what the device allows', () => {
    const { lifetimes, separations } = graphOf([48, 48, 48], [[], [], [0, 1]]);
    const all = [48, 48, 48];
    expect(layOutWorkspace(lifetimes, separations, limits, 'on').arenaBytes).toEqual([96, 48]);
    expect(
      layOutWorkspace(lifetimes, separations, { ...limits, maxBufferSize: 64 }, 'on').arenaBytes,
    ).toEqual(all);
  });

  it('gives every value its own buffer when reuse is off', () => {
    const { lifetimes, separations } = graphOf([4, 8, 12], [[], [0], [0]]);
    expect(layOutWorkspace(lifetimes, separations, limits, 'off').arenaBytes).toEqual([4, 8, 12]);
  });
});

describe('liveFloorBytes', () => {
  it('is the largest sum alive at one node', () => {
    const all: Lifetime[] = [
      { value: 0, sizeBytes: 100, firstNode: 0, lastNode: 5 },
      { value: 1, sizeBytes: 10, firstNode: 1, lastNode: 2 },
      { value: 2, sizeBytes: 20, firstNode: 2, lastNode: 3 },
      { value: 3, sizeBytes: 25, firstNode: 4, lastNode: 5 },
    ];
    expect(liveFloorBytes(all)).toBe(130);
  });
});
