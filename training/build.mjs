// Bundles the rollout worker into one file that runs on a plain Node: training/dist/rollout.mjs.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));
await build({
  configFile: false,
  root: here,
  logLevel: 'warn',
  build: {
    ssr: join(here, '../packages/strata/src/scripts/rollout-worker.ts'),
    outDir: join(here, 'dist'),
    target: 'node20',
    rollupOptions: { output: { entryFileNames: 'rollout.mjs' } },
  },
});
