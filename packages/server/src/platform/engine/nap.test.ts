import { expect, test } from 'vitest'
import { inParallel } from './in-parallel.ts'
import { Nap, orAfter } from './nap.ts'

async function takes(body: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await body()
  return performance.now() - startedMs
}

test('a nap that is shortened again and again still ends at its first end', async () => {
  const nap = new Nap()
  const asking = setInterval(() => nap.shorten(100), 10)
  expect(await takes(() => nap.sleep(60_000))).toBeLessThan(1_000)
  clearInterval(asking)
})

test('what is asked for while awake holds for the next nap, and only for it', async () => {
  const nap = new Nap()
  nap.shorten(0)
  expect(await takes(() => nap.sleep(60_000))).toBeLessThan(1_000)
  expect(await takes(() => nap.sleep(60))).toBeGreaterThan(50)
})

test('an ended nap wakes its sleeper, and nobody sleeps any more', async () => {
  const nap = new Nap()
  const sleeping = nap.sleep(60_000)
  nap.end()
  await sleeping
  await nap.sleep(60_000)
  expect(nap.ended).toBe(true)
})

test('what takes too long is given up', async () => {
  expect(await orAfter(10, new Promise<string>(() => {}), 'otherwise')).toBe('otherwise')
  expect(await orAfter(60_000, Promise.resolve('promised'), 'otherwise')).toBe('promised')
})

test('everything is done once, and never more at a time than there are hands', async () => {
  const done: number[] = []
  let [running, most] = [0, 0]
  const items = Array.from({ length: 50 }, (_, item) => item)
  await inParallel(items, 7, async (item) => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    done.push(item)
  })
  expect(done.toSorted((a, b) => a - b)).toEqual(items)
  expect(most).toBe(7)
})
