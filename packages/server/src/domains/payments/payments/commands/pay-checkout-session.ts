/** Payments of checkout sessions: the payer is present, and has entered a card or selected a saved one. */
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
export { hasOutcome, isAwaitingBank } from '../payment.ts'
export { countsAsPaid } from '../rules/counts-as-paid.ts'
export { type Progress, refundRemainder } from './pay-invoice.ts'

export type SessionPayment = {
  readonly checkoutSessionId: Id<'checkout_session'>
  readonly paymentLinkId: Id<'payment_link'> | null
  /** The invoice that the payment pays, or the first invoice of the subscription that is created after it. */
  readonly invoiceId: Id<'invoice'> | null
  /** A token of the card that the payer entered, or a saved card of the customer. */
  readonly instrument: { readonly token: string } | { readonly payment_method_id: Id<'payment_method'> }
  /** A verification stores the card without a charge. */
  readonly purpose: 'payment' | 'verification'
  /**
   * Whether the payment method is stored for payments without the payer, or, if it is a card, for later
   * payments of the payer. Null: it is not stored.
   */
  readonly savesCardFor: 'off_session' | 'on_session' | null
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
  const { instrument, customerId } = input
  const { fields, tokensAt } = await selectInstrument(tx, {
    ...instrument,
    ...(customerId === null ? {} : { customer_id: customerId }),
  })
  const { paymentRouteId, instrument: _, savesCardFor, ...rest } = input
  const usage = savesCardFor === 'on_session' && fields.methodType !== 'card' ? null : savesCardFor
  const intent = {
    ...fields,
    ...rest,
    billingDetails: withNameOf(rest.billingDetails, fields.billingDetails),
    initiator: 'customer',
    threeDSecure: 'auto',
    // A verification always creates a payment method.
    savePaymentMethod: usage !== null && input.purpose === 'payment',
    usage,
    orderReference: null,
    statementDescriptor: null,
  } as const
  return { intent, tokensAt, paymentRouteId }
}

/** The name that belongs to the payment method applies unless the payer entered another one on the page. */
function withNameOf(entered: object | null, ofMethod: object | null): object | null {
  if (entered === null || ofMethod === null) return entered ?? ofMethod
  const name = (entered as { readonly name?: string | null }).name ?? null
  return name === null ? { ...entered, name: (ofMethod as { readonly name: string }).name } : entered
}

export function findPayment(view: View, id: Id<'payment'>): Promise<Payment> {
  return store.findPayment(view, id)
}
