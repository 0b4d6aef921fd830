/** `npm test`: every check and every test of the workspace, with a count at the end and an exit code that tells. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { ensureChromium } from '@tromino/lab';
import { summariseTests, type VitestReport } from './vitest_report.ts';

/** npm scripts that must succeed, in this order: the size check weighs what the build wrote. */
const checks = ['typecheck', 'lint', 'format:check', 'layers', 'deadcode', 'build', 'size'];

/** Test projects of vitest.config.ts, with the least number of tests each must have run. A browser that quietly ran none is red. */
const testProjects = [
  { name: 'node', leastTests: 1 },
  { name: 'gpu', leastTests: 1 },
  { name: 'e2e', leastTests: 1 },
];

/** Far above what any step takes on a slow machine; one that reaches it hangs. */
const stepLimitMs = 600_000;

let numPassed = 0;
const failures: string[] = [];
const notRun: string[] = [];

/** Runs a step and prints how it ended and how long it took; the step returns what failed in it. */
function runStep(name: string, step: () => readonly string[]): void {
  const started = performance.now();
  const failed = step();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${failed.length === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds.padStart(6)} s`);
  failures.push(...failed.map((failure) => `${name}: ${failure}`));
}

function findBrowser(): string[] {
  try {
    console.log(`browser: ${ensureChromium(console.log)}`);
    numPassed += 1;
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function runCheck(script: string): string[] {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', script], {
    encoding: 'utf8',
    timeout: stepLimitMs,
    shell: process.platform === 'win32',
  });
  if (status === 0) {
    numPassed += 1;
    return [];
  }
  console.log(stdout + stderr);
  return [
    `npm run ${script} ended with ${status === null ? 'no exit code: it hung or was killed' : `exit code ${status}`}`,
  ];
}

function runTests(project: string, leastTests: number): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tromino-test-'));
  try {
    const reportFile = join(folder, 'report.json');
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const args = [
      vitest,
      'run',
      '--project',
      project,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportFile}`,
    ];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', timeout: stepLimitMs });
    const report = existsSync(reportFile)
      ? (JSON.parse(readFileSync(reportFile, 'utf8')) as VitestReport)
      : undefined;
    const outcome = summariseTests(report, status);
    numPassed += outcome.numPassed;
    notRun.push(...outcome.notRun.map((test) => `${project}: ${test}`));
    const numRun = outcome.numPassed + outcome.failures.length;
    return numRun < leastTests
      ? [...outcome.failures, `${numRun} tests ran, at least ${leastTests} must`]
      : [...outcome.failures];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

runStep('browser', findBrowser);
for (const check of checks) runStep(check, () => runCheck(check));
for (const { name, leastTests } of testProjects) runStep(`tests ${name}`, () => runTests(name, leastTests));

for (const test of notRun) console.log(`did not run: ${test}`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${numPassed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
