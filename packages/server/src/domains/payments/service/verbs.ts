/** What can be done with a payment from outside. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import { requireOneFilter, uuidInFilter } from '../../../kernel/filters.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx } from '../../../platform/db/unit-of-work.ts'
import type { Attempt, Payment, Refund } from '../payment.ts'
import type { CreatePaymentBody } from '../schema/payment.ts'
import { listAttempts } from '../store/operations.ts'
import { listPayments as listed } from '../store/payment-list.ts'
import * as store from '../store/payments.ts'
import { findRefund, listRefunds as refundsOf } from '../store/refunds.ts'
import { carryOut } from './create.ts'
import { meansOf } from './instrument.ts'
import { type Asked, intend } from './intend.ts'
import type { Progress } from './record.ts'

export function createPayment(deps: Deps, caller: Caller, body: CreatePaymentBody): Promise<Progress> {
  return carryOut(deps, caller, 'payment', async (tx) => intend(deps, tx, askedFor(tx, body)))
}

async function askedFor(tx: Tx, body: CreatePaymentBody): Promise<Asked> {
  requireWhatIsSaved(body)
  const { means, onlyAt } = await meansOf(tx, body)
  const { payment_route_id: paymentRouteId = null } = body
  const intent = {
    ...means,
    purpose: 'payment',
    amount: BigInt(body.amount),
    currency: body.currency,
    captureMethod: body.capture_method ?? 'automatic',
    initiator: body.initiator ?? 'customer',
    threeDSecure: body.three_d_secure ?? 'auto',
    invoiceId: null,
    checkoutSessionId: null,
    paymentLinkId: null,
    savePaymentMethod: body.save_payment_method ?? false,
    usage: body.save_payment_method ? (body.usage ?? 'on_session') : null,
    returnUrl: body.return_url ?? null,
    orderReference: body.order_reference ?? null,
    statementDescriptor: body.statement_descriptor ?? null,
    description: body.description ?? null,
    metadata: mergeMetadata({}, body.metadata ?? {}),
  } as const
  return { intent, onlyAt, paymentRouteId }
}

/** A card that was typed is kept, and for somebody. */
function requireWhatIsSaved({
  save_payment_method: isSaved,
  customer_id: customerId,
  payment_method_id: methodId,
}: CreatePaymentBody): void {
  if (!isSaved) return
  if (methodId !== undefined)
    refuseMember('/save_payment_method', 'not_together', 'does not go with payment_method_id')
  if (customerId === undefined)
    refuseMember('/customer_id', 'required', 'is required together with save_payment_method')
}

export function getPayment(deps: Deps, caller: Caller, id: string): Promise<Payment> {
  return read(deps, caller, (view) => store.findPayment(view, id))
}

export type ListInput = {
  readonly customer_id?: string | undefined
  readonly order_reference?: string | undefined
  readonly review?: string | undefined
  readonly status?: string | undefined
  readonly payment_link_id?: string | undefined
}

export function listPayments(deps: Deps, caller: Caller, range: IdRange, input: ListInput) {
  const { customer_id, order_reference: orderReference, review, status, payment_link_id } = input
  requireOneFilter({ customer_id, order_reference: orderReference, review, status, payment_link_id })
  const customerUuid = uuidInFilter('customer', caller.mode, customer_id)
  const linkUuid = uuidInFilter('payment_link', caller.mode, payment_link_id)
  return read(deps, caller, (view) =>
    listed(view, range, { customerUuid, orderReference, review, status, linkUuid }),
  )
}

export type PaymentAttempts = { readonly payment: Payment; readonly attempts: readonly Attempt[] }

export function listPaymentAttempts(deps: Deps, caller: Caller, id: string): Promise<PaymentAttempts> {
  return read(deps, caller, async (view) => {
    const payment = await store.findPayment(view, id)
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
  return read(deps, caller, (view) => refundsOf(view, range, payment))
}
