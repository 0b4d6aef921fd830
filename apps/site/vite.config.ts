import { defineConfig } from 'vite';

/** Relative addresses, so that the built page works under any path; the runtime is taken from its sources. */
export default defineConfig({
  base: './',
  resolve: { conditions: ['tromino-source', 'module', 'browser', 'production'] },
  build: { target: 'es2022', modulePreload: false },
  worker: { format: 'es' },
});
