import { expect, test } from 'vitest'
import { conditionOfGroup, groupOf } from './condition-group.ts'
import type { Condition } from './definition.ts'

const leaf = { field: 'currency', op: 'eq', value: 'eur' } as const
const forms: readonly Condition[] = [
  { all: [leaf, leaf] },
  { any: [leaf, leaf] },
  { not: { any: [leaf, leaf] } },
  { not: leaf },
  { not: { all: [leaf, leaf] } },
]

test('every condition can be converted to a group and back', () => {
  for (const condition of forms) {
    const { join, parts } = groupOf(condition, '/when')
    expect(conditionOfGroup(join, parts)).toEqual(condition)
  }
})

test('each part has the JSON pointer that the API uses', () => {
  expect(forms.map((condition) => groupOf(condition, '/when').pointerOf(1))).toEqual([
    '/when/all/1',
    '/when/any/1',
    '/when/not/any/1',
    '/when/not',
    '/when/not',
  ])
  expect(groupOf(leaf, '/when').pointerOf(0)).toBe('/when')
})

test('a group without parts matches every payment', () => {
  for (const join of ['all', 'any', 'none'] as const) expect(conditionOfGroup(join, [])).toEqual({ all: [] })
})
