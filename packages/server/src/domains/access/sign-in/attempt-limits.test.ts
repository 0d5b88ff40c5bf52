import { expect, test } from 'vitest'
import { addSeconds } from '../../../kernel/clock.ts'
import {
  type AttemptCount,
  countAttempt,
  counterKey,
  deviceLimit,
  emailLimit,
  type Limit,
  subtractAttempt,
} from './attempt-limits.ts'

const noon = new Date('2026-11-14T12:00:00.000Z')

/** Makes this many wrong attempts, each as soon as it is accepted. */
function wrongAttempts(count: number, limit = deviceLimit) {
  let at = noon
  let attempts: AttemptCount | null = null
  const waits: number[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const decision = countAttempt(attempts, at, limit)
    if (decision.kind !== 'counted')
      throw new Error('The attempt came after the pause, so it must be counted.')
    attempts = decision.attempts
    const wait = attempts.blockedUntil === null ? 0 : (attempts.blockedUntil.getTime() - at.getTime()) / 1000
    waits.push(wait)
    at = addSeconds(at, wait)
  }
  return { attempts: attempts as AttemptCount, at, waits }
}

test('the first three attempts cause no pause, then the pause doubles each time, and the tenth locks for half an hour', () => {
  expect(wrongAttempts(10).waits).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 1800])
})

test('an attempt during a pause is not counted, and the remaining time is returned', () => {
  const { attempts } = wrongAttempts(10)

  const early = countAttempt(attempts, addSeconds(attempts.triedAt, 60), deviceLimit)

  expect(early).toEqual({ kind: 'blocked', waitSeconds: 1740 })
})

test('after half an hour without an attempt the count starts again', () => {
  const { attempts } = wrongAttempts(10)

  const later = countAttempt(attempts, addSeconds(attempts.triedAt, 1800), deviceLimit)

  expect(later).toMatchObject({
    kind: 'counted',
    attempts: { wrong: 1, blockedUntil: null },
    causesLockout: false,
  })
})

test('a correct attempt is subtracted from the count, and the pause ends', () => {
  const { attempts } = wrongAttempts(5)

  expect(subtractAttempt(attempts)).toMatchObject({ wrong: 4, blockedUntil: null })
})

test('the key of an email address is case-insensitive, and differs from the key of a network address', () => {
  expect(counterKey('email', 'Ada@Example.com')).toEqual(counterKey('email', 'ada@example.com'))
  expect(counterKey('email', '192.0.2.1')).not.toEqual(counterKey('address', '192.0.2.1'))
})

test('an email address is slowed down after 20 wrong attempts in total, and never locked', () => {
  const { waits } = wrongAttempts(40, emailLimit)

  expect(waits.slice(0, 20)).toEqual(Array(20).fill(0))
  expect(waits.slice(20)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, ...Array(12).fill(180)])
})

/** The maximum number of guesses in this many seconds, if the attacker waits once for the count to reset. */
function maxGuesses(limit: Limit, seconds: number): number {
  const withPauseAfter = (guessesBeforeWait: number) => {
    let [at, attempts, guesses]: [number, AttemptCount | null, number] = [0, null, 0]
    while (at < seconds) {
      const decision = countAttempt(attempts, addSeconds(noon, at), limit)
      if (decision.kind === 'blocked') {
        at += decision.waitSeconds
        continue
      }
      guesses += 1
      attempts = decision.attempts
      if (attempts.wrong === guessesBeforeWait) at += limit.resetSeconds
    }
    return guesses
  }
  return Math.max(...Array.from({ length: 60 }, (_, nth) => withPauseAfter(nth + 1)))
}

test('the guess rates match the numbers in the security documentation', () => {
  const [hour, day] = [3_600, 86_400]

  expect([maxGuesses(emailLimit, hour), maxGuesses(emailLimit, day)]).toEqual([47, 672])
  expect([maxGuesses(deviceLimit, hour), maxGuesses(deviceLimit, day)]).toEqual([20, 470])
})
