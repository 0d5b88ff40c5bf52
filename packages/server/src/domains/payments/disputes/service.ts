/** Reads disputes. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { requireOneFilter, uuidInFilter } from '../../../kernel/filters.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { DisputeWithEvidence } from './dispute.ts'
import { withEvidence } from './service/evidence.ts'
import * as store from './store.ts'

export function getDispute(deps: Deps, caller: Caller, id: string): Promise<DisputeWithEvidence> {
  return read(deps, caller, async (view) => withEvidence(deps, view, await store.findDispute(view, id)))
}

export type ListDisputesInput = {
  readonly payment_id?: string | undefined
  readonly status?: string | undefined
  readonly respond_by?: string | undefined
  readonly overdue?: boolean | undefined
}

export function listDisputes(deps: Deps, caller: Caller, range: IdRange, input: ListDisputesInput) {
  const { payment_id, status, respond_by, overdue } = input
  requireOneFilter({ payment_id, status, respond_by, overdue })
  const paymentUuid = uuidInFilter('payment', caller.mode, payment_id)
  return read(deps, caller, async (view) => {
    const filter = { paymentUuid, status, respondBy: respond_by, overdue }
    const { rows, hasMore } = await store.listDisputes(view, range, filter)
    const disputes: DisputeWithEvidence[] = []
    // One after the other: the first one reads the key of the workspace, which the others then find in the cache.
    for (const dispute of rows) disputes.push(await withEvidence(deps, view, dispute))
    return { rows: disputes, hasMore }
  })
}
