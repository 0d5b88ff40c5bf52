/** Pages of payments. Each filter has an index that also provides the sort order. */
import { sql } from 'kysely'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { columns, fromRow } from './payments.ts'

/** At most one filter can be used, because each filter has its own index. */
export type PaymentFilter = {
  readonly customerUuid: string | null
  readonly orderReference: string | undefined
  readonly review: string | undefined
  readonly status: string | undefined
  readonly linkUuid: string | null
}

export function listPayments(view: View, range: IdRange, filter: PaymentFilter) {
  const { customerUuid, orderReference, review, status, linkUuid } = filter
  const filters = [
    customerUuid === null ? sql`` : sql`and customer_id = ${customerUuid}::uuid`,
    orderReference === undefined ? sql`` : sql`and order_reference = ${orderReference}`,
    review === undefined ? sql`` : sql`and review = ${review}`,
    status === undefined ? sql`` : statusFilter(status),
    linkUuid === null ? sql`` : sql`and payment_link_id = ${linkUuid}::uuid`,
  ]
  return listRows(view, range, { table: 'payments', columns, only: sql.join(filters, sql` `), fromRow })
}

/**
 * PostgreSQL cannot match a parameter against the predicate of a partial index, so the query repeats the
 * predicate.
 */
function statusFilter(status: string) {
  return status === 'succeeded'
    ? sql`and status = ${status}`
    : sql`and status = ${status} and status <> 'succeeded'`
}
