import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchModel, BenchTask, ExpectedScores } from '../suite.ts';

interface GoldenFile {
  readonly cases: readonly {
    readonly input_ids: readonly number[];
    readonly text?: string;
    readonly logits: readonly number[];
  }[];
}

/**
 * What the shipped model must answer: the first case of its `golden.json`.
 * @throws Error if there is none.
 */
export function expectedOfGolden(folder: string): ExpectedScores {
  const { cases } = JSON.parse(readFileSync(join(folder, 'golden.json'), 'utf8')) as GoldenFile;
  const [first] = cases;
  if (!first) throw new Error(`${folder}/golden.json: expected a case, found none`);
  const { input_ids: ids, text, logits: scores } = first;
  return { ids, scores, ...(text !== undefined && { text }) };
}

/**
 * The models of a folder that the export scripts filled: `NAME/`, `NAME.json`, and `NAME.onnx` where there is one.
 * @param prefix where the page finds the folder
 * @throws Error if there are none.
 */
export function exportedModels(folder: string, prefix: string): readonly BenchModel[] {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .filter((name) => existsSync(join(folder, name, 'config.json')));
  if (names.length === 0) throw new Error(`${folder}: expected NAME/ and NAME.json, found no such pair`);
  return names.map((name) => ({
    name,
    task: taskOf(join(folder, `${name}.json`)),
    folder: `${prefix}${name}/`,
    expected: `${prefix}${name}.json`,
    ...(existsSync(join(folder, `${name}.onnx`)) && { onnx: `${prefix}${name}.onnx` }),
  }));
}

/** Answers are looked for where the file says in what; scores that are no plain list are those of tokens. */
function taskOf(expected: string): BenchTask {
  const { layout, scores } = JSON.parse(readFileSync(expected, 'utf8')) as {
    readonly layout?: unknown;
    readonly scores?: readonly unknown[];
  };
  if (layout !== undefined) return 'answers';
  return Array.isArray(scores?.[0]) ? 'span-logits' : 'classification';
}
