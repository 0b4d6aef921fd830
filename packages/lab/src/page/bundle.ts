import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const entry = fileURLToPath(new URL('./page.ts', import.meta.url));

/** The page's files by name, ready to be served. */
export type PageFiles = ReadonlyMap<string, string | Uint8Array>;

/** Bundles the page and the runtime in it from their sources, in memory: what runs is always what is written. */
export async function bundlePage(): Promise<PageFiles> {
  const result = await build({
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'silent',
    resolve: { conditions: ['tromino-source', 'module', 'browser', 'production'] },
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: entry, output: { entryFileNames: 'page.js' } },
    },
  });
  if (!('output' in result)) throw new Error('the page was not bundled in one go');
  const files = new Map<string, string | Uint8Array>([['index.html', html]]);
  for (const item of result.output) files.set(item.fileName, item.type === 'chunk' ? item.code : item.source);
  return files;
}

const html =
  '<!doctype html><meta charset="utf-8"><title>tromino</title><script type="module" src="page.js"></script>\n';
