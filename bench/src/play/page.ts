/**
 * The evaluation of the player as a page, for hosts that have a browser and little else. It reads `play.json` beside it
 * (`{ folder, games, pieces, firstSeed, maxBatch }`) and ends with `window.done`, its report printed and in `window.result`.
 */
import { loadClassifier } from 'tromino';
import { runPage } from '../run_page.ts';
import { evaluatePlayers, type EvaluationOptions } from './evaluate.ts';
import { formatEvaluation, summarisePlayer } from './report.ts';

type PlaySettings = Pick<EvaluationOptions, 'games' | 'pieces' | 'firstSeed' | 'maxBatch'> & {
  readonly folder: string;
};

async function main(): Promise<void> {
  const response = await fetch(new URL('play.json', location.href));
  const { folder, ...settings } = (await response.json()) as PlaySettings;
  using model = await loadClassifier(new URL(folder, location.href), { backend: 'webgpu' });
  const { adapter } = model;
  console.log(`playing on ${JSON.stringify(adapter)}`);
  const players = await evaluatePlayers({
    ...settings,
    scorePrompts: async (prompts) => (await model.classify(prompts)).map(({ logits }) => logits),
    onProgress: (line) => {
      console.log(line);
    },
  });
  for (const line of formatEvaluation(players, settings.pieces).split('\n')) console.log(line);
  window.result = {
    adapter,
    settings,
    players: players.map((player) => ({ ...summarisePlayer(player), results: player.games })),
  };
}

runPage(main);
