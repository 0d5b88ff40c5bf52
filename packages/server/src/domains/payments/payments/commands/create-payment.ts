/** Creates a payment with a card token or a saved payment method. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import { mergeMetadata } from '../../../../kernel/metadata.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { deviceFrom } from '../../payment-methods/service/device.ts'
import { beginPayment, type PaymentRequest } from '../operations/begin-attempt.ts'
import { selectInstrument } from '../operations/instrument.ts'
import type { Progress } from '../operations/progress.ts'
import { runInRequest } from '../operations/run.ts'
import type { CreatePaymentBody } from '../schema/payment.ts'

export function createPayment(deps: Deps, caller: Caller, body: CreatePaymentBody): Promise<Progress> {
  return runInRequest(deps, caller, 'payment', async (tx) =>
    beginPayment(deps, tx, toPaymentRequest(tx, body)),
  )
}

async function toPaymentRequest(tx: Tx, body: CreatePaymentBody): Promise<PaymentRequest> {
  requireSavable(body)
  const { fields, tokensAt, charged } = await selectInstrument(tx, body)
  const { payment_route_id: paymentRouteId = null } = body
  const intent = {
    ...fields,
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
    device: body.device === undefined ? null : deviceFrom(body.device),
    metadata: mergeMetadata({}, body.metadata ?? {}),
  } as const
  return { intent, tokensAt, paymentRouteId, charged }
}

/** Only a card token can be saved, and only for a customer. */
function requireSavable({
  save_payment_method: savesMethod,
  customer_id: customerId,
  payment_method_id: methodId,
}: CreatePaymentBody): void {
  if (!savesMethod) return
  if (methodId !== undefined)
    refuseMember('/save_payment_method', 'not_together', 'cannot be combined with payment_method_id')
  if (customerId === undefined)
    refuseMember('/customer_id', 'required', 'is required with save_payment_method')
}
