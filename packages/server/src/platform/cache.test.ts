import { expect, test } from 'vitest'
import { createCache } from './cache.ts'

function counting(options: { ttlMs?: number; maxEntries?: number } = {}) {
  const cache = createCache<string>({ ttlMs: options.ttlMs ?? 60_000, maxEntries: options.maxEntries ?? 10 })
  const loads: string[] = []
  const get = (key: string) =>
    cache.get(key, async () => {
      loads.push(key)
      return key.toUpperCase()
    })
  return { cache, get, loads }
}

test('concurrent and later callers share one load', async () => {
  const { get, loads } = counting()

  expect(await Promise.all([get('a'), get('a')])).toEqual(['A', 'A'])
  expect(await get('a')).toBe('A')
  expect(loads).toEqual(['a'])
})

test('a value is loaded again after it expires', async () => {
  const { get, loads } = counting({ ttlMs: 0 })

  await get('a')
  await get('a')

  expect(loads).toEqual(['a', 'a'])
})

test('a failure is not cached', async () => {
  const { cache, get } = counting()

  await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')

  expect(await get('a')).toBe('A')
})

test('an invalidated value is loaded again, even if it was being loaded when it was invalidated', async () => {
  const { cache, get, loads } = counting()
  await get('a')
  cache.forget('a')
  await get('a')
  const { promise, resolve } = Promise.withResolvers<string>()
  const early = cache.get('b', () => promise)
  cache.forget('b')

  resolve('old')

  expect(await early).toBe('old')
  expect(await get('b')).toBe('B')
  expect(loads).toEqual(['a', 'a', 'b'])
})

test('the oldest entry is evicted when there are too many', async () => {
  const { get, loads } = counting({ maxEntries: 2 })

  for (const key of ['a', 'b', 'c', 'b', 'a']) await get(key)

  expect(loads).toEqual(['a', 'b', 'c', 'a'])
})
