import { describe, expect, it } from 'vitest';
import { summariseTests, type VitestReport } from './vitest_report.ts';

const file = (
  status: string,
  tests: Record<string, string>,
  message = '',
): VitestReport['testResults'][number] => ({
  name: 'a.test.ts',
  status,
  message,
  assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
});

describe('summariseTests', () => {
  it('counts what passed and names what failed or did not run', () => {
    const report = {
      testResults: [
        file('failed', { adds: 'passed', divides: 'failed', draws: 'skipped' }),
        file('passed', { reads: 'passed' }),
      ],
    };
    expect(summariseTests(report, 'exit code 1')).toEqual({
      numPassed: 2,
      failures: ['divides'],
      notRun: ['draws'],
    });
  });

  it('counts a file that could not be loaded as one failure', () => {
    const report = { testResults: [file('failed', {}, 'SyntaxError: unexpected token\n  at line 3')] };
    expect(summariseTests(report, 'exit code 1')).toEqual({
      numPassed: 0,
      failures: ['a.test.ts: SyntaxError: unexpected token'],
      notRun: [],
    });
  });

  it('fails a run that ended badly although every test passed', () => {
    const report = { testResults: [file('passed', { adds: 'passed' })] };
    expect(summariseTests(report, 'exit code 1').failures).toEqual(['the run ended with exit code 1']);
    expect(summariseTests(report, 'no exit code').failures).toEqual(['the run ended with no exit code']);
    expect(summariseTests(report, 'exit code 0').failures).toEqual([]);
  });

  it('fails a run that left no report', () => {
    expect(summariseTests(undefined, 'exit code 0')).toEqual({
      numPassed: 0,
      failures: ['the run left no report and ended with exit code 0'],
      notRun: [],
    });
  });
});
