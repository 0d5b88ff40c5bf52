/** The audit log: privileged acts, written in the transaction of the act. */
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../kernel/caller.ts'
import { requireOneFilter } from '../../kernel/filters.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx } from '../../platform/db/unit-of-work.ts'
import type { Act, AuditEntry } from './audit-entry.ts'
import { toText } from './audit-entry.ts'
import { beginning, type ChainEnd, follow, hashOf, reaches } from './chain.ts'
import { insertEntry, listEntries, lockHead, readHead, readLinks } from './store.ts'

/** Adds the act to the chain of the workspace. One act is one entry. */
export async function recordAct(
  tx: Tx,
  act: Act,
  about: { readonly objectId: string; readonly details?: AuditEntry['details'] },
): Promise<void> {
  const head = await lockHead(tx)
  const entry: AuditEntry = {
    id: tx.newId('audit_entry'),
    number: head.number + 1n,
    act,
    objectId: about.objectId,
    tokenId: tx.caller.tokenId,
    personId: tx.caller.personId,
    authority: tx.caller.authority,
    requestId: tx.caller.request?.id ?? null,
    details: about.details ?? {},
    createdAt: tx.now,
  }
  const text = toText(entry)
  await insertEntry(tx, entry, { number: entry.number, entry: text, hash: hashOf(head.hash, text) })
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

/** `brokenAt` is the number of the first entry that does not fit; null if the chain holds up to its head. */
export type Verified = { readonly brokenAt: bigint | null; readonly head: ChainEnd }

/** Walks the chain of a workspace. */
export async function verifyAuditLog(deps: Deps, caller: Caller): Promise<Verified> {
  // The head first: entries that are added meanwhile lie beyond it and do not matter.
  const head = await read(deps, caller, readHead)
  let reached: ChainEnd = beginning
  while (reached.number < head.number) {
    const after = reached.number
    const limit = Number(head.number - after < 1_000n ? head.number - after : 1_000n)
    const { end, brokenAt } = follow(
      reached,
      await read(deps, caller, (view) => readLinks(view, after, limit)),
    )
    if (brokenAt !== null) return { brokenAt, head }
    if (end.number === after) return { brokenAt: after + 1n, head }
    reached = end
  }
  return { brokenAt: reaches(reached, head) ? null : head.number, head }
}
