// Users of the released version can upgrade safely: a breaking change needs a version number that announces it.
// `npm run release:sdk-api` saves the report of each release. Before the first release there is none.

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import {
  allowsBreakingChanges,
  changesBetween,
  versionOf,
} from '../../../scripts/generate/sdk-api/changes.ts'

const root = resolve(import.meta.dirname, '../../..')
const releasedReport = resolve(root, 'packages/sdk/api/released.txt')
const current = readFileSync(resolve(root, 'packages/sdk/api/current.txt'), 'utf8')
const released = existsSync(releasedReport) ? readFileSync(releasedReport, 'utf8') : null

test('the report of the last release is saved', () => {
  const changelog = readFileSync(resolve(root, 'CHANGELOG.md'), 'utf8')
  const [, lastRelease = null] = /^## (\d+\.\d+\.\d+) /m.exec(changelog) ?? []

  expect(released && versionOf(released), 'Run `npm run release:sdk-api`.').toBe(lastRelease)
})

test('there is no breaking change without a version number that allows it', () => {
  expect(unannouncedBreaks(released ?? current, current)).toEqual([])
})

test('a removed method is a breaking change: it needs a new minor version before 1.0', () => {
  const without = current.replace(/^ {2}customers\.create: .*\n/m, '')
  const withVersion = (report: string, version: string) =>
    report.replace(/version [\d.]+/, `version ${version}`)

  expect(unannouncedBreaks(withVersion(current, '0.1.0'), withVersion(without, '0.1.1'))).toEqual([
    expect.stringContaining('Switchyard.customers.create is gone: this breaks programs that use 0.1.0'),
  ])
  expect(unannouncedBreaks(withVersion(current, '0.1.0'), withVersion(without, '0.2.0'))).toEqual([])
})

/** The breaking changes, unless the version number announces them. */
function unannouncedBreaks(before: string, after: string): string[] {
  if (allowsBreakingChanges(versionOf(before), versionOf(after))) return []
  return changesBetween(before, after)
    .filter(({ isBreaking }) => isBreaking)
    .map(({ path, description }) => `${path} ${description}: ${whatToDo(versionOf(before))}`)
}

function whatToDo(version: string): string {
  return `this breaks programs that use ${version} of the SDK. Either keep the old form in addition to the new one (a member
can stay and be optional, a method can call the new one), or set a version in packages/sdk/package.json that allows
breaking changes, run \`npm run generate\`, and write in CHANGELOG.md what callers have to change.`
}

test('the report contains every operation and its parameters', () => {
  expect(current).toContain('\n  customers.create: (body: CreateCustomer, options?: WriteOptions) => ')
  const without = current.replace(/^ {2}customers\.create: .*\n/m, '')
  expect(changesBetween(current, without)).toEqual([
    { path: 'Switchyard.customers.create', isBreaking: true, description: 'is gone' },
  ])
})
