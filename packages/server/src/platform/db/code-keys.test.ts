import type { Client } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { sealingForThisFile } from '../../../test/support/sealing.ts'
import type { Id } from '../../kernel/id.ts'
import { destroyOldCodeKeys, findCodeKey, findCurrentCodeKey, makeCodeKey } from './code-keys.ts'
import { asOwner } from './owner.ts'

const { url, databases, newWorkspaces } = await sealingForThisFile()
const [workspace] = (await newWorkspaces(1)) as [Id<'workspace'>]
const inVault = databases.of(workspace).inVault
const make = (period: number) => inVault(workspace, (db) => makeCodeKey(db, period))
const find = (period: number) => inVault(workspace, (db) => findCodeKey(db, period))
const asChore = <T>(body: (client: Client) => Promise<T>) => asOwner(url, body)
const destroyAt = (now: Date) =>
  asChore((client) => destroyOldCodeKeys((text: string) => client.query(text), now))

/** The half hour that begins at 12:00. */
const noon = new Date('2026-11-14T12:00:00.000Z').getTime() / 1_800_000

beforeEach(() =>
  asChore((client) => client.query('truncate vault.code_keys_0, vault.code_keys_1, vault.code_keys_2')),
)

test('a key is made once, and is found again', async () => {
  const made = await make(noon)

  expect(made).toEqual({ period: noon, key: expect.any(Buffer) })
  expect(made.key).toHaveLength(32)
  expect(await make(noon)).toEqual(made)
  expect(await find(noon)).toEqual(made.key)
  expect((await make(noon + 1)).key).not.toEqual(made.key)
})

test('the present half hour is the database’s', async () => {
  const { period, key } = await inVault(workspace, findCurrentCodeKey)
  const made = await make(period)

  expect(key).toBeNull()
  expect(Math.abs(period - Date.now() / 1_800_000)).toBeLessThan(1.1)
  expect(await inVault(workspace, findCurrentCodeKey)).toEqual(made)
})

test('a key takes the place of the one three half hours before, and of no other', async () => {
  const [first, second, third] = [await make(noon), await make(noon + 1), await make(noon + 2)]

  await make(noon + 3)

  expect(await find(noon)).toBeNull()
  expect(await find(noon + 1)).toEqual(second.key)
  expect(await find(noon + 2)).toEqual(third.key)
  expect(first.key).toHaveLength(32)
})

// A code may be stored in the last moment of the half hour, and is then good for a quarter of an hour.
test('a key is destroyed when the last code that it may have sealed is over, and not before', async () => {
  const { key } = await make(noon)

  expect(await destroyAt(new Date('2026-11-14T12:44:59.999Z'))).toEqual([])
  expect(await find(noon)).toEqual(key)
  expect(await destroyAt(new Date('2026-11-14T12:45:00.000Z'))).toEqual([`vault.code_keys_${noon % 3}`])
  expect(await find(noon)).toBeNull()
  expect(await destroyAt(new Date('2026-11-14T12:45:00.000Z'))).toEqual([])
})

test('the file in which a key lay is gone with it', async () => {
  const fileOf = () =>
    asChore(async (client) => {
      const { rows } = await client.query(
        'select pg_relation_filepath($1) as path, pg_relation_size($1) as size',
        [`vault.code_keys_${noon % 3}`],
      )
      return { path: rows[0].path, size: Number(rows[0].size) }
    })
  await make(noon)
  const before = await fileOf()

  await destroyAt(new Date('2026-11-14T13:00:00.000Z'))

  const after = await fileOf()
  expect(before.size).toBeGreaterThan(0)
  expect(after).toEqual({ path: expect.not.stringMatching(before.path), size: 0 })
})
