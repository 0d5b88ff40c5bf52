import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { masterKey, sealingForThisFile, secretLocation } from '../../test/support/sealing.ts'
import { AssertionFailed } from '../kernel/assert.ts'
import { type Id, idFromUuid, uuidOf } from '../kernel/id.ts'
import { asOwner } from './db/owner.ts'
import { createSealedBox, type SealedBox, type SecretLocation } from './sealed-box.ts'

const { url, databases, inWorkspace, newWorkspaces } = await sealingForThisFile()
const secret = 'whsec_a-text-that-must-stay-a-secret'
const newBox = () => createSealedBox([masterKey('first')])
const box = newBox()

const createWorkspace = async () => (await newWorkspaces(1))[0] as Id<'workspace'>
const seal = (location: SecretLocation, text = secret, sealedBox: SealedBox = box) =>
  inWorkspace(location.workspaceId, (db) => sealedBox.seal(db, location, text))
const open = (location: SecretLocation, sealed: Buffer, sealedBox: SealedBox = box) =>
  inWorkspace(location.workspaceId, (db) => sealedBox.open(db, location, sealed))

test('any text survives a round trip', async () => {
  const location = secretLocation(await createWorkspace())
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 2_000 }))

  await inWorkspace(location.workspaceId, (db) =>
    fc.assert(
      fc.asyncProperty(text, async (value) => {
        const sealed = await box.seal(db, location, value)
        expect(await box.open(db, location, sealed)).toBe(value)
        // The sealed text reveals only the length.
        expect(sealed.length).toBe(1 + 4 + 12 + Buffer.byteLength(value) + 16)
      }),
      { examples: [[''], ['\0'], ['ß🂡'.repeat(50_000)]] },
    ),
  )
})

test('a lone surrogate, which UTF-8 cannot encode, is rejected', async () => {
  await expect(seal(secretLocation(await createWorkspace()), 'a\ud800')).rejects.toThrow('a lone surrogate')
})

test('sealing the same text for the same location twice gives different results', async () => {
  const location = secretLocation(await createWorkspace())

  expect((await seal(location)).equals(await seal(location))).toBe(false)
})

test.each<[string, (location: SecretLocation) => SecretLocation]>([
  ['row', ({ workspaceId, ...location }) => ({ ...location, ...secretLocation(workspaceId) })],
  ['column', (location) => ({ ...location, column: 'sealed_before' })],
  ['table', (location) => ({ ...location, table: 'webhook_endpoints' })],
  // Without a separator, these two names would concatenate to the same text as those of the first location.
  ['table and column', (location) => ({ ...location, table: 'webhook_secretss', column: 'ealed' })],
])('a ciphertext that was moved to another %s cannot be decrypted', async (_, moved) => {
  const location = secretLocation(await createWorkspace())
  const sealed = await seal(location)

  await expect(open(moved(location), sealed)).rejects.toThrow('was changed, or sealed for another location')
  expect(await open(location, sealed)).toBe(secret)
})

test('a ciphertext that was moved to another workspace cannot be decrypted, even with a copy of the key', async () => {
  const [location, other] = [secretLocation(await createWorkspace()), await createWorkspace()]
  const sealed = await seal(location)
  const moved = { ...location, workspaceId: other }

  await expect(open(moved, sealed)).rejects.toThrow(`Key 1 of ${other} is missing`)
  await copyKey(location.workspaceId, { to: other, number: 1 })
  await expect(open(moved, sealed)).rejects.toThrow(
    `Key 1 of ${other} cannot be decrypted with the master key`,
  )
})

test('a ciphertext with a different key number cannot be decrypted, even with a copy of the key', async () => {
  const location = secretLocation(await createWorkspace())
  const sealed = await seal(location)
  sealed.writeUInt32BE(2, 1)

  await expect(open(location, sealed)).rejects.toThrow(`Key 2 of ${location.workspaceId} is missing`)
  await copyKey(location.workspaceId, { to: location.workspaceId, number: 2 })
  await expect(open(location, sealed)).rejects.toThrow('cannot be decrypted with the master key')
})

