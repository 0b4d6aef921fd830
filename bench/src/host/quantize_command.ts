/**
 * `node dist/host/quantize.mjs FOLDER OUT`: what `tromino quantize FOLDER OUT --to nf4` does, in one file that runs on a host where no npm
 * package is installed.
 */
import process from 'node:process';
import { quantize } from '../../../packages/lab/src/commands/quantize.ts';

async function main(): Promise<number> {
  const [folder, out] = process.argv.slice(2);
  if (folder === undefined || out === undefined) {
    console.error('usage: node quantize.mjs FOLDER OUT');
    return 2;
  }
  const { signal } = new AbortController();
  return await quantize(folder, out, { blockSize: 64, doubleQuantization: false, signal });
}

main()
  .then((code) => {
    process.exitCode = code;
  })
  .catch((error: unknown) => {
    console.error(`quantize: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
