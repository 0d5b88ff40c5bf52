import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { drawSlot, type Id, idFromUuid, idMaker } from '../kernel/id.ts'
import { createLog } from './log.ts'
import { createMemory, type MemoryOptions } from './memory.ts'

const workspace = idFromUuid('workspace', 'test', idMaker(new Date(), drawSlot())())

function aMemory(members: Partial<MemoryOptions> = {}) {
  const source = { version: '1', asked: 0 }
  const versionsOf = async (ids: readonly Id<'workspace'>[]) => {
    source.asked += 1
    return new Map(ids.map((id) => [id, source.version]))
  }
  const memory = createMemory<string>({
    ...{ versionsOf, everyMs: 20, maxAgeMs: 10_000, maxEntries: 2, log: createLog('silent') },
    ...members,
  })
  onTestFinished(() => memory.stop())
  return { memory, source }
}

test('what is kept is given for as long as its version is confirmed', async () => {
  const { memory, source } = aMemory()
  expect(memory.recall(workspace)).toBeNull()
  memory.attend(workspace).keep('1', 'what was read')

  await expect.poll(() => source.asked).toBeGreaterThan(2)
  expect(memory.recall(workspace)).toBe('what was read')
  source.version = '2'
  await expect.poll(() => memory.recall(workspace)).toBeNull()
})

test('what could not be confirmed in time is not used, but can be confirmed by who reads the version', async () => {
  const away = async () => Promise.reject(new Error('The database is away.'))
  const { memory } = aMemory({ versionsOf: away, maxAgeMs: 60 })
  memory.attend(workspace).keep('1', 'what was read')
  expect(memory.recall(workspace)).toBe('what was read')

  await expect.poll(() => memory.recall(workspace)).toBeNull()
  const attention = memory.attend(workspace)
  expect(attention.known).toMatchObject({ version: '1', value: 'what was read' })
  attention.keep('1', 'what was read')
  expect(memory.recall(workspace)).toBe('what was read')
})

test('what was being read while it was forgotten does not come back', () => {
  const { memory } = aMemory()
  const attention = memory.attend(workspace)
  memory.forget(workspace)
  attention.keep('1', 'out of date')

  expect(memory.recall(workspace)).toBeNull()
})

test('an answer that was asked for before a newer one was kept does not remove it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let asked = 0
  const versionsOf = async (ids: readonly Id<'workspace'>[]) => {
    asked += 1
    // As it was when it was asked; on a slow machine it is asked once more.
    const version = asked === 1 ? '1' : '2'
    await promise
    return new Map(ids.map((id) => [id, version]))
  }
  const { memory } = aMemory({ versionsOf })
  memory.attend(workspace).keep('1', 'old')
  await expect.poll(() => asked).toBe(1)
  memory.attend(workspace).keep('2', 'new')
  resolve()
  // Let the answer arrive.
  await sleep(0)

  expect(memory.recall(workspace)).toBe('new')
})

test('there is an end to what is remembered: the oldest goes first', () => {
  const { memory } = aMemory()
  const others = [1, 2, 3].map(() => idFromUuid('workspace', 'test', idMaker(new Date(), drawSlot())()))
  for (const id of others) memory.attend(id).keep('1', id)

  expect(others.map((id) => memory.recall(id))).toEqual([null, others[1], others[2]])
})
