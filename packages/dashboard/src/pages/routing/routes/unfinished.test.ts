import { expect, test } from 'vitest'
import { type Condition, type Definition, ruleOf } from './definition.ts'
import { unfinishedIn, whereOf } from './unfinished.ts'

const whole: Definition = {
  name: 'Cards',
  rules: [],
  default: { type: 'priority', targets: ['one'] },
  failover: { max_attempts: 2, budget_ms: 20_000, on: [] },
  limits: null,
  examples: [],
}
const eur = { field: 'currency', op: 'eq', value: 'eur' } as const
const pointersOf = (definition: Definition) => unfinishedIn(definition).map(({ pointer }) => pointer)
const withRules = (...conditions: Condition[]) => ({
  ...whole,
  rules: conditions.map((condition, at) => ruleOf(`Rule ${at}`, condition, whole.default)),
})

test('a whole route has nothing unfinished', () => {
  expect(unfinishedIn(withRules({ all: [eur] }, { not: { any: [eur, { all: [] }] } }))).toEqual([])
})

test('a value that is missing is told at its place, however deep', () => {
  const empty = { ...eur, value: '' }
  const none = { field: 'card.country', op: 'in', value: [] }
  expect(pointersOf(withRules({ all: [eur, { any: [empty, none] }] }))).toEqual([
    '/rules/0/when/all/1/any/0',
    '/rules/0/when/all/1/any/1',
  ])
})

test('weights that do not total 100 and an action without accounts are told', () => {
  const split = { type: 'split' as const, targets: [{ provider_account_id: 'one', weight: 80 }] }
  expect(unfinishedIn({ ...whole, default: split })).toMatchObject([
    { pointer: '/default/targets', detail: 'The weights must add up to 100, not 80.' },
  ])
  expect(pointersOf({ ...whole, default: { type: 'priority', targets: [] } })).toEqual(['/default/targets'])
  expect(pointersOf({ ...whole, default: { type: 'decline' } })).toEqual([])
})

test('names are needed, and each is another one', () => {
  const [first, second] = withRules(eur, eur).rules
  const rules = [first, second].map((rule) => ({ ...(rule as NonNullable<typeof rule>), name: 'Same' }))
  expect(pointersOf({ ...whole, name: ' ', rules })).toEqual(['/name', '/rules/1/name'])
})

test('a place is named as people count', () => {
  expect(['/rules/2/when', '/default', '/failover', ''].map(whereOf)).toEqual([
    'Rule 3: ',
    'Default: ',
    'Failover: ',
    '',
  ])
})
