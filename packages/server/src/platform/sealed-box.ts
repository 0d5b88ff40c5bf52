/**
 * Encryption of secrets at rest. Each workspace has its own key. The master key, which encrypts those keys,
 * is never in the database.
 */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { assert } from '../kernel/assert.ts'
import { type Id, type Kind, uuidOf } from '../kernel/id.ts'
import { createCache } from './cache.ts'
import type { Db } from './db/databases.ts'
import { findWorkspaceKey, insertWorkspaceKey } from './db/workspace-keys.ts'
import { type Binding, decrypt, encrypt, keyBytes } from './sealed-box/cipher.ts'
import { createKeyring, type MasterKey } from './sealed-box/keyring.ts'

/**
 * Where a ciphertext is stored. It can be decrypted only for the same location, so a ciphertext that was
 * copied to another row is detected.
 */
export type SecretLocation = {
  readonly workspaceId: Id<'workspace'>
  readonly table: string
  readonly column: string
  readonly rowId: Id<Kind>
}

export type SealedBox = {
  /** Creates the key of the workspace if it does not exist. */
  seal(db: Db, location: SecretLocation, text: string): Promise<Buffer>
  open(db: Db, location: SecretLocation, sealed: Buffer): Promise<string>
  /** Like `open`, without a connection. Null if the key of the workspace is not cached. */
  openWithCachedKey(location: SecretLocation, sealed: Buffer): Promise<string> | null
  /**
   * A key of the workspace for one purpose. It is the same each time, and reveals nothing about keys for
   * other purposes.
   */
  derive(db: Db, workspaceId: Id<'workspace'>, purpose: string): Promise<KeyObject>
}

/**
 * The layout version is the first byte; then come four bytes with the key number, then the output of the
 * cipher.
 */
const layout = 1
const headBytes = 5
/** No workspace has a second key yet. */
const newestNumber = 1
/** Derived keys must never change, so they are always derived from the first key. */
const firstNumber = 1

const cacheMs = 3_600_000
const maxCachedKeys = 10_000

export function createSealedBox(masterKeys: readonly MasterKey[]): SealedBox {
  const keyring = createKeyring(masterKeys)
  const cachedKeys = createCache<KeyObject>({ ttlMs: cacheMs, maxEntries: maxCachedKeys })

  /**
   * Encryption is rare and reads the key from the database each time: a ciphertext under a key that is not
   * stored would be lost.
   */
  const sealingKey = async (db: Db, workspaceId: Id<'workspace'>, number: number): Promise<KeyObject> => {
    const found = await findWorkspaceKey(db, workspaceId, number)
    if (found !== null) return keyring.unwrap(found)
    // Another process may do this concurrently. Both use the key that was inserted first.
    await insertWorkspaceKey(db, keyring.newKey(workspaceId, number))
    const created = await findWorkspaceKey(db, workspaceId, number)
    assert(created !== null, 'Create the key of a workspace in a transaction of that workspace.')
    return keyring.unwrap(created)
  }

  const openingKey = async (db: Db, workspaceId: Id<'workspace'>, number: number): Promise<KeyObject> => {
    const name = cacheName(workspaceId, number)
    const cached = cachedKeys.peek(name)
    if (cached !== null) return cached
    const found = await findWorkspaceKey(db, workspaceId, number)
    assert(
      found !== null,
      `Key ${number} of ${workspaceId} is missing: data that was encrypted with it cannot be decrypted.`,
    )
    const key = keyring.unwrap(found)
    // A key created by this transaction is rolled back if the transaction fails, so it must not be cached.
    if (!found.isOfThisTransaction) void cachedKeys.get(name, async () => key)
    return key
  }

  return {
    async seal(db, location, text) {
      assert(text.isWellFormed(), 'A text with a lone surrogate cannot be encoded as UTF-8.')
      const key = await sealingKey(db, location.workspaceId, newestNumber)
      const head = Buffer.alloc(headBytes)
      head.writeUInt8(layout)
      head.writeUInt32BE(newestNumber, 1)
      return Buffer.concat([head, encrypt(key, bindingOf(location, newestNumber), Buffer.from(text))])
    },

    async open(db, location, sealed) {
      const key = await openingKey(db, location.workspaceId, numberOf(location, sealed))
      return openWith(key, location, sealed)
    },

    openWithCachedKey(location, sealed) {
      const key = cachedKeys.peek(cacheName(location.workspaceId, numberOf(location, sealed)))
      return key === null ? null : key.then((known) => openWith(known, location, sealed))
    },

    async derive(db, workspaceId, purpose) {
      const key = await sealingKey(db, workspaceId, firstNumber)
      return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, keyBytes)))
    },
  }
}

const cacheName = (workspaceId: Id<'workspace'>, number: number) => `${workspaceId} ${number}`

/** The number of the key with which the text was sealed. */
function numberOf(location: SecretLocation, sealed: Buffer): number {
  assert(
    sealed.length >= headBytes && sealed[0] === layout,
    `${nameOf(location)} is not encrypted data of this format.`,
  )
  return sealed.readUInt32BE(1)
}

function openWith(key: KeyObject, location: SecretLocation, sealed: Buffer): string {
  const bytes = decrypt(key, bindingOf(location, numberOf(location, sealed)), sealed.subarray(headBytes))
  assert(
    bytes !== null,
    `${nameOf(location)} cannot be decrypted: it was changed, or sealed for another location.`,
  )
  return bytes.toString()
}

function bindingOf({ workspaceId, table, column, rowId }: SecretLocation, number: number): Binding {
  return [uuidOf(workspaceId), table, column, uuidOf(rowId), number]
}

function nameOf({ table, column, rowId }: SecretLocation): string {
  return `The value of ${table}.${column} of ${rowId}`
}
