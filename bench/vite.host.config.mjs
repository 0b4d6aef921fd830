import { defineConfig } from 'vite';

/** The quantiser as one file for Node: a GPU host has no npm packages. */
export default defineConfig({
  ssr: {
    noExternal: true,
    external: ['webgpu'],
    resolve: { conditions: ['tromino-source', 'module', 'node', 'production'] },
  },
  build: {
    ssr: 'src/host/quantize_command.ts',
    outDir: 'dist/host',
    target: 'node20',
    minify: false,
    rolldownOptions: { output: { entryFileNames: 'quantize.mjs' } },
  },
});
