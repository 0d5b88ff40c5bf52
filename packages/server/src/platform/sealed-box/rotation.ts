/**
 * Seals the keys of all workspaces anew with the first master key. The keys themselves stay, and so does what
 * they sealed, so everything goes on meanwhile. Each workspace is a commit of its own: whoever stops half-way
 * runs it again, and it goes on with what is left.
 */
import { AssertionFailed } from '../../kernel/assert.ts'
import type { Id } from '../../kernel/id.ts'
import type { Databases, Shard } from '../db/databases.ts'
import {
  countWorkspacesNotUnder,
  listWorkspacesNotUnder,
  lockKeysNotUnder,
  updateWorkspaceKey,
} from '../db/workspace-keys.ts'
import type { Keyring } from './keyring.ts'

const workspacesAtOnce = 100

export type RotationNotes = {
  onProgress(done: number, total: number): void
  /** A key that could not be opened. The others are not held up by it. */
  onFault(sentence: string): void
}

/** How many workspaces still have a key under another master key, afterwards. */
export async function rotateMasterKey(
  databases: Databases,
  keyring: Keyring,
  notes: RotationNotes,
): Promise<number> {
  const total = await countLeft(databases, keyring)
  let done = 0
  for (const shard of databases.shards) {
    for await (const page of pagesOfWorkspaces(shard, keyring)) {
      for (const workspaceId of page) {
        const fault = await rewrapKeysOf(shard, keyring, workspaceId)
        if (fault !== null) notes.onFault(fault)
      }
      done += page.length
      // A process that still seals with an older master key may have added some.
      notes.onProgress(done, Math.max(done, total))
    }
  }
  return countLeft(databases, keyring)
}

async function countLeft({ shards }: Databases, { firstId }: Keyring): Promise<number> {
  const counts = shards.map((shard) =>
    shard.as('switchyard_delivery', (db) => countWorkspacesNotUnder(db, firstId)),
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

async function* pagesOfWorkspaces(shard: Shard, { firstId }: Keyring): AsyncGenerator<Id<'workspace'>[]> {
  let after: Id<'workspace'> | null = null
  do {
    const from: Id<'workspace'> | null = after
    const page: Id<'workspace'>[] = await shard.as('switchyard_delivery', (db) =>
      listWorkspacesNotUnder(db, firstId, { after: from, limit: workspacesAtOnce }),
    )
    if (page.length > 0) yield page
    after = page.length < workspacesAtOnce ? null : (page.at(-1) ?? null)
  } while (after !== null)
}

/** Null if all went well, else what went wrong. */
async function rewrapKeysOf(
  shard: Shard,
  keyring: Keyring,
  workspaceId: Id<'workspace'>,
): Promise<string | null> {
  try {
    await shard.inWorkspace(workspaceId, async (db) => {
      const keys = await lockKeysNotUnder(db, workspaceId, keyring.firstId)
      for (const key of keys) await updateWorkspaceKey(db, keyring.rewrap(key))
    })
    return null
  } catch (error) {
    if (error instanceof AssertionFailed) return error.message
    throw error
  }
}
