import { expect, test } from 'vitest'
import { isoTimestamp, localDateTime } from './local-time.ts'
import { runConcurrently } from './run-concurrently.ts'

test('each item is processed once, and at most four concurrently', async () => {
  const processed: number[] = []
  let [running, maxRunning] = [0, 0]
  const items = Array.from({ length: 25 }, (_, index) => index)
  const process = async (item: number) => {
    running += 1
    maxRunning = Math.max(maxRunning, running)
    await Promise.resolve()
    running -= 1
    processed.push(item)
  }
  await runConcurrently(items, process, new AbortController().signal)
  expect(processed.toSorted((one, other) => one - other)).toEqual(items)
  expect(maxRunning).toBe(4)
})

test('after an abort only the items in progress are finished', async () => {
  const controller = new AbortController()
  const processed: number[] = []
  const process = async (item: number) => {
    processed.push(item)
    if (item === 5) controller.abort()
    await Promise.resolve()
  }
  await runConcurrently(
    Array.from({ length: 25 }, (_, index) => index),
    process,
    controller.signal,
  )
  expect(processed.length).toBeLessThan(10)
})

test('a time converts to a local date-time field and back, to the minute', () => {
  const ms = Date.parse('2026-03-29T01:30:00.000Z')
  expect(isoTimestamp(localDateTime(ms))).toBe('2026-03-29T01:30:00.000Z')
  expect(isoTimestamp('soon')).toBe('soon')
})
