import { expect, test } from 'vitest'
import { inTurn } from './in-turn.ts'
import { isoOf, localOf } from './local-time.ts'

test('each thing is done once, and no more than four at a time', async () => {
  const done: number[] = []
  let [running, most] = [0, 0]
  const things = Array.from({ length: 25 }, (_, place) => place)
  const act = async (thing: number) => {
    running += 1
    most = Math.max(most, running)
    await Promise.resolve()
    running -= 1
    done.push(thing)
  }
  await inTurn(things, act, new AbortController().signal)
  expect(done.toSorted((one, other) => one - other)).toEqual(things)
  expect(most).toBe(4)
})

test('who stops it gets nothing more than what is under way', async () => {
  const stop = new AbortController()
  const done: number[] = []
  const act = async (thing: number) => {
    done.push(thing)
    if (thing === 5) stop.abort()
    await Promise.resolve()
  }
  await inTurn(
    Array.from({ length: 25 }, (_, place) => place),
    act,
    stop.signal,
  )
  expect(done.length).toBeLessThan(10)
})

test('a time goes into a field and comes out as the same instant, to the minute', () => {
  const ms = Date.parse('2026-03-29T01:30:00.000Z')
  expect(isoOf(localOf(ms))).toBe('2026-03-29T01:30:00.000Z')
  expect(isoOf('soon')).toBe('soon')
})
