import { defineConfig, type Plugin } from 'vite';

/** Shaders are imported as text: what they say to people need not be sent to devices. */
function withoutShaderComments(): Plugin {
  return {
    name: 'without-shader-comments',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('.wgsl?raw')) return undefined;
      const text = JSON.parse(code.replace(/^export default /, '').replace(/;?\s*$/, '')) as string;
      return { code: `export default ${JSON.stringify(stripComments(text))}`, map: { mappings: '' } };
    },
  };
}

function stripComments(wgsl: string): string {
  return wgsl
    .replace(/\/\/.*$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** One file per entry, nothing inlined from dependencies: users' bundlers resolve the tokenizer library themselves. */
export default defineConfig({
  plugins: [withoutShaderComments()],
  build: {
    target: 'es2022',
    sourcemap: true,
    // Vite leaves the spaces in modules that are libraries; these are loaded as they are.
    minify: false,
    lib: { entry: { index: 'src/index.ts', node: 'src/node.ts' }, formats: ['es'] },
    rolldownOptions: {
      external: [/^node:/, '@huggingface/tokenizers', 'webgpu'],
      output: { minify: true },
    },
  },
});
