import type { AdapterDescription } from 'tromino';
import { htmlById } from '../dom.ts';
import type { PlayerInfo } from '../player_protocol.ts';

/** Who computes, and whether its times mean anything. */
export class AdapterPanel {
  readonly #root = htmlById('adapter');
  readonly #name = htmlById('adapter-name');
  readonly #note = htmlById('adapter-note');

  showLoading(): void {
    this.#show('loading', 'Looking for a GPU', 'WebGPU where it is there, the CPU where it is not.');
  }

  showFailed(title: string): void {
    this.#show('failed', title, 'No model is loaded.');
  }

  /** @param isFallback whether WebGPU was wanted and the CPU had to do. */
  showLoaded(info: Pick<PlayerInfo, 'backend' | 'adapter'>, isFallback: boolean): void {
    const { name, isGpu } = describeBackend(info);
    if (info.backend === 'cpu') {
      const why = isFallback ? 'This browser offers no WebGPU adapter, so the' : 'The';
      this.#show(
        'software',
        name,
        `${why} portable backend plays: the same plan, much slower. Its times say nothing about WebGPU.`,
      );
    } else if (isGpu) {
      this.#show('gpu', name, 'The times below are of this GPU, in this tab.');
    } else {
      this.#show(
        'software',
        name,
        'This adapter is software on the CPU: its answers are right, its times say nothing about a GPU.',
      );
    }
  }

  #show(state: string, name: string, note: string): void {
    this.#root.dataset['state'] = state;
    this.#name.textContent = name;
    this.#note.textContent = note;
  }
}

/** Who computes, in a few words, and whether that is a GPU. */
export function describeBackend({ backend, adapter }: Pick<PlayerInfo, 'backend' | 'adapter'>): {
  readonly name: string;
  readonly isGpu: boolean;
} {
  if (backend === 'cpu') return { name: 'CPU, portable backend', isGpu: false };
  return { name: `WebGPU on ${adapterName(adapter)}`, isGpu: !adapter.isSoftware };
}

/** An adapter in as few words as it gives; browsers leave out what could identify someone. */
function adapterName({ vendor, architecture, device, description }: AdapterDescription): string {
  const words = description !== '' ? [description] : [vendor, architecture, device];
  return words.filter((word) => word !== '').join(' ') || 'an adapter that does not give its name';
}
