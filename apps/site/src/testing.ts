/** Stand-ins for tests. */
import { ACTIONS } from '@tromino/strata';
import type { MemoryReport } from 'tromino';
import type { Decision, PlayerInfo } from './player_protocol.ts';

const nothing = { currentBytes: 0, peakBytes: 0 };

/** A report of no bytes at all. */
export const emptyMemory: MemoryReport = {
  ...nothing,
  liveBuffers: 0,
  categories: {
    weights: nothing,
    workspace: nothing,
    uniforms: nothing,
    constants: nothing,
    inputs: nothing,
    readback: nothing,
  },
};

/** A decision for the action of this class index. */
export function decisionFor(action: number): Decision {
  const scores = ACTIONS.map((label, i) => ({ label, logit: i === action ? 5 : 0, probability: 0 }));
  return { scores, tokens: ['<s>', 'a'], durationMs: 12, memory: { ...emptyMemory, peakBytes: action } };
}

/** What a player says of itself. */
export const playerInfo: PlayerInfo = {
  family: 'llama',
  backend: 'webgpu',
  adapter: { vendor: 'acme', architecture: 'x', device: '', description: '', isSoftware: false },
  checkpointBytes: 1,
  plannedBytes: { weights: 1, workspace: 0, uniforms: 0, constants: 0, inputs: 0, readback: 0, peak: 1 },
  numSteps: 78,
  planHash: 'abc',
  memory: { ...emptyMemory, peakBytes: 99 },
};
