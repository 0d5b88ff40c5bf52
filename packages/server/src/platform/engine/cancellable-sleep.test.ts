import { expect, test } from 'vitest'
import { CancellableSleep, withTimeout } from './cancellable-sleep.ts'

async function durationOf(body: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await body()
  return performance.now() - startedMs
}

test('a sleep that is shortened repeatedly still ends at its earliest end', async () => {
  const sleeper = new CancellableSleep()
  const shortening = setInterval(() => sleeper.shorten(100), 10)
  expect(await durationOf(() => sleeper.sleep(60_000))).toBeLessThan(1_000)
  clearInterval(shortening)
})

test('a shortening requested while awake applies to the next sleep only', async () => {
  const sleeper = new CancellableSleep()
  sleeper.shorten(0)
  expect(await durationOf(() => sleeper.sleep(60_000))).toBeLessThan(1_000)
  expect(await durationOf(() => sleeper.sleep(60))).toBeGreaterThan(50)
})

test('ending wakes the sleeper, and later sleeps return immediately', async () => {
  const sleeper = new CancellableSleep()
  const sleeping = sleeper.sleep(60_000)
  sleeper.end()
  await sleeping
  await sleeper.sleep(60_000)
  expect(sleeper.ended).toBe(true)
})

test('a promise that takes too long is abandoned', async () => {
  expect(await withTimeout(10, new Promise<string>(() => {}), 'fallback')).toBe('fallback')
  expect(await withTimeout(60_000, Promise.resolve('result'), 'fallback')).toBe('result')
})
