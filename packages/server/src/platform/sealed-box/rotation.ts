/**
 * Re-encrypts the signing keys and all workspace keys with the first master key. The keys themselves do not
 * change, so everything that they encrypt stays valid and the service keeps running. Each workspace is
 * committed separately: an interrupted rotation can be run again and continues with the rest.
 */
import { AssertionFailed } from '../../kernel/assert.ts'
import type { Id } from '../../kernel/id.ts'
import type { Databases, Shard } from '../db/databases.ts'
import {
  countWorkspacesOfOtherMasterKeys,
  listWorkspacesOfOtherMasterKeys,
  lockKeysOfOtherMasterKeys,
  updateWorkspaceKey,
} from '../db/workspace-keys.ts'
import type { Keyring } from './keyring.ts'
import { rotateSigningKeys } from './signing-keys.ts'

const pageSize = 100

export type RotationCallbacks = {
  onProgress(done: number, total: number): void
  /** Called for a key that could not be decrypted. The rotation continues with the others. */
  onFault(message: string): void
}

/**
 * Returns how many workspaces still have a key encrypted with another master key, plus the number of signing keys
 * that could not be decrypted.
 */
export async function rotateMasterKey(
  databases: Databases,
  keyring: Keyring,
  callbacks: RotationCallbacks,
): Promise<number> {
  const signingKeyFaults = await rotateSigningKeys(databases, keyring)
  for (const fault of signingKeyFaults) callbacks.onFault(fault)
  const total = await countRemaining(databases, keyring)
  let done = 0
  for (const shard of databases.shards) {
    for await (const page of pagesOfWorkspaces(shard, keyring)) {
      for (const workspaceId of page) {
        const fault = await rewrapKeysOf(shard, keyring, workspaceId)
        if (fault !== null) callbacks.onFault(fault)
      }
      done += page.length
      // The total may have grown: another process may still use an older master key.
      callbacks.onProgress(done, Math.max(done, total))
    }
  }
  return (await countRemaining(databases, keyring)) + signingKeyFaults.length
}

async function countRemaining({ shards }: Databases, { firstId }: Keyring): Promise<number> {
  const counts = shards.map((shard) =>
    shard.as('switchyard_delivery', (db) => countWorkspacesOfOtherMasterKeys(db, firstId)),
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

async function* pagesOfWorkspaces(shard: Shard, { firstId }: Keyring): AsyncGenerator<Id<'workspace'>[]> {
  let after: Id<'workspace'> | null = null
  do {
    const from: Id<'workspace'> | null = after
    const page: Id<'workspace'>[] = await shard.as('switchyard_delivery', (db) =>
      listWorkspacesOfOtherMasterKeys(db, firstId, { after: from, limit: pageSize }),
    )
    if (page.length > 0) yield page
    after = page.length < pageSize ? null : (page.at(-1) ?? null)
  } while (after !== null)
}

/** Null on success, otherwise the reason for the failure. */
async function rewrapKeysOf(
  shard: Shard,
  keyring: Keyring,
  workspaceId: Id<'workspace'>,
): Promise<string | null> {
  try {
    await shard.inWorkspace(workspaceId, async (db) => {
      const keys = await lockKeysOfOtherMasterKeys(db, workspaceId, keyring.firstId)
      for (const key of keys) await updateWorkspaceKey(db, keyring.rewrap(key))
    })
    return null
  } catch (error) {
    if (error instanceof AssertionFailed) return error.message
    throw error
  }
}
