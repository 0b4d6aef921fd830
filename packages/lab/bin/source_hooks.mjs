// Module hooks behind register.mjs; Node runs them on its loader thread.
import { readFile } from 'node:fs/promises';

const rawQuery = '?raw';

/** Resolves workspace packages to their sources instead of their builds. */
export function resolve(specifier, context, nextResolve) {
  return nextResolve(specifier, { ...context, conditions: ['tromino-source', ...context.conditions] });
}

/** Loads `file?raw` as a module whose default export is the file's text, as Vite does. */
export async function load(url, context, nextLoad) {
  if (!url.endsWith(rawQuery)) return nextLoad(url, context);
  const text = await readFile(new URL(url.slice(0, -rawQuery.length)), 'utf8');
  return { format: 'module', source: `export default ${JSON.stringify(text)};`, shortCircuit: true };
}
