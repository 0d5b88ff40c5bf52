// Reads the JSON reports of vitest that are named on the command line, prints the slowest files and every failed test
// with its message, and as its last line the number of passed and failed tests. Exits with 1 if a test failed or none ran.

import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { table } from '../../bench/table.ts'
import { countsOf, failuresOf, type Report, slowestOf } from './counts.ts'

const root = resolve(import.meta.dirname, '../..')
const reports: Report[] = process.argv.slice(2).map((file) => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text === '' ? { missing: true, testResults: [] } : JSON.parse(text)
})

const rows = slowestOf(reports, 20).map(({ file, tests, seconds }) => [
  relative(root, file),
  String(tests),
  seconds.toFixed(1),
])
console.log(`${table(['slowest files', 'tests', 'seconds'], rows)}\n`)
for (const { file, test, message } of failuresOf(reports)) {
  const lines = message.split('\n').slice(0, 12)
  console.log(`FAILED ${relative(root, file)}: ${test}\n${lines.map((line) => `  ${line}\n`).join('')}`)
}
const { passed, failed } = countsOf(reports)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
