import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import * as store from '../store/exports.ts'
import { deleteParts } from '../store/parts.ts'

/** How many parts one transaction deletes. */
const batchSize = 50

/** Worker: deletes the file of an export that has expired, failed or was cancelled, in batches. */
export async function deleteFile(deps: Deps, ref: Ref<'export'>): Promise<void> {
  const caller = systemCaller(ref)
  while (await transact(deps, caller, (tx) => deleteBatch(tx, ref))) {}
}

/** Returns whether there may be more parts. */
async function deleteBatch(tx: Tx, ref: Ref<'export'>): Promise<boolean> {
  const before = await store.lockExport(tx, ref.id)
  if (before.deleteAt === null || before.deleteAt > tx.now) return false
  if ((await deleteParts(tx, before.id, batchSize)) === batchSize) return true
  await store.updateProgress(tx, before, { deleteAt: null })
  return false
}
