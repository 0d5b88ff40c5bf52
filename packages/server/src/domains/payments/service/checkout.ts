/** Payments of checkout sessions: the payer is there, and has typed a card. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { Payment } from '../payment.ts'
import * as store from '../store/payments.ts'
import { carryOut } from './create.ts'
import { meansOf } from './instrument.ts'
import { type Asked, intend } from './intend.ts'
import { standing } from './record.ts'

export type { Payment } from '../payment.ts'
export { isDecided } from '../payment.ts'

export type SessionOrder = {
  readonly checkoutSessionId: Id<'checkout_session'>
  readonly paymentLinkId: Id<'payment_link'> | null
  readonly token: string
  readonly amount: bigint
  readonly currency: Currency
  readonly customerId: Id<'customer'> | null
  readonly captureMethod: 'automatic' | 'manual'
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly returnUrl: string
  readonly description: string | null
  readonly billingDetails: object | null
  readonly metadata: Readonly<Record<string, string>>
}

/** What a session wants: a payment of its own, which it notes in the same unit, or the one that it has already. */
export type Wanted =
  | { readonly is: 'new'; readonly order: SessionOrder; readonly note: (payment: Payment) => Promise<void> }
  | { readonly is: 'there'; readonly paymentId: Id<'payment'> }

/** Takes the payment as far as it can go now. What `claim` refuses leaves no trace, not even a used token. */
export async function payForSession(
  deps: Deps,
  caller: Caller,
  claim: (tx: Tx) => Promise<Wanted>,
): Promise<Payment> {
  const { payment } = await carryOut(deps, caller, 'payment', async (tx) => {
    const wanted = await claim(tx)
    if (wanted.is === 'there') return standing(tx, await store.findPayment(tx, wanted.paymentId))
    const progress = await intend(deps, tx, askedBy(tx, wanted.order))
    await wanted.note(progress.payment)
    return progress
  })
  return payment
}

async function askedBy(tx: Tx, order: SessionOrder): Promise<Asked> {
  const { token, customerId } = order
  const { means, onlyAt } = await meansOf(tx, {
    token,
    ...(customerId === null ? {} : { customer_id: customerId }),
  })
  const { paymentRouteId, token: _, ...rest } = order
  const intent = {
    ...means,
    ...rest,
    purpose: 'payment',
    initiator: 'customer',
    threeDSecure: 'auto',
    savePaymentMethod: false,
    usage: null,
    invoiceId: null,
    orderReference: null,
    statementDescriptor: null,
  } as const
  return { intent, onlyAt, paymentRouteId }
}

export function findPayment(view: View, id: Id<'payment'>): Promise<Payment> {
  return store.findPayment(view, id)
}
