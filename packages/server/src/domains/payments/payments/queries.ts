/** Reads payments, their attempts, operations, provider calls and timeline, and refunds. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { requireOneFilter, uuidInFilter } from '../../../kernel/filters.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { Attempt, Operation, Payment } from './payment.ts'
import type { ProviderCall } from './provider-call.ts'
import type { Refund } from './refund.ts'
import { listCalls } from './store/calls.ts'
import { listEmittedEvents } from './store/emitted-events.ts'
import { listAttempts, listOperations } from './store/operations.ts'
import { listPayments as findPayments } from './store/payment-list.ts'
import { findPayment } from './store/payments.ts'
import { findRefund, listRefunds as findRefunds, refundsOf } from './store/refunds.ts'
import { type Entry, timelineOf } from './timeline.ts'

export function getPayment(deps: Deps, caller: Caller, id: string): Promise<Payment> {
  return read(deps, caller, (view) => findPayment(view, id))
}

export type ListPaymentsInput = {
  readonly customer_id?: string | undefined
  readonly order_reference?: string | undefined
  readonly review?: string | undefined
  readonly status?: string | undefined
  readonly payment_link_id?: string | undefined
}

export function listPayments(deps: Deps, caller: Caller, range: IdRange, input: ListPaymentsInput) {
  const { customer_id, order_reference: orderReference, review, status, payment_link_id } = input
  requireOneFilter({ customer_id, order_reference: orderReference, review, status, payment_link_id })
  const customerUuid = uuidInFilter('customer', caller.mode, customer_id)
  const linkUuid = uuidInFilter('payment_link', caller.mode, payment_link_id)
  return read(deps, caller, (view) =>
    findPayments(view, range, { customerUuid, orderReference, review, status, linkUuid }),
  )
}

export type PaymentAttempts = { readonly payment: Payment; readonly attempts: readonly Attempt[] }

export function listPaymentAttempts(deps: Deps, caller: Caller, id: string): Promise<PaymentAttempts> {
  return read(deps, caller, async (view) => {
    const payment = await findPayment(view, id)
    return { payment, attempts: await listAttempts(view, payment.id) }
  })
}

export function getRefund(deps: Deps, caller: Caller, id: string): Promise<Refund> {
  return read(deps, caller, (view) => findRefund(view, id))
}

export function listRefunds(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { readonly payment_id?: string | undefined },
) {
  const payment = uuidInFilter('payment', caller.mode, filter.payment_id)
  return read(deps, caller, (view) => findRefunds(view, range, payment))
}

type PaymentOperations = {
  readonly payment: Payment
  readonly operations: readonly Operation[]
  readonly calls: readonly ProviderCall[]
}

export function listPaymentOperations(deps: Deps, caller: Caller, id: string): Promise<PaymentOperations> {
  return read(deps, caller, async (view) => {
    const payment = await findPayment(view, id)
    const [operations, calls] = [await listOperations(view, payment.id), await listCalls(view, payment.id)]
    return { payment, operations, calls }
  })
}

type PaymentTimeline = { readonly payment: Payment; readonly entries: readonly Entry[] }

export function getPaymentTimeline(deps: Deps, caller: Caller, paymentId: string): Promise<PaymentTimeline> {
  return read(deps, caller, async (view) => {
    const payment = await findPayment(view, paymentId)
    const attempts = await listAttempts(view, payment.id)
    const refunds = await refundsOf(view, payment.id)
    const entries = timelineOf({
      attempts,
      operations: await listOperations(view, payment.id),
      calls: await listCalls(view, payment.id),
      events: await listEmittedEvents(view, [payment.id, ...[...attempts, ...refunds].map(({ id }) => id)]),
    })
    return { payment, entries }
  })
}
