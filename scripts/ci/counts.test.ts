import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { countsOf, failuresOf, slowestOf } from './counts.ts'
import { slowFiles } from './slowest-files-first.ts'

const fileResult = (name: string, statuses: readonly string[], seconds = 1) => ({
  name,
  status: statuses.includes('failed') || statuses.length === 0 ? 'failed' : 'passed',
  startTime: 0,
  endTime: seconds * 1_000,
  assertionResults: statuses.map((status) => ({ status })),
})

test('passed and failed tests of all reports are added up, and skipped tests are not counted', () => {
  const reports = [
    { testResults: [fileResult('a', ['passed', 'passed', 'skipped'])] },
    { testResults: [fileResult('b', ['passed', 'failed'])] },
  ]

  expect(countsOf(reports)).toEqual({ passed: 3, failed: 1 })
})

test('a file that could not be loaded and a report that is missing count as failures', () => {
  const reports = [{ testResults: [fileResult('a', [])] }, { missing: true, testResults: [] }]

  expect(countsOf(reports)).toEqual({ passed: 0, failed: 2 })
})

test('every failed test is listed with its message, and so is a file that could not be loaded', () => {
  const file = { name: 'a', status: 'failed', startTime: 0, endTime: 1 }
  const reports = [
    {
      testResults: [
        {
          ...file,
          assertionResults: [
            { status: 'passed', fullName: 'adds' },
            { status: 'failed', fullName: 'subtracts', failureMessages: ['expected 1 to be 2'] },
          ],
        },
      ],
    },
    { testResults: [{ ...file, name: 'b', message: 'no such module', assertionResults: [] }] },
  ]

  expect(failuresOf(reports)).toEqual([
    { file: 'a', test: 'subtracts', message: 'expected 1 to be 2' },
    { file: 'b', test: '(the file could not be loaded)', message: 'no such module' },
  ])
})

test('the slowest files come first, with their tests and seconds', () => {
  const report = { testResults: [fileResult('a', ['passed'], 2), fileResult('b', ['passed', 'passed'], 9)] }

  expect(slowestOf([report], 1)).toEqual([{ file: 'b', tests: 2, seconds: 9 }])
})

test('every file in the list of slow files exists', () => {
  const packages = resolve(import.meta.dirname, '../../packages')

  expect(slowFiles.filter((file) => !existsSync(resolve(packages, file)))).toEqual([])
})
