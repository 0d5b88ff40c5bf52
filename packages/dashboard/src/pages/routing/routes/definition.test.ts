import { expect, test } from 'vitest'
import { asType, evenShares, idsOf, moveRule, newName, type Rule, ruleOf } from './definition.ts'

const rule = (name: string): Rule => ruleOf(name, { all: [] }, { type: 'decline' })
const names = (rules: readonly Rule[]) => rules.map(({ name }) => name).join('')
const three = [rule('a'), rule('b'), rule('c')]

test('a rule moves one place at a time, and not beyond the ends', () => {
  expect(names(moveRule(three, 1, -1))).toBe('bac')
  expect(names(moveRule(three, 1, 1))).toBe('acb')
  expect(names(moveRule(three, 0, -1))).toBe('abc')
  expect(names(moveRule(three, 2, 1))).toBe('abc')
})

test('shares are whole and total 100, however many accounts there are', () => {
  for (const count of [1, 2, 3, 6, 7, 33]) {
    const shares = evenShares(Array.from({ length: count }, (_, at) => String(at)))
    expect(shares.reduce((sum, { weight }) => sum + weight, 0)).toBe(100)
  }
})

test('another kind of action keeps the accounts', () => {
  const split = asType({ type: 'priority', targets: ['one', 'two'] }, 'split')
  expect(split.targets).toEqual([
    { provider_account_id: 'one', weight: 50 },
    { provider_account_id: 'two', weight: 50 },
  ])
  expect(idsOf(asType(split, 'priority'))).toEqual(['one', 'two'])
  expect(asType(split, 'decline')).toEqual({ type: 'decline' })
})

test('a new rule gets a name that no other has', () => {
  expect(newName([rule('Rule 1'), rule('Rule 3')], 'Rule')).toBe('Rule 4')
})
