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

test('every form of a condition is a group, and the group makes the same condition again', () => {
  for (const condition of forms) {
    const { join, parts } = groupOf(condition, '/when')
    expect(conditionOfGroup(join, parts)).toEqual(condition)
  }
})

test('the place of each part is the one that the API names', () => {
  expect(forms.map((condition) => groupOf(condition, '/when').pointerOf(1))).toEqual([
    '/when/all/1',
    '/when/any/1',
    '/when/not/any/1',
    '/when/not',
    '/when/not',
  ])
  expect(groupOf(leaf, '/when').pointerOf(0)).toBe('/when')
})

test('without parts every group matches everything', () => {
  for (const join of ['all', 'any', 'none'] as const) expect(conditionOfGroup(join, [])).toEqual({ all: [] })
})
