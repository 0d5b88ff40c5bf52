/**
 * Creates a payment method with a zero-amount payment, so that 3-D Secure, unknown outcomes, failover and
 * crash recovery work as they do for any payment.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { mergeMetadata } from '../../../../kernel/metadata.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { verificationCurrency } from '../../../../providers/contract.ts'
import { useToken } from '../../card-tokens/service.ts'
import { deviceFrom } from '../../payment-methods/service/device.ts'
import { toBillingDetails } from '../../payment-methods/service.ts'
import { beginPayment, type PaymentRequest } from '../operations/begin-attempt.ts'
import { accountsOfToken } from '../operations/instrument.ts'
import type { Progress } from '../operations/progress.ts'
import { runInRequest } from '../operations/run.ts'
import type { CreatePaymentMethod } from '../schema/payment.ts'

/** The progress contains the payment method if the verification has succeeded. */
export function createPaymentMethod(
  deps: Deps,
  caller: Caller,
  body: CreatePaymentMethod,
): Promise<Progress> {
  return runInRequest(deps, caller, 'payment', async (tx) =>
    beginPayment(deps, tx, toVerificationRequest(tx, body)),
  )
}

async function toVerificationRequest(tx: Tx, body: CreatePaymentMethod): Promise<PaymentRequest> {
  // The card is kept if the verification succeeds; otherwise it is deleted automatically.
  const token = await useToken(tx, body.token)
  const intent = {
    purpose: 'verification',
    amount: 0n,
    currency: body.currency ?? verificationCurrency(token.methodType),
    captureMethod: 'automatic',
    initiator: 'customer',
    threeDSecure: 'auto',
    customerId: null,
    paymentMethodId: null,
    tokenId: token.id,
    invoiceId: null,
    checkoutSessionId: null,
    paymentLinkId: null,
    methodType: token.methodType,
    card: token.card,
    debit: token.debit,
    fingerprint: token.fingerprint,
    vaultCardUuid: token.vaultCardId,
    savePaymentMethod: false,
    usage: body.usage ?? 'on_session',
    returnUrl: body.return_url ?? null,
    device: body.device === undefined ? null : deviceFrom(body.device),
    orderReference: null,
    statementDescriptor: null,
    description: null,
    billingDetails: toBillingDetails(body.billing_details ?? null),
    metadata: mergeMetadata({}, body.metadata ?? {}),
  } as const
  return { intent, tokensAt: accountsOfToken(token), paymentRouteId: body.payment_route_id ?? null }
}