test('a ciphertext with a changed bit or a missing byte cannot be decrypted', async () => {
  const location = secretLocation(await createWorkspace())
  const sealed = await seal(location)

  for (const index of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(index) ^ 0x80, index)
    await expect(open(location, changed), `byte ${index}`).rejects.toThrow(AssertionFailed)
    await expect(open(location, sealed.subarray(0, index)), `${index} bytes`).rejects.toThrow(AssertionFailed)
  }
  expect(await open(location, sealed)).toBe(secret)
})

test.each([
  ['commits', true],
  ['fails', false],
])(
  'two processes that seal concurrently for the first time agree on one key, when the earlier one %s',
  async (_, commits) => {
    const workspaceId = await createWorkspace()
    const [location, laterLocation] = [secretLocation(workspaceId), secretLocation(workspaceId)]
    const canEnd = Promise.withResolvers<void>()
    const hasSealed = Promise.withResolvers<void>()

    const earlier = inWorkspace(workspaceId, async (db) => {
      const sealed = await newBox().seal(db, location, secret)
      hasSealed.resolve()
      await canEnd.promise
      if (!commits) throw new Error('Cancelled.')
      return sealed
    }).catch(() => null)
    await hasSealed.promise
    const later = seal(laterLocation, 'later', newBox())
    await expect.poll(countWaitingForLock).toBe(1)
    canEnd.resolve()

    const [first, second] = await Promise.all([earlier, later])
    const third = newBox()
    expect(await open(laterLocation, second, third)).toBe('later')
    if (commits) expect(await open(location, first as Buffer, third)).toBe(secret)
  },
)

test('a key created in a transaction that failed is discarded with it', async () => {
  const location = secretLocation(await createWorkspace())
  const failing = inWorkspace(location.workspaceId, async (db) => {
    expect(await box.open(db, location, await box.seal(db, location, secret))).toBe(secret)
    throw new Error('Cancelled.')
  })
  await expect(failing).rejects.toThrow('Cancelled.')

  const sealed = await seal(location)

  expect(await open(location, sealed)).toBe(secret)
  expect(await open(location, sealed, newBox())).toBe(secret)
})

test('the delivery role can decrypt ciphertexts of every workspace, but cannot create keys', async () => {
  const [location, other] = [secretLocation(await createWorkspace()), secretLocation(await createWorkspace())]
  const sealed = await seal(location)
  const [shard] = databases.shards

  expect(await shard?.withDeliveryConnection((db) => newBox().open(db, location, sealed))).toBe(secret)
  expect(await shard?.as('switchyard_delivery', (db) => newBox().open(db, location, sealed))).toBe(secret)
  await expect(shard?.withDeliveryConnection((db) => box.seal(db, other, secret))).rejects.toThrow(
    'permission denied',
  )
})

test('a key is read once and cached; without the key, ciphertexts cannot be decrypted', async () => {
  const location = secretLocation(await createWorkspace())
  const sealed = await seal(location)
  expect(await open(location, sealed)).toBe(secret)

  await asOwner(url, (client) =>
    client.query('delete from workspace_keys where workspace_id = $1', [uuidOf(location.workspaceId)]),
  )

  expect(await open(location, sealed)).toBe(secret)
  await expect(open(location, sealed, newBox())).rejects.toThrow(
    'is missing: data that was encrypted with it cannot be decrypted',
  )
})

test('the error for a missing or wrong master key names the key and what to set', async () => {
  const location = secretLocation(await createWorkspace())
  const sealed = await seal(location)
  const without = createSealedBox([masterKey('second')])
  const withOther = createSealedBox([{ ...masterKey('second'), id: 'first' }])

  await expect(open(location, sealed, without)).rejects.toThrow(
    'encrypted with the master key "first", which is not in MASTER_KEYS. Add it after the first one: MASTER_KEYS=<the first>,first:<',
  )
  await expect(seal(location, secret, without)).rejects.toThrow('which is not in MASTER_KEYS')
  await expect(open(location, sealed, withOther)).rejects.toThrow(
    'cannot be decrypted with the master key "first" of MASTER_KEYS',
  )
})

