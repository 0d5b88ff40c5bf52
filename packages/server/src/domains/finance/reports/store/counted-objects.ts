/** Reads the payments, attempts and refunds that a batch of new events refers to. */
import { sql } from 'kysely'
import { uuidOf } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import {
  type CountedAttempt,
  type CountedObjects,
  type CountedPayment,
  type CountedRefund,
  type NewEvent,
  objectUuids,
} from '../figures.ts'

export async function readCountedObjects(view: View, events: readonly NewEvent[]): Promise<CountedObjects> {
  const isRefund = ({ type }: NewEvent) => type.startsWith('refund.')
  const paymentIds = objectUuids(events.filter(({ type }) => type.startsWith('payment.')))
  const [payments, attempts, refunds, authorized] = await Promise.all([
    readPayments(view, paymentIds),
    readAttempts(view, paymentIds),
    readRefunds(view, objectUuids(events.filter(isRefund))),
    readAuthorized(view, paymentIds),
  ])
  return {
    payments: new Map(payments.map((payment) => [payment.uuid, payment])),
    attempts: Map.groupBy(attempts, ({ paymentUuid }) => paymentUuid),
    refunds: new Map(refunds.map((refund) => [refund.uuid, refund])),
    authorized: new Set(authorized),
  }
}

async function readPayments(view: View, ids: readonly string[]): Promise<readonly CountedPayment[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CountedPayment>`
    select id as uuid, currency, amount_captured as "amountCaptured", provider_account_id as "accountUuid",
      attempts_count as attempts, failure ->> 'code' as "failureCode"
    from payments
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = any(${ids}::uuid[])
      and purpose = 'payment'`.execute(view.db)
  return rows
}

async function readAttempts(view: View, paymentIds: readonly string[]): Promise<readonly CountedAttempt[]> {
  if (paymentIds.length === 0) return []
  const { rows } = await sql<CountedAttempt>`
    select payment_id as "paymentUuid", number, status, provider_account_id as "accountUuid",
      decline ->> 'code' as "declineCode"
    from payment_attempts
    where workspace_id = ${uuidOf(view.caller.workspaceId)}
      and payment_id = any(${paymentIds}::uuid[])`.execute(view.db)
  return rows
}

async function readRefunds(view: View, ids: readonly string[]): Promise<readonly CountedRefund[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CountedRefund>`
    select refund.id as uuid, refund.amount, refund.currency, payment.provider_account_id as "accountUuid"
    from refunds as refund join payments as payment
      on payment.workspace_id = refund.workspace_id and payment.id = refund.payment_id
    where refund.workspace_id = ${uuidOf(view.caller.workspaceId)} and refund.id = any(${ids}::uuid[])`.execute(
    view.db,
  )
  return rows
}

/** The payments that have a `payment.authorized` event. */
async function readAuthorized(view: View, paymentIds: readonly string[]): Promise<readonly string[]> {
  if (paymentIds.length === 0) return []
  const { rows } = await sql<{ object_id: string }>`
    select object_id from events
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and object_id = any(${paymentIds}::uuid[])
      and type = 'payment.authorized'`.execute(view.db)
  return rows.map(({ object_id }) => object_id)
}
