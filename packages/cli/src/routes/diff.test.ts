import { expect, test } from 'vitest'
import { changesBetween } from './diff.ts'

const rule = (name: string, value: string) => ({ name, when: { field: 'currency', op: 'eq', value } })

test.each([
  ['the same members in a different order', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ['null and an empty list', { limits: null }, { limits: [] }, []],
  ['a value', { name: 'One' }, { name: 'Two' }, [['/name', 'changed']]],
  [
    'an added rule, matched by name and not by position',
    { rules: [rule('A', 'eur')] },
    { rules: [rule('B', 'chf'), rule('A', 'eur')] },
    [['/rules/B', 'added']],
  ],
  [
    'a value inside a rule',
    { rules: [rule('A', 'eur')] },
    { rules: [rule('A', 'usd')] },
    [['/rules/A/when/value', 'changed']],
  ],
  [
    'a removed rule',
    { rules: [rule('A', 'eur'), rule('B', 'usd')] },
    { rules: [rule('B', 'usd')] },
    [['/rules/A', 'removed']],
  ],
  [
    'rules in a different order',
    { rules: [rule('A', 'eur'), rule('B', 'usd')] },
    { rules: [rule('B', 'usd'), rule('A', 'eur')] },
    [['/rules', 'changed']],
  ],
  ['a name with a slash', { 'a/b': 1 }, { 'a/b': 2 }, [['/a~1b', 'changed']]],
])('changes: %s', (_, from, to, expected) => {
  expect(changesBetween(from, to).map(({ pointer, change }) => [pointer, change])).toEqual(expected)
})
