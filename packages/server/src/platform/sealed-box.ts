/** Secrets at rest. Each workspace has its own key; the master key, which seals those, is never in the database. */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { assert } from '../kernel/assert.ts'
import { type Id, type Kind, uuidOf } from '../kernel/id.ts'
import { createCache } from './cache.ts'
import type { Db } from './db/databases.ts'
import { findWorkspaceKey, insertWorkspaceKey } from './db/workspace-keys.ts'
import { type Binding, decrypt, encrypt, keyBytes } from './sealed-box/cipher.ts'
import { createKeyring, type MasterKey } from './sealed-box/keyring.ts'

/** Where a sealed text lies. It opens there and nowhere else, so a row that was copied over another is noticed. */
export type Place = {
  readonly workspaceId: Id<'workspace'>
  readonly table: string
  readonly column: string
  readonly rowId: Id<Kind>
}

export type SealedBox = {
  /** Makes the key of the workspace if there is none yet. */
  seal(db: Db, place: Place, text: string): Promise<Buffer>
  open(db: Db, place: Place, sealed: Buffer): Promise<string>
  /** A key of the workspace for one purpose, the same each time, of which the others cannot be told. */
  derive(db: Db, workspaceId: Id<'workspace'>, purpose: string): Promise<KeyObject>
}

/** The first byte of what is sealed; then four bytes with the number of the key, then what the cipher gives. */
const layout = 1
const headBytes = 5
/** So far no workspace has a second key. */
const newestNumber = 1
/** What is derived has to stay the same, so it is always derived from this one. */
const firstNumber = 1

const rememberMs = 3_600_000
const rememberAtMost = 10_000

export function createSealedBox(masterKeys: readonly MasterKey[]): SealedBox {
  const keyring = createKeyring(masterKeys)
  const known = createCache<KeyObject>({ ttlMs: rememberMs, maxEntries: rememberAtMost })

  /** Sealing is rare and asks the database each time: under a key that is not there, a text would be lost. */
  const sealingKey = async (db: Db, workspaceId: Id<'workspace'>, number: number): Promise<KeyObject> => {
    const found = await findWorkspaceKey(db, workspaceId, number)
    if (found !== null) return keyring.unwrap(found)
    // Another process may be doing the same. The first one in the table counts, for both.
    await insertWorkspaceKey(db, keyring.newKey(workspaceId, number))
    const made = await findWorkspaceKey(db, workspaceId, number)
    assert(made !== null, 'The key of a workspace is made inside of that workspace.')
    return keyring.unwrap(made)
  }

  const openingKey = async (db: Db, workspaceId: Id<'workspace'>, number: number): Promise<KeyObject> => {
    const name = `${workspaceId} ${number}`
    const remembered = known.peek(name)
    if (remembered !== null) return remembered
    const found = await findWorkspaceKey(db, workspaceId, number)
    assert(found !== null, `Key ${number} of ${workspaceId} is gone: what it sealed cannot be opened.`)
    const key = keyring.unwrap(found)
    // One that this transaction made goes with it if it fails, and must not outlive it here.
    if (!found.isOfThisTransaction) void known.get(name, async () => key)
    return key
  }

  return {
    async seal(db, place, text) {
      assert(text.isWellFormed(), 'A text with half a character in it would not come back as it was.')
      const key = await sealingKey(db, place.workspaceId, newestNumber)
      const head = Buffer.alloc(headBytes)
      head.writeUInt8(layout)
      head.writeUInt32BE(newestNumber, 1)
      return Buffer.concat([head, encrypt(key, bindingOf(place, newestNumber), Buffer.from(text))])
    },

    async open(db, place, sealed) {
      assert(sealed.length >= headBytes && sealed[0] === layout, `${nameOf(place)} is not a sealed text.`)
      const number = sealed.readUInt32BE(1)
      const key = await openingKey(db, place.workspaceId, number)
      const bytes = decrypt(key, bindingOf(place, number), sealed.subarray(headBytes))
      assert(bytes !== null, `${nameOf(place)} does not open: it was changed, or sealed for another place.`)
      return bytes.toString()
    },

    async derive(db, workspaceId, purpose) {
      const key = await sealingKey(db, workspaceId, firstNumber)
      return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, keyBytes)))
    },
  }
}

function bindingOf({ workspaceId, table, column, rowId }: Place, number: number): Binding {
  return [uuidOf(workspaceId), table, column, uuidOf(rowId), number]
}

function nameOf({ table, column, rowId }: Place): string {
  return `What lies in ${table}.${column} of ${rowId}`
}
