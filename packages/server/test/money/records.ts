// Reads all payment records of a scenario with one statement.

import { idFromUuid, uuidOf } from '../../src/kernel/id.ts'
import type { ScenarioRun } from './scenario-run.ts'

export type PaymentRow = {
  readonly id: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly amount_capturable: number
  readonly amount_captured: number
  readonly amount_refunding: number
  readonly amount_refunded: number
  readonly amount_reversed: number
  readonly review: string | null
  readonly order_reference: string | null
  readonly route_revision: number | null
  readonly metadata: { readonly payment?: string }
  readonly invoice_id: string | null
  readonly checkout_session_id: string | null
  readonly cancel_requested_at: string | null
  readonly created_at: string
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
  readonly source: string
  readonly created_at: string
  readonly sequence: number
}
export type DisputeRow = {
  readonly id: string
  readonly payment_id: string
  readonly provider_account_id: string
  readonly stage: string
  readonly status: string
  readonly amount: number
  readonly amount_held: number
  readonly created_at: string
  readonly sequence: number
}
export type EventRow = {
  readonly object_id: string
  readonly sequence: number
  readonly type: string
  readonly object: { readonly status: string } & Readonly<Record<string, unknown>>
}
export type Records = {
  readonly payments: readonly PaymentRow[]
  readonly operations: readonly OperationRow[]
  readonly attempts: readonly AttemptRow[]
  readonly refunds: readonly RefundRow[]
  readonly disputes: readonly DisputeRow[]
  /** Ordered by object and sequence. */
  readonly events: readonly EventRow[]
  readonly conflicts: readonly {
    readonly payment_id: string
    readonly kind: string
    readonly detail: string
  }[]
}

export const selectAsJson = (columns: string, from: string) =>
  `(select coalesce(json_agg(row), '[]') from (select ${columns} from ${from}) as row)`
const inScenario = 'workspace_id = $1 and payment_id >= $2'

/** Reads everything with one statement, because round trips are the largest cost. */
const text = `select
  ${selectAsJson('*', `payments where workspace_id = $1 and id >= $2 and purpose = 'payment'`)} as payments,
  ${selectAsJson('payment_id, refund_id, kind, status, reference, amount, capture', `operations where ${inScenario}`)} as operations,
  ${selectAsJson('payment_id, number, status, provider_account_id, trace', `payment_attempts where ${inScenario}`)} as attempts,
  ${selectAsJson('id, payment_id, status, amount, review, source, created_at, sequence', `refunds where ${inScenario}`)} as refunds,
  ${selectAsJson(
    'object_id, sequence, type, data',
    `events where workspace_id = $1 and id >= $2 and type ~ '^(payment|refund|dispute)[.]'
      order by object_id, sequence`,
  )} as events,
  ${selectAsJson('*', `disputes where ${inScenario} order by id`)} as disputes,
  ${selectAsJson('payment_id, kind, detail', `conflicts where ${inScenario}`)} as conflicts`

export async function readRecords({ harness, workspace, floor }: ScenarioRun): Promise<Records> {
  const values = [uuidOf(workspace.workspaceId), floor]
  const { rows } = await harness.installation
    .ownerOf(workspace.workspaceId)
    .query({ name: 'payment_records', text, values })
  const { events, ...records } = rows[0] as Omit<Records, 'events'> & {
    readonly events: readonly StoredEvent[]
  }
  return { ...records, events: events.map((event) => ({ ...event, object: JSON.parse(event.data).object })) }
}

type StoredEvent = Omit<EventRow, 'object'> & { readonly data: string }

export const wireIdOf = (uuid: string): string => idFromUuid('payment', 'test', uuid)

export function hasOpenReview({ operations }: Records, paymentUuid: string): boolean {
  return operations.some(({ payment_id, status }) => payment_id === paymentUuid && status === 'needs_review')
}
