import { expect, test } from 'vitest'
import { type Condition, type Definition, ruleOf } from './definition.ts'
import { incompleteParts, locationOf } from './incomplete-parts.ts'

const complete: Definition = {
  name: 'Cards',
  rules: [],
  default: { type: 'priority', targets: ['one'] },
  failover: { max_attempts: 2, budget_ms: 20_000, on: [] },
  limits: null,
  examples: [],
}
const eur = { field: 'currency', op: 'eq', value: 'eur' } as const
const pointersOf = (definition: Definition) => incompleteParts(definition).map(({ pointer }) => pointer)
const withRules = (...conditions: Condition[]) => ({
  ...complete,
  rules: conditions.map((condition, position) => ruleOf(`Rule ${position}`, condition, complete.default)),
})

test('a complete route has no findings', () => {
  expect(incompleteParts(withRules({ all: [eur] }, { not: { any: [eur, { all: [] }] } }))).toEqual([])
})

test('a missing value is reported at its pointer, at any depth', () => {
  const empty = { ...eur, value: '' }
  const none = { field: 'card.country', op: 'in', value: [] }
  expect(pointersOf(withRules({ all: [eur, { any: [empty, none] }] }))).toEqual([
    '/rules/0/when/all/1/any/0',
    '/rules/0/when/all/1/any/1',
  ])
})

test('weights that do not add up to 100 and an action without accounts are reported', () => {
  const split = { type: 'split' as const, targets: [{ provider_account_id: 'one', weight: 80 }] }
  expect(incompleteParts({ ...complete, default: split })).toMatchObject([
    { pointer: '/default/targets', detail: 'The weights must add up to 100, not 80.' },
  ])
  expect(pointersOf({ ...complete, default: { type: 'priority', targets: [] } })).toEqual([
    '/default/targets',
  ])
  expect(pointersOf({ ...complete, default: { type: 'decline' } })).toEqual([])
})

test('a missing route name and a duplicate rule name are reported', () => {
  const [first, second] = withRules(eur, eur).rules
  const rules = [first, second].map((rule) => ({ ...(rule as NonNullable<typeof rule>), name: 'Same' }))
  expect(pointersOf({ ...complete, name: ' ', rules })).toEqual(['/name', '/rules/1/name'])
})

test('the location of a finding counts rules from 1', () => {
  expect(['/rules/2/when', '/default', '/failover', ''].map(locationOf)).toEqual([
    'Rule 3: ',
    'Default: ',
    'Failover: ',
    '',
  ])
})
