// The reminder schedule: each reminder once, the due date, and the final action last.

import { expect, test } from 'vitest'
import { dueAtOf, finalActionAt, isReminderDue, nextReminderAt, type ReminderTerms } from './reminders.ts'

const terms: ReminderTerms = { reminderDays: [-3, 1, 7, 14], localHour: 9, finalAction: 'uncollectible' }
const finalizedAt = new Date('2026-11-01T12:30:00Z')

/** The times of all actions, computed one after the other as the worker does. */
function scheduleOf(dueAt: Date, from: Date, policy = terms): string[] {
  const times: string[] = []
  for (let at = nextReminderAt(dueAt, policy, from); at !== null; at = nextReminderAt(dueAt, policy, at))
    times.push(at.toISOString())
  return times
}

test('reminders are sent at the hour of the policy; the due date and the final action follow from the terms', () => {
  expect(scheduleOf(dueAtOf(14, finalizedAt), finalizedAt)).toEqual([
    '2026-11-12T09:00:00.000Z',
    '2026-11-15T12:30:00.000Z',
    '2026-11-16T09:00:00.000Z',
    '2026-11-22T09:00:00.000Z',
    '2026-11-29T09:00:00.000Z',
    '2026-12-06T09:00:00.000Z',
  ])
})

test('a reminder that would have been due before finalization is skipped', () => {
  expect(scheduleOf(dueAtOf(0, finalizedAt), finalizedAt)[0]).toBe('2026-11-02T09:00:00.000Z')
})

test('the final action is never before the due date', () => {
  const dueAt = dueAtOf(30, finalizedAt)
  const early = { ...terms, reminderDays: [-10, -5] }
  expect(finalActionAt(dueAt, early)).toEqual(new Date('2026-12-08T12:30:00Z'))
  expect(scheduleOf(dueAt, finalizedAt, early).at(-1)).toBe('2026-12-08T12:30:00.000Z')
})

test('the due date is not a reminder, and several missed reminders are sent as one', () => {
  const dueAt = dueAtOf(14, finalizedAt)
  const at = (text: string) => new Date(text)
  expect(isReminderDue(dueAt, terms, { from: dueAt, to: dueAt })).toBe(false)
  const missed = { from: at('2026-11-16T09:00:00Z'), to: at('2026-11-23T00:00:00Z') }
  expect(isReminderDue(dueAt, terms, missed)).toBe(true)
  expect(nextReminderAt(dueAt, terms, missed.to)).toEqual(at('2026-11-29T09:00:00Z'))
})
