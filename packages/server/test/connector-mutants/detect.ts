// Determines whether a mutant of a connector is detected in the patched copy: by the tests of the connector
// with their fixtures, or by its smoke test against the emulator.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Detection = {
  /** The names of the tests that fail. */
  readonly tests: readonly string[]
  /** The steps that fail against the emulator. */
  readonly emulatorSteps: readonly string[]
}

export async function detect(folder: string, connector: string): Promise<Detection> {
  const [tests, emulatorSteps] = await Promise.all([
    failingTests(folder, connector),
    failingSteps(folder, connector),
  ])
  return { tests, emulatorSteps }
}

type TestReport = {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

async function failingTests(folder: string, connector: string): Promise<readonly string[]> {
  const report = join(folder, 'report.json')
  const output = await run(folder, [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config=packages/server/test/connector-mutants/vitest.config.ts',
    '--reporter=json',
    `--outputFile=${report}`,
    `packages/server/src/providers/${connector}/`,
  ])
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as TestReport
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  // Without results, the code could not be loaded: the mutant is not valid.
  if (testResults.some(({ assertionResults }) => assertionResults.length === 0) || results.length === 0)
    throw new Error(`The tests of ${connector} could not be run:\n${output}`)
  return results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
}

async function failingSteps(folder: string, connector: string): Promise<readonly string[]> {
  return JSON.parse(
    await run(folder, ['packages/server/test/connector-mutants/emulator-check.ts', connector]),
  )
}

/** The output of a program, which may fail. */
function run(folder: string, args: readonly string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const options = { cwd: folder, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 }
  execFile(process.execPath, args, options, (_, stdout, stderr) => resolve(stdout || stderr))
  return promise
}
