// Whoever has the released version can take the next one: what breaks their programs needs a version that says so.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { changesBetween, mayBreak, versionOf } from '../../../scripts/generate/sdk-api/changes.ts'

const read = (name: string) => readFileSync(resolve(import.meta.dirname, '../api', name), 'utf8')
const [released, current] = [read('released.txt'), read('current.txt')]

const whatToDo = `This breaks programs that use ${versionOf(released)} of the SDK. Either keep the old form beside the new one
(a member may stay and be optional, a method may pass its call on), or say in packages/sdk/package.json that it is
a version which may break, run \`npm run generate\`, and write in CHANGELOG.md what callers have to change.
Before the first release there is nobody to break: \`npm run release:sdk-api\` then takes the present as the measure.`

test('nothing breaks without a version that says so', () => {
  const breaking = changesBetween(released, current)
    .filter(({ isBreaking }) => isBreaking)
    .map(({ place, what }) => `${place} ${what}`)

  const isAllowed = mayBreak(versionOf(released), versionOf(current))
  expect(isAllowed ? [] : breaking, `${whatToDo}\n\n${breaking.join('\n')}`).toEqual([])
})

test('the report sees every operation and the parameters of a call', () => {
  expect(current).toContain('\n  customers.create: (body: CreateCustomer, options?: WriteOptions) => ')
  const without = current.replace(/^ {2}customers\.create: .*\n/m, '')
  expect(changesBetween(current, without)).toEqual([
    { place: 'Switchyard.customers.create', isBreaking: true, what: 'is gone' },
  ])
})
