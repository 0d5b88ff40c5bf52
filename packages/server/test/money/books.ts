// Everything our books hold of a story, in one read.

import { idFromUuid, uuidOf } from '../../src/kernel/id.ts'
import type { Playing } from './playing.ts'

export type PaymentRow = {
  readonly id: string
  readonly status: string
  readonly amount: number
  readonly amount_capturable: number
  readonly amount_captured: number
  readonly amount_refunding: number
  readonly amount_refunded: number
  readonly review: string | null
  readonly order_reference: string | null
  readonly route_revision: number | null
  readonly metadata: { readonly payment?: string }
  readonly sequence: number
}
export type OperationRow = {
  readonly payment_id: string
  readonly refund_id: string | null
  readonly kind: string
  readonly status: string
  readonly reference: string
  readonly amount: number
  readonly capture: boolean
}
export type AttemptRow = {
  readonly payment_id: string
  readonly number: number
  readonly status: string
  readonly provider_account_id: string
  readonly trace: { readonly revision: number | null }
}
export type RefundRow = {
  readonly id: string
  readonly payment_id: string
  readonly status: string
  readonly amount: number
  readonly review: string | null
  readonly sequence: number
}
export type Telling = {
  readonly object_id: string
  readonly sequence: number
  readonly type: string
  readonly object: { readonly status: string } & Readonly<Record<string, unknown>>
}
export type Books = {
  readonly payments: readonly PaymentRow[]
  readonly operations: readonly OperationRow[]
  readonly attempts: readonly AttemptRow[]
  readonly refunds: readonly RefundRow[]
  /** By object, in their order. */
  readonly events: readonly Telling[]
  readonly conflicts: readonly { readonly payment_id: string; readonly kind: string }[]
}

const all = (columns: string, from: string) =>
  `(select coalesce(json_agg(row), '[]') from (select ${columns} from ${from}) as row)`
const mine = 'workspace_id = $1 and payment_id >= $2'

/** One statement: a trip to the database costs more than what it does here. */
const text = `select
  ${all('*', 'payments where workspace_id = $1 and id >= $2')} as payments,
  ${all('payment_id, refund_id, kind, status, reference, amount, capture', `operations where ${mine}`)} as operations,
  ${all('payment_id, number, status, provider_account_id, trace', `payment_attempts where ${mine}`)} as attempts,
  ${all('id, payment_id, status, amount, review, sequence', `refunds where ${mine}`)} as refunds,
  ${all(
    'object_id, sequence, type, data',
    `events where workspace_id = $1 and id >= $2 and (type like 'payment.%' or type like 'refund.%')
      order by object_id, sequence`,
  )} as events,
  ${all('payment_id, kind', `conflicts where ${mine}`)} as conflicts`

export async function booksOf({ stage, ground, floor }: Playing): Promise<Books> {
  const values = [uuidOf(ground.workspaceId), floor]
  const { rows } = await stage.house.owner.query({ name: 'books', text, values })
  const { events, ...books } = rows[0] as Omit<Books, 'events'> & { readonly events: readonly Stored[] }
  return { ...books, events: events.map((event) => ({ ...event, object: JSON.parse(event.data).object })) }
}

type Stored = Omit<Telling, 'object'> & { readonly data: string }

export const wireIdOf = (uuid: string): string => idFromUuid('payment', 'test', uuid)
