/**
 * The audit log: privileged actions, recorded in the transaction of the action. Actions in the control plane are recorded
 * in its outbox; see `service/outbox.ts`.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { requireOneFilter } from '../../../kernel/filters.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx } from '../../../platform/db/unit-of-work.ts'
import { type Act, entryOf, type Target } from './audit-entry.ts'
import { type ChainEnd, emptyChain, isAtHead, verifyLinks } from './chain.ts'
import { appendEntry } from './service/append.ts'
import { listEntries, lockHead, readHead, readLinks } from './store.ts'

/** Appends one entry to the chain of the workspace. */
export async function recordAuditEntry(tx: Tx, act: Act, target: Target): Promise<void> {
  await appendEntry(tx, await lockHead(tx), entryOf(tx, act, target))
}

export type AuditFilter = {
  readonly act?: Act | undefined
  readonly object_id?: string | undefined
  readonly person_id?: string | undefined
  readonly api_token_id?: string | undefined
}

export function listAuditEntries(deps: Deps, caller: Caller, range: IdRange, filter: AuditFilter) {
  const { act, object_id, person_id, api_token_id } = filter
  const members = { act, object_id, person_id, api_token_id }
  requireOneFilter(members)
  return read(deps, caller, (view) => listEntries(view, range, members))
}

/** `brokenAt` is the number of the first entry that does not match; null if the whole chain is intact. */
export type AuditVerification = { readonly brokenAt: bigint | null; readonly head: ChainEnd }

export async function verifyAuditLog(deps: Deps, caller: Caller): Promise<AuditVerification> {
  // Read the head first: entries that are added during the verification come after it and are ignored.
  const head = await read(deps, caller, readHead)
  let verified: ChainEnd = emptyChain
  while (verified.number < head.number) {
    const after = verified.number
    const limit = Number(head.number - after < 1_000n ? head.number - after : 1_000n)
    const { end, brokenAt } = verifyLinks(
      verified,
      await read(deps, caller, (view) => readLinks(view, after, limit)),
    )
    if (brokenAt !== null) return { brokenAt, head }
    if (end.number === after) return { brokenAt: after + 1n, head }
    verified = end
  }
  return { brokenAt: isAtHead(verified, head) ? null : head.number, head }
}