test('two master keys with the same name are rejected at startup', () => {
  expect(() => createSealedBox([masterKey('first'), masterKey('first')])).toThrow('the same name twice')
})

test('no error contains a secret or a key', async () => {
  const location = secretLocation(await createWorkspace())
  const sealed = await seal(location)
  const withOther = createSealedBox([{ ...masterKey('second'), id: 'first' }])
  const errors = await Promise.all([
    seal(location, `${secret}\ud800`).catch((error) => error),
    open({ ...location, column: 'other' }, sealed).catch((error) => error),
    open(location, sealed, withOther).catch((error) => error),
  ])

  const shown = inspect([errors, box, withOther], { depth: 10, showHidden: true })
  expect(errors.every((error) => error instanceof Error)).toBe(true)
  for (const { key } of [masterKey('first'), masterKey('second')]) {
    expect(shown).not.toContain(key.toString('base64'))
    expect(shown).not.toContain(key.toString('hex').replace(/..(?=.)/g, '$& '))
  }
  expect(shown).not.toContain(secret)
})

test('a dump of the whole database contains neither the text nor the master key', async () => {
  const location = secretLocation(await createWorkspace())
  await inWorkspace(location.workspaceId, async (db) => {
    const row = {
      workspace_id: uuidOf(location.workspaceId),
      webhook_endpoint_id: uuidOf(idFromUuid('webhook_endpoint', 'test', uuidOf(location.rowId))),
      id: uuidOf(location.rowId),
      created_at: new Date(),
      expires_at: null,
    }
    const sealed = await box.seal(db, location, secret)
    await db
      .insertInto('webhook_secrets')
      .values({ ...row, sealed })
      .execute()
  })

  const dump = await dumpOf(url)

  expect(dump).toContain(uuidOf(location.rowId))
  for (const bytes of [Buffer.from(secret), masterKey('first').key]) {
    for (const form of ['utf8', 'hex', 'base64'] as const) expect(dump).not.toContain(bytes.toString(form))
  }
})

/** Simulates an attacker with write access to the table. */
async function copyKey(from: Id<'workspace'>, to: { to: Id<'workspace'>; number: number }): Promise<void> {
  await asOwner(url, (client) =>
    client.query(
      `insert into workspace_keys (workspace_id, number, master_key_id, wrapped, created_at)
       select $2, $3, master_key_id, wrapped, created_at from workspace_keys where workspace_id = $1 and number = 1`,
      [uuidOf(from), uuidOf(to.to), to.number],
    ),
  )
}

async function countWaitingForLock(): Promise<number> {
  const { rows } = await asOwner(url, (client) =>
    client.query(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    ),
  )
  return rows[0].waiting
}

/** Every row of every table as text. Bytes are in hexadecimal. */
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

test('a derived key is the same each time and in each process, and reveals nothing about another', async () => {
  const [first, second] = [await createWorkspace(), await createWorkspace()]
  const derive = async (workspaceId: Id<'workspace'>, purpose: string, sealedBox: SealedBox = box) =>
    (await inWorkspace(workspaceId, (db) => sealedBox.derive(db, workspaceId, purpose)))
      .export()
      .toString('hex')

  const derived = await derive(first, 'card fingerprint')

  expect(await derive(first, 'card fingerprint')).toBe(derived)
  expect(await derive(first, 'card fingerprint', newBox())).toBe(derived)
  expect(derived).toHaveLength(64)
  expect(
    new Set([derived, await derive(first, 'another'), await derive(second, 'card fingerprint')]).size,
  ).toBe(3)
})
