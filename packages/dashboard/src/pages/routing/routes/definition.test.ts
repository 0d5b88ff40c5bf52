import { expect, test } from 'vitest'
import { convertAction, evenShares, idsOf, moveRule, type Rule, ruleOf, uniqueName } from './definition.ts'

const rule = (name: string): Rule => ruleOf(name, { all: [] }, { type: 'decline' })
const names = (rules: readonly Rule[]) => rules.map(({ name }) => name).join('')
const rules = [rule('a'), rule('b'), rule('c')]

test('a rule moves by one; the first rule cannot move up and the last rule cannot move down', () => {
  expect(names(moveRule(rules, 1, -1))).toBe('bac')
  expect(names(moveRule(rules, 1, 1))).toBe('acb')
  expect(names(moveRule(rules, 0, -1))).toBe('abc')
  expect(names(moveRule(rules, 2, 1))).toBe('abc')
})

test('even shares are whole percentages that add up to 100', () => {
  for (const count of [1, 2, 3, 6, 7, 33]) {
    const shares = evenShares(Array.from({ length: count }, (_, position) => String(position)))
    expect(shares.reduce((sum, { weight }) => sum + weight, 0)).toBe(100)
  }
})

test('converting an action keeps its accounts', () => {
  const split = convertAction({ type: 'priority', targets: ['one', 'two'] }, 'split')
  expect(split.targets).toEqual([
    { provider_account_id: 'one', weight: 50 },
    { provider_account_id: 'two', weight: 50 },
  ])
  expect(idsOf(convertAction(split, 'priority'))).toEqual(['one', 'two'])
  expect(convertAction(split, 'decline')).toEqual({ type: 'decline' })
})

test('a new rule gets a unique name', () => {
  expect(uniqueName([rule('Rule 1'), rule('Rule 3')], 'Rule')).toBe('Rule 4')
})
