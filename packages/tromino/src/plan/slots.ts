import type { ValueId } from '../graph/graph.ts';
import type { Lifetime } from './lifetimes.ts';

/** Which slot each value uses, and how large the slots are. */
export interface SlotAssignment {
  readonly slotOf: ReadonlyMap<ValueId, number>;
  readonly sizesBytes: readonly number[];
}

/**
 * Shares storage between values whose lifetimes do not meet. Two values that meet at one node, one read and the other written there,
 * count as meeting: an operation's live inputs never share with its output.
 *
 * Greedy by size, largest first, each into the slot that it fills best. **Source** Pisarchyk and Lee, "Efficient Memory Management for
 * Deep Neural Net Inference", 2020, section 4.3.
 * @param reuse off gives every value a slot of its own, for comparison.
 */
export function assignSlots(lifetimes: readonly Lifetime[], reuse: 'on' | 'off'): SlotAssignment {
  const slots: { sizeBytes: number; readonly tenants: Lifetime[] }[] = [];
  const slotOf = new Map<ValueId, number>();
  // The order of writing breaks ties, so that equal graphs give equal plans.
  const bySize = [...lifetimes].sort((a, b) => b.sizeBytes - a.sizeBytes || a.firstNode - b.firstNode);
  for (const lifetime of bySize) {
    let best = -1;
    if (reuse === 'on') {
      slots.forEach((slot, index) => {
        const isFree = slot.tenants.every((tenant) => !overlap(tenant, lifetime));
        const isTighter = best < 0 || slot.sizeBytes < (slots[best]?.sizeBytes ?? 0);
        if (isFree && isTighter) best = index;
      });
    }
    if (best < 0) best = slots.push({ sizeBytes: lifetime.sizeBytes, tenants: [] }) - 1;
    slots[best]?.tenants.push(lifetime);
    slotOf.set(lifetime.value, best);
  }
  return { slotOf, sizesBytes: slots.map((slot) => slot.sizeBytes) };
}

function overlap(a: Lifetime, b: Lifetime): boolean {
  return a.firstNode <= b.lastNode && b.firstNode <= a.lastNode;
}
