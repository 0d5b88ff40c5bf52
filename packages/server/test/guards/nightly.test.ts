// `npm run nightly` runs every benchmark, drill and long test of package.json, and CI runs every test
// project, so that none of them can break unnoticed.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nightlyCommands, runByCi } from '../../../../scripts/nightly/commands.ts'
import { root } from './support/repository.ts'

const scripts = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)
const mustRun = /^(bench|drill|test|capacity|growth|soak|counters|demo)(:|$)/
const nightly = nightlyCommands.map(({ script }) => script)

test('every benchmark, drill and test command is in the nightly list or run by CI', () => {
  const required = scripts.filter((name) => mustRun.test(name))

  expect(required).toEqual(expect.arrayContaining(['bench', 'drill:restore', 'test:money', 'demo:link']))
  expect(required.filter((name) => !nightly.includes(name) && !runByCi.includes(name))).toEqual([])
})

test('each command of the nightly list exists and has a time limit', () => {
  expect(nightly.filter((name) => !scripts.includes(name))).toEqual([])
  for (const { script, minutes } of nightlyCommands) {
    expect(minutes, script).toBeGreaterThan(0)
    expect(minutes, script).toBeLessThanOrEqual(20)
  }
})

test('each command marked as run by CI is called in .ci/run', () => {
  const ci = readFileSync(join(root, '.ci/run'), 'utf8')

  for (const name of runByCi) expect(ci).toMatch(new RegExp(`^ *(step )?npm (run )?${name}( |$)`, 'm'))
})

test('the CI workflow runs every test project once', () => {
  const namesIn = (path: string, pattern: RegExp) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(pattern)]
      .map(([, quoted, plain]) => quoted ?? plain)
      .toSorted()
  const projects = namesIn('vitest.config.ts', /name: '([^']+)'/g)

  expect(projects).toContain('flows')
  expect(namesIn('.github/workflows/ci.yml', /--project (?:'([^']+)'|(\w+))/g)).toEqual(projects)
})
