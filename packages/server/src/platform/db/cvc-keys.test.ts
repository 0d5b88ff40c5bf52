import type { Client } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { sealingForThisFile } from '../../../test/support/sealing.ts'
import type { Id } from '../../kernel/id.ts'
import { createCvcKey, destroyOldCvcKeys, findCurrentCvcKey, findCvcKey } from './cvc-keys.ts'
import { asOwner } from './owner.ts'

const { url, databases, newWorkspaces } = await sealingForThisFile()
const [workspace] = (await newWorkspaces(1)) as [Id<'workspace'>]
const inVault = databases.of(workspace).inVault
const create = (period: number) => inVault(workspace, (db) => createCvcKey(db, period))
const find = (period: number) => inVault(workspace, (db) => findCvcKey(db, period))
const withOwner = <T>(body: (client: Client) => Promise<T>) => asOwner(url, body)
const destroyAt = (now: Date) =>
  withOwner((client) => destroyOldCvcKeys((text: string) => client.query(text), now))

/** The half hour that starts at 12:00. */
const noon = new Date('2026-11-14T12:00:00.000Z').getTime() / 1_800_000

beforeEach(() =>
  withOwner((client) => client.query('truncate vault.code_keys_0, vault.code_keys_1, vault.code_keys_2')),
)

test('a key is created once and found again', async () => {
  const created = await create(noon)

  expect(created).toEqual({ period: noon, key: expect.any(Buffer) })
  expect(created.key).toHaveLength(32)
  expect(await create(noon)).toEqual(created)
  expect(await find(noon)).toEqual(created.key)
  expect((await create(noon + 1)).key).not.toEqual(created.key)
})

test('the current half hour is determined by the database clock', async () => {
  const { period, key } = await inVault(workspace, findCurrentCvcKey)
  const created = await create(period)

  expect(key).toBeNull()
  expect(Math.abs(period - Date.now() / 1_800_000)).toBeLessThan(1.1)
  expect(await inVault(workspace, findCurrentCvcKey)).toEqual(created)
})

test('a key replaces the one from three half hours earlier, and no other', async () => {
  const [first, second, third] = [await create(noon), await create(noon + 1), await create(noon + 2)]

  await create(noon + 3)

  expect(await find(noon)).toBeNull()
  expect(await find(noon + 1)).toEqual(second.key)
  expect(await find(noon + 2)).toEqual(third.key)
  expect(first.key).toHaveLength(32)
})

// A CVC can be stored in the last moment of the half hour, and is then valid for 15 minutes.
test('a key is destroyed when the last CVC that it could have encrypted has expired, and not before', async () => {
  const { key } = await create(noon)

  expect(await destroyAt(new Date('2026-11-14T12:44:59.999Z'))).toEqual([])
  expect(await find(noon)).toEqual(key)
  expect(await destroyAt(new Date('2026-11-14T12:45:00.000Z'))).toEqual([`vault.code_keys_${noon % 3}`])
  expect(await find(noon)).toBeNull()
  expect(await destroyAt(new Date('2026-11-14T12:45:00.000Z'))).toEqual([])
})

test('the file that contained a key is deleted with it', async () => {
  const fileOf = () =>
    withOwner(async (client) => {
      const { rows } = await client.query(
        'select pg_relation_filepath($1) as path, pg_relation_size($1) as size',
        [`vault.code_keys_${noon % 3}`],
      )
      return { path: rows[0].path, size: Number(rows[0].size) }
    })
  await create(noon)
  const before = await fileOf()

  await destroyAt(new Date('2026-11-14T13:00:00.000Z'))

  const after = await fileOf()
  expect(before.size).toBeGreaterThan(0)
  expect(after).toEqual({ path: expect.not.stringMatching(before.path), size: 0 })
})
