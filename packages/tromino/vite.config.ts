import { defineConfig } from 'vite';

/** One file per entry, nothing inlined from dependencies: users' bundlers resolve the tokenizer library themselves. */
export default defineConfig({
  build: {
    target: 'es2022',
    sourcemap: true,
    minify: false,
    lib: { entry: { index: 'src/index.ts', node: 'src/node.ts' }, formats: ['es'] },
    rolldownOptions: { external: [/^node:/, '@huggingface/tokenizers', 'webgpu'] },
  },
});
