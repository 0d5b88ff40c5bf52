/** Counts passed and failed tests in JSON reports of Vitest, and lists failures and slow files. No side effects. */

export type Report = {
  /** True if vitest ended before it wrote the report. */
  readonly missing?: boolean
  readonly testResults: readonly FileResult[]
}

type FileResult = {
  readonly name: string
  readonly status: string
  readonly startTime: number
  readonly endTime: number
  /** Why the file could not be loaded. */
  readonly message?: string
  readonly assertionResults: readonly TestResult[]
}

type TestResult = {
  readonly status: string
  readonly fullName?: string
  readonly failureMessages?: readonly string[]
}

/** A file that could not be loaded has no tests, and a missing report no files: each counts as one failed test. */
export function countsOf(reports: readonly Report[]): { passed: number; failed: number } {
  let [passed, failed] = [0, 0]
  for (const { missing, testResults } of reports) {
    if (missing === true) failed += 1
    for (const { status, assertionResults } of testResults) {
      passed += assertionResults.filter((test) => test.status === 'passed').length
      const failedTests = assertionResults.filter((test) => test.status === 'failed').length
      failed += status === 'failed' ? Math.max(1, failedTests) : failedTests
    }
  }
  return { passed, failed }
}

export type Failure = { readonly file: string; readonly test: string; readonly message: string }

/** All failed tests. They are printed at the end, so that the end of the output shows what failed. */
export function failuresOf(reports: readonly Report[]): Failure[] {
  return reports
    .flatMap(({ testResults }) => testResults)
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name: file, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      if (failed.length === 0)
        return [{ file, test: '(the file could not be loaded)', message: message ?? '' }]
      return failed.map(({ fullName, failureMessages }) => ({
        file,
        test: fullName ?? '',
        message: (failureMessages ?? []).join('\n'),
      }))
    })
}

export type SlowFile = { readonly file: string; readonly tests: number; readonly seconds: number }

export function slowestOf(reports: readonly Report[], count: number): SlowFile[] {
  return reports
    .flatMap(({ testResults }) => testResults)
    .map(({ name, assertionResults, startTime, endTime }) => ({
      file: name,
      tests: assertionResults.length,
      seconds: (endTime - startTime) / 1_000,
    }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
}
