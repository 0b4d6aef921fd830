import { defineConfig } from 'vite';

/** Three pages in one folder that runs wherever it is put: relative paths, the runtime bundled from its sources. */
export default defineConfig({
  base: './',
  worker: { format: 'es' },
  resolve: { conditions: ['tromino-source', 'module', 'browser', 'production'] },
  build: {
    target: 'es2022',
    minify: false,
    modulePreload: false,
    rolldownOptions: { input: { index: 'index.html', play: 'play.html', agree: 'agree.html' } },
  },
});
