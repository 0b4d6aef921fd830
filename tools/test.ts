/** `npm test`: every check and every test of the workspace, with a count at the end and an exit code that tells. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ensureChromium } from '@tromino/lab';
import { runCommand } from './run_command.ts';
import { summariseTests, type VitestReport } from './vitest_report.ts';

/** npm scripts that must succeed, in this order: the size check weighs what the build wrote. */
const checks = ['typecheck', 'lint', 'format:check', 'layers', 'deadcode', 'build', 'size'];

/**
 * The least number of tests that each project of vitest.config.ts must have run. A browser that quietly ran none is red, and so is a
 * project that lost a file. Raise a floor when tests are added.
 */
const leastTests = { node: 1210, gpu: 350, e2e: 77 };

/** Far above what any step takes on a slow machine; one that reaches it hangs. */
const stepLimitMs = 1_800_000;

/** What a step found. */
interface StepOutcome {
  readonly numPassed: number;
  readonly failures: readonly string[];
  readonly notRun?: readonly string[];
  /** Shown when something failed. */
  readonly output?: string;
}

let numPassed = 0;
const failures: string[] = [];
const notRun: string[] = [];

/** Runs a step and prints how it ended and how long it took, with its output if it failed. */
async function runStep(name: string, step: () => Promise<StepOutcome>): Promise<void> {
  const started = performance.now();
  const outcome = await step();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const failed = outcome.failures.length > 0;
  if (failed && outcome.output !== undefined) console.log(outcome.output);
  const tests = name.startsWith('tests') ? `  ${outcome.numPassed} passed` : '';
  console.log(`${failed ? 'FAILED' : 'ok    '} ${name.padEnd(14)} ${seconds.padStart(6)} s${tests}`);
  numPassed += outcome.numPassed;
  failures.push(...outcome.failures.map((failure) => `${name}: ${failure}`));
  notRun.push(...(outcome.notRun ?? []).map((test) => `${name}: ${test}`));
}

function findBrowser(): Promise<StepOutcome> {
  try {
    console.log(`browser: ${ensureChromium(console.log)}`);
    return Promise.resolve({ numPassed: 1, failures: [] });
  } catch (error) {
    return Promise.resolve({ numPassed: 0, failures: [(error as Error).message] });
  }
}

async function runCheck(script: string): Promise<StepOutcome> {
  const { exitCode, output } = await runCommand('npm', ['run', '--silent', script], stepLimitMs);
  if (exitCode === 0) return { numPassed: 1, failures: [] };
  return { numPassed: 0, failures: [`npm run ${script} ended with ${describeExit(exitCode)}`], output };
}

async function runTests(project: keyof typeof leastTests): Promise<StepOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tromino-test-'));
  try {
    const reportFile = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const args = [vitest, 'run', '--project', project, ...reporters];
    const { exitCode, output } = await runCommand(process.execPath, args, stepLimitMs);
    const report = existsSync(reportFile)
      ? (JSON.parse(readFileSync(reportFile, 'utf8')) as VitestReport)
      : undefined;
    const outcome = summariseTests(report, describeExit(exitCode));
    const numRun = outcome.numPassed + outcome.failures.length;
    const least = leastTests[project];
    const tooFew = numRun < least ? [`${numRun} tests ran, at least ${least} must`] : [];
    return { ...outcome, failures: [...outcome.failures, ...tooFew], output };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function describeExit(exitCode: number | null): string {
  return exitCode === null ? 'no exit code: it hung or was killed' : `exit code ${exitCode}`;
}

await runStep('browser', findBrowser);
// Compiling shaders on a software adapter keeps one core busy, so what needs no GPU runs beside it.
await Promise.all([
  runStep('tests gpu', () => runTests('gpu')),
  (async () => {
    for (const check of checks) await runStep(check, () => runCheck(check));
    await runStep('tests node', () => runTests('node'));
  })(),
]);
await runStep('tests e2e', () => runTests('e2e'));

for (const test of notRun) console.log(`did not run: ${test}`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${numPassed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
