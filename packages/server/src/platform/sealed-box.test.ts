import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { masterKey, placeIn, sealingForThisFile } from '../../test/support/sealing.ts'
import { AssertionFailed } from '../kernel/assert.ts'
import { type Id, idFromUuid, uuidOf } from '../kernel/id.ts'
import { asOwner } from './db/owner.ts'
import { createSealedBox, type Place, type SealedBox } from './sealed-box.ts'

const { url, databases, inWorkspace, newWorkspaces } = await sealingForThisFile()
const secret = 'whsec_a-text-that-must-stay-a-secret'
const newBox = () => createSealedBox([masterKey('first')])
const box = newBox()

const aWorkspace = async () => (await newWorkspaces(1))[0] as Id<'workspace'>
const seal = (place: Place, text = secret, by: SealedBox = box) =>
  inWorkspace(place.workspaceId, (db) => by.seal(db, place, text))
const open = (place: Place, sealed: Buffer, by: SealedBox = box) =>
  inWorkspace(place.workspaceId, (db) => by.open(db, place, sealed))

test('any text comes back as it was', async () => {
  const place = placeIn(await aWorkspace())
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 2_000 }))

  await inWorkspace(place.workspaceId, (db) =>
    fc.assert(
      fc.asyncProperty(text, async (any) => {
        const sealed = await box.seal(db, place, any)
        expect(await box.open(db, place, sealed)).toBe(any)
        // Nothing but its length is to be seen of it.
        expect(sealed.length).toBe(1 + 4 + 12 + Buffer.byteLength(any) + 16)
      }),
      { examples: [[''], ['\0'], ['ß🂡'.repeat(50_000)]] },
    ),
  )
})

test('half a character, which no text of bytes can hold, is refused', async () => {
  await expect(seal(placeIn(await aWorkspace()), 'a\ud800')).rejects.toThrow('half a character')
})

test('the same text in the same place never looks the same twice', async () => {
  const place = placeIn(await aWorkspace())

  expect((await seal(place)).equals(await seal(place))).toBe(false)
})

test.each<[string, (place: Place) => Place]>([
  ['row', ({ workspaceId, ...place }) => ({ ...place, ...placeIn(workspaceId) })],
  ['column', (place) => ({ ...place, column: 'sealed_before' })],
  ['table', (place) => ({ ...place, table: 'webhook_endpoints' })],
  // Without a mark between them, these two names would read as those of the first place do.
  ['table and column', (place) => ({ ...place, table: 'webhook_secretss', column: 'ealed' })],
])('in another %s it does not open', async (_, moved) => {
  const place = placeIn(await aWorkspace())
  const sealed = await seal(place)

  await expect(open(moved(place), sealed)).rejects.toThrow('was changed, or sealed for another place')
  expect(await open(place, sealed)).toBe(secret)
})

test('in another workspace it does not open, not even with a copy of the key', async () => {
  const [place, other] = [placeIn(await aWorkspace()), await aWorkspace()]
  const sealed = await seal(place)
  const moved = { ...place, workspaceId: other }

  await expect(open(moved, sealed)).rejects.toThrow(`Key 1 of ${other} is gone`)
  await copyKey(place.workspaceId, { to: other, number: 1 })
  await expect(open(moved, sealed)).rejects.toThrow(`Key 1 of ${other} does not open with the master key`)
})

test('under another number of a key it does not open, not even with a copy of the key', async () => {
  const place = placeIn(await aWorkspace())
  const sealed = await seal(place)
  sealed.writeUInt32BE(2, 1)

  await expect(open(place, sealed)).rejects.toThrow(`Key 2 of ${place.workspaceId} is gone`)
  await copyKey(place.workspaceId, { to: place.workspaceId, number: 2 })
  await expect(open(place, sealed)).rejects.toThrow('does not open with the master key')
})

test('with one bit changed in any of its bytes, or one byte less, it does not open', async () => {
  const place = placeIn(await aWorkspace())
  const sealed = await seal(place)

  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 0x80, at)
    await expect(open(place, changed), `byte ${at}`).rejects.toThrow(AssertionFailed)
    await expect(open(place, sealed.subarray(0, at)), `${at} bytes`).rejects.toThrow(AssertionFailed)
  }
  expect(await open(place, sealed)).toBe(secret)
})

test.each([
  ['commits', true],
  ['fails', false],
])('two processes that seal first at once agree on one key, when the earlier one %s', async (_, commits) => {
  const workspaceId = await aWorkspace()
  const [place, laterPlace] = [placeIn(workspaceId), placeIn(workspaceId)]
  const mayEnd = Promise.withResolvers<void>()
  const hasSealed = Promise.withResolvers<void>()

  const earlier = inWorkspace(workspaceId, async (db) => {
    const sealed = await newBox().seal(db, place, secret)
    hasSealed.resolve()
    await mayEnd.promise
    if (!commits) throw new Error('Called off.')
    return sealed
  }).catch(() => null)
  await hasSealed.promise
  const later = seal(laterPlace, 'later', newBox())
  await expect.poll(waitingForALock).toBe(1)
  mayEnd.resolve()

  const [first, second] = await Promise.all([earlier, later])
  const third = newBox()
  expect(await open(laterPlace, second, third)).toBe('later')
  if (commits) expect(await open(place, first as Buffer, third)).toBe(secret)
})

test('a key that was made in a transaction that failed is forgotten with it', async () => {
  const place = placeIn(await aWorkspace())
  const called = inWorkspace(place.workspaceId, async (db) => {
    expect(await box.open(db, place, await box.seal(db, place, secret))).toBe(secret)
    throw new Error('Called off.')
  })
  await expect(called).rejects.toThrow('Called off.')

  const sealed = await seal(place)

  expect(await open(place, sealed)).toBe(secret)
  expect(await open(place, sealed, newBox())).toBe(secret)
})

