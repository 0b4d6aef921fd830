import { loadInWorker, type LoadInWorkerOptions } from './model_worker.ts';
import type { Decision, PlayerInfo } from './player_protocol.ts';

/** A loaded model that decides moves. */
export interface Player {
  readonly info: PlayerInfo;
  /** @throws ModelError if the model fails, or if the player is disposed of meanwhile. */
  decide(prompt: string): Promise<Decision>;
  /** Gives back everything that the model holds. Open decisions reject. */
  dispose(): void;
}

/** Loads a player in a worker of its own. @throws what `loadInWorker` throws. */
export async function loadPlayer(options: LoadInWorkerOptions): Promise<Player> {
  const worker = new Worker(new URL('./player_worker.ts', import.meta.url), { type: 'module' });
  const model = await loadInWorker<PlayerInfo, string, Decision>(options, worker);
  return {
    info: model.info,
    decide: (prompt) => model.ask(prompt),
    dispose: () => {
      model.dispose();
    },
  };
}
