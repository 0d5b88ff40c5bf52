/** Payments for invoices: with a card that the customer keeps, while the customer is not there. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import type { Currency } from '../../../kernel/currency.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { read, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import { findPaymentMethod } from '../../payment-methods/service.ts'
import { isPublished } from '../../payment-routes/service/decide.ts'
import type { Payment } from '../payment.ts'
import * as store from '../store/payments.ts'
import { createRefund } from './held.ts'
import { meansOf } from './instrument.ts'
import { type Asked, intend } from './intend.ts'
import type { Progress } from './record.ts'

export type { Payment } from '../payment.ts'
export { isFinal } from '../payment.ts'
export { follow } from './follow.ts'

export type InvoiceOrder = {
  readonly invoiceId: Id<'invoice'>
  readonly customerId: Id<'customer'>
  readonly paymentMethodId: string
  readonly amount: bigint
  readonly currency: Currency
  readonly paymentRouteId: Id<'payment_route'> | null
  readonly description: string
}

/** Writes the payment with its first attempt. It is sent after the commit, by `follow`. */
export function intendForInvoice(deps: Deps, tx: Tx, order: InvoiceOrder): Promise<Progress> {
  return intend(deps, tx, askedBy(deps, tx, order))
}

async function askedBy(deps: Deps, tx: Tx, order: InvoiceOrder): Promise<Asked> {
  const { means, onlyAt, script } = await meansOf(tx, {
    payment_method_id: order.paymentMethodId,
    customer_id: order.customerId,
  })
  const intent = {
    ...means,
    purpose: 'payment',
    amount: order.amount,
    currency: order.currency,
    captureMethod: 'automatic',
    initiator: 'merchant',
    threeDSecure: 'auto',
    savePaymentMethod: false,
    usage: null,
    invoiceId: order.invoiceId,
    checkoutSessionId: null,
    paymentLinkId: null,
    returnUrl: null,
    orderReference: null,
    statementDescriptor: null,
    description: order.description,
    // Nobody is there to say what the simulator shall do, so the card says it.
    metadata: script === null || tx.caller.mode === 'live' ? {} : { simulate: script },
  } as const
  return { intent, onlyAt, paymentRouteId: await routeOf(deps, tx, order) }
}

/** A route that was archived since is no reason not to be paid: the default route decides. */
async function routeOf(deps: Deps, tx: Tx, { paymentRouteId: id }: InvoiceOrder): Promise<string | null> {
  return id !== null && (await isPublished(deps, tx, id)) ? id : null
}

/** Whether the customer still keeps the card. */
export async function canPay(view: View, id: Id<'payment_method'>): Promise<boolean> {
  return (await findPaymentMethod(view, id)).status === 'attached'
}

export function findPayment(view: View, id: Id<'payment'>): Promise<Payment> {
  return store.findPayment(view, id)
}

/** Gives back all that is left of it. Repeating it gives back nothing more. */
export async function giveBack(deps: Deps, ref: Ref<'payment'>): Promise<void> {
  const caller: Caller = systemCaller(ref)
  const payment = await read(deps, caller, (view) => store.findPayment(view, ref.id))
  if (payment.amountCaptured === payment.amountRefunded + payment.amountRefunding) return
  await createRefund(deps, caller, { payment_id: ref.id, reason: 'other', source: 'automatic' })
}
