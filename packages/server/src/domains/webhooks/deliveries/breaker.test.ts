import { expect, test } from 'vitest'
import { afterFailure, afterSuccess, type Breaker, closedBreaker, resumeBreaker } from './breaker.ts'

/** The breaker after one more failed attempt, which is a probe if the breaker is open. */
const afterFailedAttempt = (breaker: Breaker, atMs: number) => afterFailure(breaker, atMs, breaker.open)

/** Each letter is an attempt, one per second: F failed, S succeeded. */
const afterAttempts = (letters: string, from: Breaker = closedBreaker) =>
  [...letters].reduce(
    (breaker, letter, second) => (letter === 'F' ? afterFailedAttempt : afterSuccess)(breaker, second * 1000),
    from,
  )

test.each([
  ['FFFF', false],
  ['FFFFF', true],
  ['FFFFSFFFF', false],
  // The breaker also opens once half of the last twenty attempts have failed.
  ['SFSFSFSFSFSFSFSFSFS', false],
  ['SFSFSFSFSFSFSFSFSFSF', true],
  ['SSFSSFSSFSSFSSFSSFSSFSSFSSFSSF', false],
])('after the attempts %s the breaker is open: %s', (letters, open) => {
  expect(afterAttempts(letters).open).toBe(open)
})

test('failures from more than a minute ago do not count', () => {
  let breaker = closedBreaker
  for (let nth = 0; nth < 40; nth += 1)
    breaker = (nth % 2 === 0 ? afterFailedAttempt : afterSuccess)(breaker, nth * 4_000)
  expect(breaker.open).toBe(false)
})

test('probes wait 5 s, then twice as long each time, at most five minutes', () => {
  let breaker = afterAttempts('FFFFF')
  const waits = [breaker.probeWaitSeconds]
  for (let nth = 0; nth < 8; nth += 1) {
    breaker = afterFailedAttempt(breaker, 10_000 + nth)
    waits.push(breaker.probeWaitSeconds)
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

test('one success closes the breaker, and another process continues with its stored state', () => {
  expect(afterSuccess(afterAttempts('FFFFF'), 9_000)).toEqual(closedBreaker)
  const stored = resumeBreaker({ open: true, probeWaitSeconds: 40, consecutiveFailures: 7 })
  expect(afterFailedAttempt(stored, 0)).toMatchObject({ open: true, probeWaitSeconds: 80 })
})

test('consecutive failures that are days apart open the breaker too, even if another process saw the first ones', () => {
  const stored = resumeBreaker({ open: false, probeWaitSeconds: 0, consecutiveFailures: 4 })
  expect(afterFailedAttempt(stored, 0).open).toBe(true)
})

test('attempts in flight when the breaker opened do not lengthen the probe interval', () => {
  const opened = afterAttempts('FFFFF')
  expect(afterFailure(opened, 9_000, false)).toMatchObject({ open: true, probeWaitSeconds: 5 })
})
