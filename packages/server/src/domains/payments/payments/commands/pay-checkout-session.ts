/** Payments of checkout sessions: the payer is present and has entered a card. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Device } from '../../../../providers/contract.ts'
import { beginPayment, type PaymentRequest } from '../operations/begin-attempt.ts'
import { selectInstrument } from '../operations/instrument.ts'
import { currentProgress } from '../operations/progress.ts'
import { runInRequest } from '../operations/run.ts'
import type { Payment } from '../payment.ts'
import * as store from '../store/payments.ts'

export { allowsAnotherAccount } from '../operations/failover.ts'
export { runInBackground } from '../operations/run.ts'
export type { Payment } from '../payment.ts'
export { hasOutcome } from '../payment.ts'
export { countsAsPaid } from '../rules/counts-as-paid.ts'
export { type Progress, refundRemainder } from './pay-invoice.ts'

export type SessionPayment = {
  readonly checkoutSessionId: Id<'checkout_session'>
  readonly paymentLinkId: Id<'payment_link'> | null
  /** The invoice that the payment pays, or the first invoice of the subscription that is created after it. */
  readonly invoiceId: Id<'invoice'> | null
  readonly token: string
  /** A verification stores the card without a charge. */
  readonly purpose: 'payment' | 'verification'
  /** Whether the card is stored for payments without the payer. */
  readonly savesCard: boolean
  readonly amount: bigint
  readonly currency: Currency
  readonly customerId: Id<'customer'> | null
  readonly captureMethod: 'automatic' | 'manual'
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly returnUrl: string
  readonly description: string | null
  readonly billingDetails: object | null
  readonly device: Device
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * A new payment for the session, with a function that records it in the session in the same transaction, or
 * the payment that the session already has.
 */
export type SessionClaim =
  | {
      readonly kind: 'new'
      readonly payment: SessionPayment
      readonly record: (payment: Payment) => Promise<void>
    }
  | { readonly kind: 'existing'; readonly paymentId: Id<'payment'> }

/**
 * Creates and sends the payment, or returns the existing one. If `claim` or `record` refuses, everything is
 * rolled back, including the use of the token.
 */
export async function payCheckoutSession(
  deps: Deps,
  caller: Caller,
  claim: (tx: Tx) => Promise<SessionClaim>,
): Promise<Payment> {
  const { payment } = await runInRequest(deps, caller, 'payment', async (tx) => {
    const result = await claim(tx)
    if (result.kind === 'existing') return currentProgress(tx, await store.findPayment(tx, result.paymentId))
    const progress = await beginPayment(deps, tx, toPaymentRequest(tx, result.payment))
    await result.record(progress.payment)
    return progress
  })
  return payment
}

async function toPaymentRequest(tx: Tx, input: SessionPayment): Promise<PaymentRequest> {
  const { token, customerId } = input
  const { fields, tokensAt } = await selectInstrument(tx, {
    token,
    ...(customerId === null ? {} : { customer_id: customerId }),
  })
  const { paymentRouteId, token: _, savesCard, ...rest } = input
  const intent = {
    ...fields,
    ...rest,
    initiator: 'customer',
    threeDSecure: 'auto',
    // A verification always creates a payment method.
    savePaymentMethod: savesCard && input.purpose === 'payment',
    usage: savesCard ? 'off_session' : null,
    orderReference: null,
    statementDescriptor: null,
  } as const
  return { intent, tokensAt, paymentRouteId }
}

export function findPayment(view: View, id: Id<'payment'>): Promise<Payment> {
  return store.findPayment(view, id)
}
