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

test('questions at the same time share one answer, and later ones too', async () => {
  const { get, loads } = counting()

  expect(await Promise.all([get('a'), get('a')])).toEqual(['A', 'A'])
  expect(await get('a')).toBe('A')
  expect(loads).toEqual(['a'])
})

test('an answer is asked for again when its time is over', async () => {
  const { get, loads } = counting({ ttlMs: 0 })

  await get('a')
  await get('a')

  expect(loads).toEqual(['a', 'a'])
})

test('a failure is not kept', async () => {
  const { cache, get } = counting()

  await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')

  expect(await get('a')).toBe('A')
})

test('what is forgotten is asked for again, and so is what was being asked meanwhile', async () => {
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

test('the oldest goes when there are too many', async () => {
  const { get, loads } = counting({ maxEntries: 2 })

  for (const key of ['a', 'b', 'c', 'b', 'a']) await get(key)

  expect(loads).toEqual(['a', 'b', 'c', 'a'])
})