test('the role that delivers opens what any workspace sealed, and makes no key', async () => {
  const [place, other] = [placeIn(await aWorkspace()), placeIn(await aWorkspace())]
  const sealed = await seal(place)
  const [shard] = databases.shards

  expect(await shard?.delivering((db) => newBox().open(db, place, sealed))).toBe(secret)
  expect(await shard?.as('switchyard_delivery', (db) => newBox().open(db, place, sealed))).toBe(secret)
  await expect(shard?.delivering((db) => box.seal(db, other, secret))).rejects.toThrow('permission denied')
})

test('a key is read once; without it, what it sealed is lost', async () => {
  const place = placeIn(await aWorkspace())
  const sealed = await seal(place)
  expect(await open(place, sealed)).toBe(secret)

  await asOwner(url, (client) =>
    client.query('delete from workspace_keys where workspace_id = $1', [uuidOf(place.workspaceId)]),
  )

  expect(await open(place, sealed)).toBe(secret)
  await expect(open(place, sealed, newBox())).rejects.toThrow('is gone: what it sealed cannot be opened')
})

test('a master key that is missing or has other bytes is named, with what to set', async () => {
  const place = placeIn(await aWorkspace())
  const sealed = await seal(place)
  const without = createSealedBox([masterKey('second')])
  const withOther = createSealedBox([{ ...masterKey('second'), id: 'first' }])

  await expect(open(place, sealed, without)).rejects.toThrow(
    'sealed with the master key "first", which is not in MASTER_KEYS. Add it after the first one: MASTER_KEYS=<the first>,first:<',
  )
  await expect(seal(place, secret, without)).rejects.toThrow('which is not in MASTER_KEYS')
  await expect(open(place, sealed, withOther)).rejects.toThrow(
    'does not open with the master key "first" of MASTER_KEYS',
  )
})

test('two master keys of one name are refused at the start', () => {
  expect(() => createSealedBox([masterKey('first'), masterKey('first')])).toThrow('one name twice')
})

test('no error holds a secret or a key', async () => {
  const place = placeIn(await aWorkspace())
  const sealed = await seal(place)
  const withOther = createSealedBox([{ ...masterKey('second'), id: 'first' }])
  const errors = await Promise.all([
    seal(place, `${secret}\ud800`).catch((error) => error),
    open({ ...place, column: 'other' }, sealed).catch((error) => error),
    open(place, sealed, withOther).catch((error) => error),
  ])

  const shown = inspect([errors, box, withOther], { depth: 10, showHidden: true })
  expect(errors.every((error) => error instanceof Error)).toBe(true)
  for (const { key } of [masterKey('first'), masterKey('second')]) {
    expect(shown).not.toContain(key.toString('base64'))
    expect(shown).not.toContain(key.toString('hex').replace(/..(?=.)/g, '$& '))
  }
  expect(shown).not.toContain(secret)
})

test('a dump of the whole database shows neither the text nor the master key', async () => {
  const place = placeIn(await aWorkspace())
  await inWorkspace(place.workspaceId, async (db) => {
    const row = {
      workspace_id: uuidOf(place.workspaceId),
      webhook_endpoint_id: uuidOf(idFromUuid('webhook_endpoint', 'test', uuidOf(place.rowId))),
      id: uuidOf(place.rowId),
      created_at: new Date(),
      expires_at: null,
    }
    const sealed = await box.seal(db, place, secret)
    await db
      .insertInto('webhook_secrets')
      .values({ ...row, sealed })
      .execute()
  })

  const dump = await dumpOf(url)

  expect(dump).toContain(uuidOf(place.rowId))
  for (const bytes of [Buffer.from(secret), masterKey('first').key]) {
    for (const form of ['utf8', 'hex', 'base64'] as const) expect(dump).not.toContain(bytes.toString(form))
  }
})

/** As somebody might who can write to the table. */
async function copyKey(from: Id<'workspace'>, to: { to: Id<'workspace'>; number: number }): Promise<void> {
  await asOwner(url, (client) =>
    client.query(
      `insert into workspace_keys (workspace_id, number, master_key_id, wrapped, created_at)
       select $2, $3, master_key_id, wrapped, created_at from workspace_keys where workspace_id = $1 and number = 1`,
      [uuidOf(from), uuidOf(to.to), to.number],
    ),
  )
}

async function waitingForALock(): Promise<number> {
  const { rows } = await asOwner(url, (client) =>
    client.query(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    ),
  )
  return rows[0].waiting
}

/** Every row of every table, as text. Bytes stand there in hexadecimal. */
async function dumpOf(databaseUrl: string): Promise<string> {
  return asOwner(databaseUrl, async (client) => {
    const { rows: tables } = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'control')`,
    )
    const texts: string[] = []
    for (const { name } of tables) {
      const { rows } = await client.query(`select t::text as text from ${name} as t`)
      texts.push(...rows.map((row) => row.text))
    }
    return texts.join('\n')
  })
}

test('a derived key is the same each time, in each process, and tells nothing of another', async () => {
  const [one, other] = [await aWorkspace(), await aWorkspace()]
  const derive = async (workspaceId: Id<'workspace'>, purpose: string, by: SealedBox = box) =>
    (await inWorkspace(workspaceId, (db) => by.derive(db, workspaceId, purpose))).export().toString('hex')

  const first = await derive(one, 'card fingerprint')

  expect(await derive(one, 'card fingerprint')).toBe(first)
  expect(await derive(one, 'card fingerprint', newBox())).toBe(first)
  expect(first).toHaveLength(64)
  expect(new Set([first, await derive(one, 'another'), await derive(other, 'card fingerprint')]).size).toBe(3)
})
