/** Reads disputes. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { requireOneFilter, uuidInFilter } from '../../../kernel/filters.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { Dispute } from './dispute.ts'
import * as store from './store.ts'

export function getDispute(deps: Deps, caller: Caller, id: string): Promise<Dispute> {
  return read(deps, caller, (view) => store.findDispute(view, id))
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
  return read(deps, caller, (view) =>
    store.listDisputes(view, range, { paymentUuid, status, respondBy: respond_by, overdue }),
  )
}
