/**
 * The master keys: the first encrypts workspace keys, and all of them decrypt. They never leave this file.
 */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { assert } from '../../kernel/assert.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import type { StoredSigningKey } from '../db/signing-keys.ts'
import type { WrappedKey } from '../db/workspace-keys.ts'
import { type Binding, decrypt, encrypt, keyBytes } from './cipher.ts'

export type MasterKey = { readonly id: string; readonly key: Buffer }

export type Keyring = {
  /** The name of the master key that encrypts. */
  readonly firstId: string
  readonly olderIds: readonly string[]
  newKey(workspaceId: Id<'workspace'>, number: number): WrappedKey
  unwrap(key: WrappedKey): KeyObject
  /** Whether the master key of this key is available and decrypts it. */
  canDecrypt(key: WrappedKey): boolean
  /** The same key, encrypted with the first master key. */
  rewrap(key: WrappedKey): WrappedKey
  sealSigningKey(name: string, bytes: Uint8Array): StoredSigningKey
  openSigningKey(key: StoredSigningKey): OpenedSigningKey
}

export type OpenedSigningKey =
  | { readonly isDecrypted: true; readonly bytes: Buffer }
  | { readonly isDecrypted: false; readonly fault: string }

const layout = 1

export function createKeyring(masterKeys: readonly MasterKey[]): Keyring {
  const [first, ...older] = masterKeys
  assert(first !== undefined, 'MASTER_KEYS needs at least one key.')
  // As KeyObject, which neither a log line nor an error can print.
  const keys = new Map(masterKeys.map(({ id, key }) => [id, createSecretKey(key)]))
  assert(keys.size === masterKeys.length, 'MASTER_KEYS has the same name twice. Give each key its own name.')

  const wrap = (location: Pick<WrappedKey, 'workspaceId' | 'number'>, bytes: Buffer): WrappedKey => {
    const key = { ...location, masterKeyId: first.id }
    const sealed = encrypt(keys.get(first.id) as KeyObject, bindingOf(key), bytes)
    return { ...key, wrapped: Buffer.concat([Buffer.of(layout), sealed]) }
  }

  const unwrap = (key: WrappedKey): Buffer => {
    const master = keys.get(key.masterKeyId)
    assert(master !== undefined, missingMasterKeyMessage(key))
    assert(key.wrapped[0] === layout, `${nameOf(key)} is stored in the format of a newer release.`)
    const bytes = decrypt(master, bindingOf(key), key.wrapped.subarray(1))
    assert(bytes !== null && bytes.length === keyBytes, wrongMasterKeyMessage(key))
    return bytes
  }

  return {
    firstId: first.id,
    olderIds: older.map(({ id }) => id),
    newKey: (workspaceId, number) => wrap({ workspaceId, number }, randomBytes(keyBytes)),
    unwrap: (key) => createSecretKey(unwrap(key)),
    canDecrypt: (key) => {
      const master = keys.get(key.masterKeyId)
      return master !== undefined && decrypt(master, bindingOf(key), key.wrapped.subarray(1)) !== null
    },
    rewrap: (key) => wrap({ workspaceId: key.workspaceId, number: key.number }, unwrap(key)),
    sealSigningKey: (name, bytes) => {
      const master = keys.get(first.id) as KeyObject
      const sealed = encrypt(master, ['proof_key', name, first.id], Buffer.from(bytes))
      return { name, masterKeyId: first.id, wrapped: Buffer.concat([Buffer.of(layout), sealed]) }
    },
    openSigningKey: ({ name, masterKeyId, wrapped }) => {
      const master = keys.get(masterKeyId)
      const bytes =
        master === undefined ? null : decrypt(master, ['proof_key', name, masterKeyId], wrapped.subarray(1))
      if (bytes !== null) return { isDecrypted: true, bytes }
      return {
        isDecrypted: false,
        fault: `The signing key "${name}" cannot be decrypted with the master key "${masterKeyId}". Payment links signed with it do not work in this process. Add that master key to MASTER_KEYS after the first one.`,
      }
    },
  }
}

function bindingOf({ workspaceId, number, masterKeyId }: Omit<WrappedKey, 'wrapped'>): Binding {
  return ['workspace_key', uuidOf(workspaceId), number, masterKeyId]
}

function nameOf({ workspaceId, number }: WrappedKey): string {
  return `Key ${number} of ${workspaceId}`
}

function missingMasterKeyMessage(key: WrappedKey): string {
  const { masterKeyId } = key
  return `${nameOf(key)} is encrypted with the master key "${masterKeyId}", which is not in MASTER_KEYS. Add it after the first one: MASTER_KEYS=<the first>,${masterKeyId}:<its 32 bytes as base64>.`
}

function wrongMasterKeyMessage(key: WrappedKey): string {
  return `${nameOf(key)} cannot be decrypted with the master key "${key.masterKeyId}" of MASTER_KEYS. Either the value of that key has changed and must be restored, or the row was modified.`
}
