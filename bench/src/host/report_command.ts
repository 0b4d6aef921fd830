/** `npm run report -w bench -- FILE`: the rows of a run, a line of JSON each, as Markdown tables. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { formatResults, parseResults } from '../report.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: npm run report -w bench -- results.jsonl');
  process.exitCode = 2;
} else {
  console.log(formatResults(parseResults(readFileSync(file, 'utf8'))));
}
