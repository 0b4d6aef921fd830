import type { ValueId } from '../graph/graph.ts';
import type { DeviceCaps } from '../kernels/index.ts';
import { must } from '../util/assert.ts';
import type { Lifetime, Separations } from './lifetimes.ts';

/** Where a value lies: in which buffer of the workspace, and from which byte on. */
export interface Placement {
  readonly arena: number;
  readonly offsetBytes: number;
}

/** Where each value lies, and how large the buffers are. */
export interface WorkspaceLayout {
  readonly placementOf: ReadonlyMap<ValueId, Placement>;
  readonly arenaBytes: readonly number[];
}

/** What the device asks of buffers and of ranges within them. */
export type BufferLimits = Pick<DeviceCaps, 'maxBufferSize' | 'minStorageBufferOffsetAlignment'>;

/** Layouts that are followed at the same time while the first values are placed, and once a pattern has settled. */
const [searchWidth, settledWidth] = [16, 2];

/** Values until the pattern of a layer counts as settled: two layers of any family have fewer. */
const searchedValues = 30;

/**
 * Lays out the workspace: values whose lifetimes do not meet share bytes, and what an operation reads is never in the buffer that it
 * writes, so that inputs stay read-only bindings.
 *
 * A beam search in order of writing: each value goes into any gap of any arena that it may, and the layouts that need the fewest bytes so
 * far are followed further. Models repeat their layers, so the search is wide for the first values and narrow for the rest.
 * @param reuse off gives every value a buffer of its own, for comparison.
 */
export function layOutWorkspace(
  lifetimes: readonly Lifetime[],
  separations: Separations,
  limits: BufferLimits,
  reuse: 'on' | 'off',
): WorkspaceLayout {
  if (reuse === 'off') return separateBuffers(lifetimes);
  const inOrder = [...lifetimes].sort((a, b) => a.firstNode - b.firstNode);
  let beam: Layout[] = [{ arenaBytes: [], totalBytes: 0, live: [], placed: undefined }];
  inOrder.forEach((lifetime, index) => {
    const apart = separations.get(lifetime.value) ?? new Set<ValueId>();
    const next = beam.flatMap((layout) => placeEverywhere(layout, lifetime, apart, limits));
    beam = best(next, index < searchedValues ? searchWidth : settledWidth);
  });
  return finishLayout(must(beam[0], 'layout'));
}

function separateBuffers(lifetimes: readonly Lifetime[]): WorkspaceLayout {
  return {
    placementOf: new Map(lifetimes.map(({ value }, arena) => [value, { arena, offsetBytes: 0 }])),
    arenaBytes: lifetimes.map(({ sizeBytes }) => sizeBytes),
  };
}

/** A value that is alive, and its bytes in its arena. */
interface Tenant extends Placement {
  readonly value: ValueId;
  readonly endBytes: number;
  readonly lastNode: number;
}

/** A layout of the values so far. */
interface Layout {
  readonly arenaBytes: readonly number[];
  readonly totalBytes: number;
  /** In order of arena and offset. */
  readonly live: readonly Tenant[];
  /** The value placed last, and the layout before it. */
  readonly placed: { readonly tenant: Tenant; readonly before: Layout } | undefined;
}

/** The layout with one more value, for every gap that takes it. */
function placeEverywhere(
  before: Layout,
  { value, sizeBytes, firstNode, lastNode }: Lifetime,
  apart: ReadonlySet<ValueId>,
  { maxBufferSize, minStorageBufferOffsetAlignment }: BufferLimits,
): Layout[] {
  const live = before.live.filter((tenant) => tenant.lastNode >= firstNode);
  const forbidden = new Set(live.filter((tenant) => apart.has(tenant.value)).map(({ arena }) => arena));
  const next: Layout[] = [];
  for (let arena = 0; arena <= before.arenaBytes.length; arena++) {
    if (forbidden.has(arena)) continue;
    for (const offsetBytes of gaps(live, arena, sizeBytes, minStorageBufferOffsetAlignment)) {
      // A new arena is always possible, and every value fits one: the plan has checked that.
      if (offsetBytes > 0 && offsetBytes + sizeBytes > maxBufferSize) continue;
      const tenant = { value, arena, offsetBytes, endBytes: offsetBytes + sizeBytes, lastNode };
      const arenaBytes = [...before.arenaBytes];
      arenaBytes[arena] = Math.max(arenaBytes[arena] ?? 0, tenant.endBytes);
      next.push({
        arenaBytes,
        totalBytes: arenaBytes.reduce((sum, bytes) => sum + bytes, 0),
        live: inserted(live, tenant),
        placed: { tenant, before },
      });
    }
  }
  return next;
}

/** Offsets in an arena from which on so many bytes are free; the last is behind everything. */
function gaps(live: readonly Tenant[], arena: number, sizeBytes: number, alignmentBytes: number): number[] {
  const offsets: number[] = [];
  let offsetBytes = 0;
  for (const tenant of live) {
    if (tenant.arena !== arena) continue;
    if (offsetBytes + sizeBytes <= tenant.offsetBytes) offsets.push(offsetBytes);
    offsetBytes = Math.ceil(tenant.endBytes / alignmentBytes) * alignmentBytes;
  }
  return [...offsets, offsetBytes];
}

function inserted(live: readonly Tenant[], tenant: Tenant): Tenant[] {
  const after = live.findIndex(
    ({ arena, offsetBytes }) =>
      arena > tenant.arena || (arena === tenant.arena && offsetBytes > tenant.offsetBytes),
  );
  return after < 0 ? [...live, tenant] : live.toSpliced(after, 0, tenant);
}

/** The smallest layouts; of those that can go on in the same ways, one. */
function best(layouts: Layout[], width: number): Layout[] {
  const seen = new Set<string>();
  const kept: Layout[] = [];
  for (const layout of layouts.sort((a, b) => a.totalBytes - b.totalBytes)) {
    const key = `${layout.arenaBytes.join()};${layout.live.map(({ arena, offsetBytes, value }) => `${arena},${offsetBytes},${value}`).join()}`;
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(layout);
    if (kept.length === width) break;
  }
  return kept;
}

function finishLayout(layout: Layout): WorkspaceLayout {
  const placementOf = new Map<ValueId, Placement>();
  for (let step = layout.placed; step !== undefined; step = step.before.placed) {
    const { value, arena, offsetBytes } = step.tenant;
    placementOf.set(value, { arena, offsetBytes });
  }
  return { placementOf, arenaBytes: layout.arenaBytes };
}
