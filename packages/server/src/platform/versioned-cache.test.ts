import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Id, idFromUuid, idMaker, randomSlot } from '../kernel/id.ts'
import { createLog } from './log.ts'
import { createVersionedCache, type VersionedCacheOptions } from './versioned-cache.ts'

const workspace = idFromUuid('workspace', 'test', idMaker(new Date(), randomSlot())())

function createTestCache(members: Partial<VersionedCacheOptions> = {}) {
  const source = { version: '1', queries: 0 }
  const versionsOf = async (ids: readonly Id<'workspace'>[]) => {
    source.queries += 1
    return new Map(ids.map((id) => [id, source.version]))
  }
  const cache = createVersionedCache<string>({
    versionsOf,
    everyMs: 20,
    maxAgeMs: 10_000,
    maxEntries: 2,
    log: createLog('silent'),
    ...members,
  })
  onTestFinished(() => cache.stop())
  return { cache, source }
}

test('a value is returned as long as its version is confirmed', async () => {
  const { cache, source } = createTestCache()
  expect(cache.get(workspace)).toBeNull()
  cache.beginRead(workspace).store('1', 'value')

  await expect.poll(() => source.queries).toBeGreaterThan(2)
  expect(cache.get(workspace)).toBe('value')
  source.version = '2'
  await expect.poll(() => cache.get(workspace)).toBeNull()
})

test('an unconfirmed value is not used, but a caller that reads the version can confirm it', async () => {
  const unavailable = async () => Promise.reject(new Error('The database is unavailable.'))
  const { cache } = createTestCache({ versionsOf: unavailable, maxAgeMs: 60 })
  cache.beginRead(workspace).store('1', 'value')
  expect(cache.get(workspace)).toBe('value')

  await expect.poll(() => cache.get(workspace)).toBeNull()
  const read = cache.beginRead(workspace)
  expect(read.cached).toMatchObject({ version: '1', value: 'value' })
  read.store('1', 'value')
  expect(cache.get(workspace)).toBe('value')
})

test('a value whose read started before an invalidation is not stored after it', () => {
  const { cache } = createTestCache()
  const read = cache.beginRead(workspace)
  cache.invalidate(workspace)
  read.store('1', 'out of date')

  expect(cache.get(workspace)).toBeNull()
})

test('a version check that started before a newer value was stored does not remove it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let queries = 0
  const versionsOf = async (ids: readonly Id<'workspace'>[]) => {
    queries += 1
    // The version at the time of the request. On a slow machine there is a second request.
    const version = queries === 1 ? '1' : '2'
    await promise
    return new Map(ids.map((id) => [id, version]))
  }
  const { cache } = createTestCache({ versionsOf })
  cache.beginRead(workspace).store('1', 'old')
  await expect.poll(() => queries).toBe(1)
  cache.beginRead(workspace).store('2', 'new')
  resolve()
  // Let the response arrive.
  await sleep(0)

  expect(cache.get(workspace)).toBe('new')
})

test('the number of entries is limited, and the oldest is evicted first', () => {
  const { cache } = createTestCache()
  const others = [1, 2, 3].map(() => idFromUuid('workspace', 'test', idMaker(new Date(), randomSlot())()))
  for (const id of others) cache.beginRead(id).store('1', id)

  expect(others.map((id) => cache.get(id))).toEqual([null, others[1], others[2]])
})
