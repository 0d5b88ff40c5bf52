/** The master keys: the first seals the keys of workspaces, all of them open. They never leave this file. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { assert } from '../../kernel/assert.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import type { WrappedKey } from '../db/workspace-keys.ts'
import { type Binding, decrypt, encrypt, keyBytes } from './cipher.ts'

export type MasterKey = { readonly id: string; readonly key: Buffer }

export type Keyring = {
  /** The name of the master key that seals. */
  readonly firstId: string
  readonly olderIds: readonly string[]
  newKey(workspaceId: Id<'workspace'>, number: number): WrappedKey
  unwrap(key: WrappedKey): KeyObject
  /** Whether its master key is here, and is the one that sealed it. */
  opens(key: WrappedKey): boolean
  /** The same key, sealed with the first master key. */
  rewrap(key: WrappedKey): WrappedKey
}

const layout = 1

export function createKeyring(masterKeys: readonly MasterKey[]): Keyring {
  const [first, ...older] = masterKeys
  assert(first !== undefined, 'MASTER_KEYS needs at least one key.')
  // Held in a form that neither a log line nor an error can print.
  const keys = new Map(masterKeys.map(({ id, key }) => [id, createSecretKey(key)]))
  assert(keys.size === masterKeys.length, 'MASTER_KEYS has one name twice. Give each key a name of its own.')

  const wrap = (place: Pick<WrappedKey, 'workspaceId' | 'number'>, bytes: Buffer): WrappedKey => {
    const key = { ...place, masterKeyId: first.id }
    const sealed = encrypt(keys.get(first.id) as KeyObject, bindingOf(key), bytes)
    return { ...key, wrapped: Buffer.concat([Buffer.of(layout), sealed]) }
  }

  const unwrap = (key: WrappedKey): Buffer => {
    const master = keys.get(key.masterKeyId)
    assert(master !== undefined, notThere(key))
    assert(key.wrapped[0] === layout, `${nameOf(key)} is stored in a way that a newer release began.`)
    const bytes = decrypt(master, bindingOf(key), key.wrapped.subarray(1))
    assert(bytes !== null && bytes.length === keyBytes, notThatOne(key))
    return bytes
  }

  return {
    firstId: first.id,
    olderIds: older.map(({ id }) => id),
    newKey: (workspaceId, number) => wrap({ workspaceId, number }, randomBytes(keyBytes)),
    unwrap: (key) => createSecretKey(unwrap(key)),
    opens: (key) => {
      const master = keys.get(key.masterKeyId)
      return master !== undefined && decrypt(master, bindingOf(key), key.wrapped.subarray(1)) !== null
    },
    rewrap: (key) => wrap({ workspaceId: key.workspaceId, number: key.number }, unwrap(key)),
  }
}

function bindingOf({ workspaceId, number, masterKeyId }: Omit<WrappedKey, 'wrapped'>): Binding {
  return ['workspace_key', uuidOf(workspaceId), number, masterKeyId]
}

function nameOf({ workspaceId, number }: WrappedKey): string {
  return `Key ${number} of ${workspaceId}`
}

function notThere(key: WrappedKey): string {
  const { masterKeyId } = key
  return `${nameOf(key)} is sealed with the master key "${masterKeyId}", which is not in MASTER_KEYS. Add it after the first one: MASTER_KEYS=<the first>,${masterKeyId}:<its 32 bytes as base64>.`
}

function notThatOne(key: WrappedKey): string {
  return `${nameOf(key)} does not open with the master key "${key.masterKeyId}" of MASTER_KEYS. Either that name now has other bytes than when it sealed, and the former ones have to be set again, or the row was changed.`
}
