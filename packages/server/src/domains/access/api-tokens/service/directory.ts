/**
 * Copies the secrets of API tokens to the directory in the control plane. A change of a token is committed in its
 * workspace, together with the time at which the directory is due. The process that changed the token then updates the
 * directory and clears that time. If it is killed, or the control plane is unavailable, the `api_token.list` job
 * updates the directory.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { changeControl } from '../../../../platform/db/control.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../audit/service.ts'
import type { ApiToken } from '../api-token.ts'
import {
  claimVersion,
  clearDirectoryDue,
  deleteSecrets,
  insertSecrets,
  isCreatorCurrent,
  type Listing,
  readListing,
} from '../store/directory.ts'
import { deleteAllHashes, lockApiToken, updateApiToken } from '../store.ts'

/**
 * Expired secrets are kept for this time, so that a request with one gets `token_expired`, not
 * `token_invalid`.
 */
export const expiredRetentionSeconds = 30 * 24 * 60 * 60

/** How long the process that changed a token has to update the directory before background work does so. */
const listWithinSeconds = 10

export function directoryDueAt(tx: Tx): Date {
  return addSeconds(tx.now, listWithinSeconds)
}

/** The token was revoked instead of being listed, because its creator may no longer create tokens. */
export type ListingResult = 'up_to_date' | 'revoked'

/** Updates the directory. Can run late, twice, or concurrently. */
export async function updateDirectory(deps: Deps, ref: Ref<'api_token'>): Promise<ListingResult> {
  const caller = systemCaller(ref)
  const listing = await read(deps, caller, (view) => readListing(view, ref.id))
  if (listing === null) return 'up_to_date'
  const isListed = await changeControl(deps, (db, now) => applyListing(db, ref, { listing, now }))
  if (!isListed) {
    await transact(deps, caller, async (tx) => {
      const token = await lockApiToken(tx, ref.id)
      if (token.status === 'active') await revoke(tx, token)
    })
    await updateDirectory(deps, ref)
    return 'revoked'
  }
  crashpoint('token.listed')
  await transact(deps, caller, (tx) => clearDirectoryDue(tx, ref.id, listing.version))
  return 'up_to_date'
}

/** Background work: updates the directory if the process that changed the token did not. */
export async function listApiToken(deps: Deps, ref: Ref<'api_token'>): Promise<void> {
  await updateDirectory(deps, ref)
}

/**
 * Updates the directory after a change. If that fails, the change is still valid, and background work updates the
 * directory.
 */
export async function updateDirectorySoon(deps: Deps, ref: Ref<'api_token'>): Promise<ListingResult> {
  crashpoint('token.changed')
  return updateDirectory(deps, ref).then(null, (error) => {
    deps.log.warn('The directory of API tokens was not updated. It will be retried.', { id: ref.id, error })
    return 'up_to_date' as const
  })
}

/** Returns false if the creator of the token may no longer create tokens. */
async function applyListing(
  db: Db,
  ref: Ref<'api_token'>,
  { listing, now }: { readonly listing: Listing; readonly now: Date },
): Promise<boolean> {
  // Lock the person first, in the same order as the unit of work that revokes the tokens of a person.
  const { createdBy, creatorGeneration, status, hashes } = listing
  const isAllowed =
    status !== 'active' || createdBy === null || (await isCreatorCurrent(db, createdBy, creatorGeneration))
  if (!isAllowed) return false
  if (!(await claimVersion(db, ref, listing.version))) return true
  if (status !== 'active' && hashes.length === 0) await deleteSecrets(db, ref, null)
  else {
    await insertSecrets(db, ref, listing)
    await deleteSecrets(db, ref, addSeconds(now, -expiredRetentionSeconds))
  }
  return true
}

/** The status takes effect immediately; the directory follows. */
export async function revoke(tx: Tx, before: ApiToken): Promise<ApiToken> {
  await deleteAllHashes(tx, before.id)
  const changes = { ...before, status: 'revoked', dueAt: null, directoryDueAt: directoryDueAt(tx) } as const
  const after = await updateApiToken(tx, before, changes)
  await recordAuditEntry(tx, 'api_token.revoked', { objectId: after.id })
  return after
}
