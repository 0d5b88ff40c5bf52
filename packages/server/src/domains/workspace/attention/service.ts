/** Lists current issues. They are computed for each request, so resolved issues disappear immediately. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import {
  accountConcerns,
  type Concern,
  endpointConcern,
  type GroupedKind,
  groupedConcern,
  sortBySeverity,
} from './concern.ts'
import { findFailingEndpoints, findIssue, findTroubledAccounts } from './store.ts'

const groupedKinds: readonly GroupedKind[] = [
  'payments_unknown',
  'payments_in_review',
  'refunds_in_review',
  'disputes_due',
  'disputes_overdue',
  'settlement_differences',
  'export_destinations_failing',
  'invoices_blocked',
  'invoice_taxes_failed',
  'tax_documents_unrecorded',
  'subscriptions_parked',
  'dunning_ending',
  'customers_unreachable',
  'cancellation_requests_open',
]

export function listConcerns(deps: Deps, caller: Caller): Promise<readonly Concern[]> {
  return read(deps, caller, async (view) => {
    const now = deps.clock.read()
    const [endpoints, accounts, ...groups] = await Promise.all([
      findFailingEndpoints(view),
      findTroubledAccounts(view),
      ...groupedKinds.map(async (kind) => groupedConcern(kind, await findIssue(view, kind, now))),
    ])
    return sortBySeverity([
      ...endpoints.map(endpointConcern),
      ...accounts.flatMap(accountConcerns),
      ...groups.flat(),
    ])
  })
}
