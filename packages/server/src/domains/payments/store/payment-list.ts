/** Pages of payments. Each filter has an index that holds it and the order of the page. */
import { sql } from 'kysely'
import { uuidOf } from '../../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import { columns, fromRow, type PaymentRow } from './payments.ts'

/** At most one of them: each has an index of its own. */
export type PaymentFilter = {
  readonly customerUuid: string | undefined
  readonly orderReference: string | undefined
  readonly review: string | undefined
  readonly status: string | undefined
  readonly linkUuid: string | undefined
}

export async function listPayments(view: View, range: IdRange, filter: PaymentFilter) {
  const { customerUuid, orderReference, review, status, linkUuid } = filter
  const only = [
    customerUuid === undefined ? sql`` : sql`and customer_id = ${customerUuid}::uuid`,
    orderReference === undefined ? sql`` : sql`and order_reference = ${orderReference}`,
    review === undefined ? sql`` : sql`and review = ${review}`,
    status === undefined ? sql`` : inStatus(status),
    linkUuid === undefined ? sql`` : sql`and payment_link_id = ${linkUuid}::uuid`,
  ]
  const { rows } = await sql<PaymentRow>`
    select ${sql.join(columns.map((column) => sql.ref(column)))} from payments
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${sql.join(only, sql` `)} ${keysetOf(range)}`.execute(
    view.db,
  )
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

/** Of a parameter Postgres cannot know that the index holds it, so the condition of the index is said as well. */
function inStatus(status: string) {
  return status === 'succeeded'
    ? sql`and status = ${status}`
    : sql`and status = ${status} and status <> 'succeeded'`
}
