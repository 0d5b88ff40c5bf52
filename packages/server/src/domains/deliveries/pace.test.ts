import { expect, test } from 'vitest'
import { nextTurn, windowAfter } from './pace.ts'
import { Slots, slotKindOf } from './slots.ts'

test('the window grows by one with each success up to the limit, and is halved by a sign of too much', () => {
  let window = 4
  for (let nth = 0; nth < 10; nth += 1) window = windowAfter(window, 'ok', 10)
  expect(window).toBe(10)
  expect(windowAfter(10, 'timeout', 10)).toBe(5)
  expect(windowAfter(1, 'throttled', 10)).toBe(1)
  expect(windowAfter(6, 'http_error', 10)).toBe(6)
  // The limit was lowered meanwhile.
  expect(windowAfter(10, 'http_error', 3)).toBe(3)
})

test('turns of a rate limit are evenly apart, and unused ones are not saved up', () => {
  expect(nextTurn(1_000, 10, 1_050)).toBe(1_100)
  expect(nextTurn(1_000, 10, 5_000)).toBe(5_000)
  expect(nextTurn(1_000, null, 1_001)).toBe(1_001)
})

const limits = { total: 10, laterAtMost: 0.4, firstAtMost: 0.9, workspaceAtMost: 0.5 }
const fill = (slots: Slots, kind: 'first' | 'later', workspace: string, othersWait = false) => {
  let taken = 0
  while (slots.take(kind, workspace, () => othersWait)) taken += 1
  return taken
}

test('later attempts leave room for first ones, and first ones some for later ones', () => {
  const slots = new Slots(limits)
  expect(fill(slots, 'later', 'a')).toBe(4)
  expect(fill(slots, 'first', 'a')).toBe(6)
  expect(slots.full).toBe(true)

  const other = new Slots(limits)
  expect(fill(other, 'first', 'a')).toBe(9)
  expect(fill(other, 'later', 'a')).toBe(1)
})

test('a workspace takes its share while others wait, and more when nobody does', () => {
  const slots = new Slots(limits)
  expect(fill(slots, 'first', 'a', true)).toBe(5)
  expect(fill(slots, 'first', 'b', true)).toBe(4)
  slots.give('first', 'b')
  expect(fill(slots, 'first', 'a', false)).toBe(1)
})

test('the first two attempts are first ones', () => {
  expect([0, 1, 2, 3].map(slotKindOf)).toEqual(['first', 'first', 'later', 'later'])
})
