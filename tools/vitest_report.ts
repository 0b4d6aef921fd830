/** The parts of Vitest's JSON report that a summary needs. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** What came of a test project: how many tests passed, and which ones failed or did not run. */
export interface TestOutcome {
  readonly numPassed: number;
  readonly failures: readonly string[];
  readonly notRun: readonly string[];
}

/**
 * Sums up a test run. A file that broke before its tests began counts as one failure, and so does a run that ended badly although
 * every test passed: an error outside a test, say.
 *
 * @param report the JSON report, or undefined if the run left none
 * @param exit how the run ended: `exit code 0` when all is well
 */
export function summariseTests(report: VitestReport | undefined, exit: string): TestOutcome {
  if (report === undefined) {
    return { numPassed: 0, failures: [`the run left no report and ended with ${exit}`], notRun: [] };
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (isWanted: (status: string) => boolean): string[] =>
    tests.filter(({ status }) => isWanted(status)).map(({ fullName }) => fullName);
  const failures = [...named((status) => status === 'failed'), ...brokenFiles(report)];
  if (failures.length === 0 && exit !== 'exit code 0') failures.push(`the run ended with ${exit}`);
  return {
    numPassed: named((status) => status === 'passed').length,
    failures,
    notRun: named((status) => status !== 'passed' && status !== 'failed'),
  };
}

function brokenFiles({ testResults }: VitestReport): string[] {
  return testResults
    .filter(
      ({ status, assertionResults }) =>
        status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
    )
    .map(({ name, message }) => `${name}: ${message?.split('\n', 1)[0] ?? 'it broke outside its tests'}`);
}
