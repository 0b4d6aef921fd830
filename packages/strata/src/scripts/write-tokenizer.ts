// Writes the tokenizer of the game's prompts as Hugging Face files: `npx tsx write-tokenizer.ts FOLDER`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenizerConfigJson, tokenizerJson } from '../prompt.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('expected a folder as the only argument');
mkdirSync(folder, { recursive: true });
const files = { 'tokenizer.json': tokenizerJson(), 'tokenizer_config.json': tokenizerConfigJson() };
for (const [name, content] of Object.entries(files)) {
  writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
}
