import { expect, test } from 'vitest'
import { nextSendMs, windowAfter } from './pace.ts'
import { Slots, slotKindOf } from './slots.ts'

test('the window grows by one with each success up to the limit, and is halved by a timeout or a throttled response', () => {
  let window = 4
  for (let nth = 0; nth < 10; nth += 1) window = windowAfter(window, 'ok', 10)
  expect(window).toBe(10)
  expect(windowAfter(10, 'timeout', 10)).toBe(5)
  expect(windowAfter(1, 'throttled', 10)).toBe(1)
  expect(windowAfter(6, 'http_error', 10)).toBe(6)
  // The limit was lowered in the meantime.
  expect(windowAfter(10, 'http_error', 3)).toBe(3)
})

test('a rate limit spaces requests evenly, and an idle time does not allow a burst afterwards', () => {
  expect(nextSendMs(1_000, 10, 1_050)).toBe(1_100)
  expect(nextSendMs(1_000, 10, 5_000)).toBe(5_000)
  expect(nextSendMs(1_000, null, 1_001)).toBe(1_001)
})

const limits = { total: 10, maxLaterShare: 0.4, maxFirstShare: 0.9, maxWorkspaceShare: 0.5 }
const fill = (slots: Slots, kind: 'first' | 'later', workspace: string, othersWait = false) => {
  let acquired = 0
  while (slots.tryAcquire(kind, workspace, () => othersWait)) acquired += 1
  return acquired
}

test('later attempts leave slots for first attempts, and first attempts leave some for later ones', () => {
  const slots = new Slots(limits)
  expect(fill(slots, 'later', 'a')).toBe(4)
  expect(fill(slots, 'first', 'a')).toBe(6)
  expect(slots.isFull).toBe(true)

  const other = new Slots(limits)
  expect(fill(other, 'first', 'a')).toBe(9)
  expect(fill(other, 'later', 'a')).toBe(1)
})

test('a workspace is limited to its share while other workspaces wait, and can use more when none does', () => {
  const slots = new Slots(limits)
  expect(fill(slots, 'first', 'a', true)).toBe(5)
  expect(fill(slots, 'first', 'b', true)).toBe(4)
  slots.release('first', 'b')
  expect(fill(slots, 'first', 'a', false)).toBe(1)
})

test('the first two attempts of a delivery use the slots for first attempts', () => {
  expect([0, 1, 2, 3].map(slotKindOf)).toEqual(['first', 'first', 'later', 'later'])
})
