import { expect, test } from 'vitest'
import { addSeconds } from '../../kernel/clock.ts'
import { byEmail, countTry, keyOf, type Tries, takeBack } from './tries.ts'

const noon = new Date('2026-11-14T12:00:00.000Z')

/** So many wrong tries, each as soon as it is let in. */
function wrongTries(count: number) {
  let at = noon
  let tries: Tries | null = null
  const waits: number[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const verdict = countTry(tries, at, byEmail)
    if (verdict.is !== 'counted') throw new Error('It waited long enough.')
    tries = verdict.tries
    const wait = tries.blockedUntil === null ? 0 : (tries.blockedUntil.getTime() - at.getTime()) / 1000
    waits.push(wait)
    at = addSeconds(at, wait)
  }
  return { tries: tries as Tries, at, waits }
}

test('three are free, each one after that waits twice as long, and the tenth locks for half an hour', () => {
  expect(wrongTries(10).waits).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 1800])
})

test('whoever comes too early is told how long to wait, and is not counted', () => {
  const { tries } = wrongTries(10)

  const early = countTry(tries, addSeconds(tries.triedAt, 60), byEmail)

  expect(early).toEqual({ is: 'blocked', waitSeconds: 1740 })
})

test('after half an hour without a try everything begins anew', () => {
  const { tries } = wrongTries(10)

  const later = countTry(tries, addSeconds(tries.triedAt, 1800), byEmail)

  expect(later).toMatchObject({ is: 'counted', tries: { wrong: 1, blockedUntil: null }, locks: false })
})

test('a try that was right is taken back with the pause that it began', () => {
  const { tries } = wrongTries(5)

  expect(takeBack(tries)).toMatchObject({ wrong: 4, blockedUntil: null })
})

test('an e-mail address counts as one however it is spelled, and is no network address', () => {
  expect(keyOf('email', 'Ada@Example.com')).toEqual(keyOf('email', 'ada@example.com'))
  expect(keyOf('email', '192.0.2.1')).not.toEqual(keyOf('address', '192.0.2.1'))
})
