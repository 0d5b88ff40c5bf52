/** Pages of payments. Each filter has an index that holds it and the order of the page. */
import { sql } from 'kysely'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import { columns, fromRow } from './payments.ts'

/** At most one of them: each has an index of its own. */
export type PaymentFilter = {
  readonly customerUuid: string | null
  readonly orderReference: string | undefined
  readonly review: string | undefined
  readonly status: string | undefined
  readonly linkUuid: string | null
}

export function listPayments(view: View, range: IdRange, filter: PaymentFilter) {
  const { customerUuid, orderReference, review, status, linkUuid } = filter
  const only = [
    customerUuid === null ? sql`` : sql`and customer_id = ${customerUuid}::uuid`,
    orderReference === undefined ? sql`` : sql`and order_reference = ${orderReference}`,
    review === undefined ? sql`` : sql`and review = ${review}`,
    status === undefined ? sql`` : inStatus(status),
    linkUuid === null ? sql`` : sql`and payment_link_id = ${linkUuid}::uuid`,
  ]
  return listRows(view, range, { table: 'payments', columns, only: sql.join(only, sql` `), fromRow })
}

/** Of a parameter Postgres cannot know that the index holds it, so the condition of the index is said as well. */
function inStatus(status: string) {
  return status === 'succeeded'
    ? sql`and status = ${status}`
    : sql`and status = ${status} and status <> 'succeeded'`
}
