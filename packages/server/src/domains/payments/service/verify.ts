/**
 * A payment method comes to be by a payment of nothing. So 3-D Secure, unknown outcomes and other accounts are
 * what they are for any payment, and a process that dies in between loses nothing.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { useToken } from '../../card-tokens/service.ts'
import { billingOf } from '../../payment-methods/service.ts'
import type { CreatePaymentMethod } from '../schema/payment.ts'
import { carryOut } from './create.ts'
import { type Asked, intend } from './intend.ts'
import type { Progress } from './record.ts'

/** The progress holds the method, once there is one. */
export function createPaymentMethod(
  deps: Deps,
  caller: Caller,
  body: CreatePaymentMethod,
): Promise<Progress> {
  return carryOut(deps, caller, 'payment', async (tx) => intend(deps, tx, verificationBy(tx, body)))
}

async function verificationBy(tx: Tx, body: CreatePaymentMethod): Promise<Asked> {
  // The card is kept when it is verified. One that is not goes by itself.
  const token = await useToken(tx, body.token)
  const intent = {
    purpose: 'verification',
    amount: 0n,
    currency: body.currency ?? 'eur',
    captureMethod: 'automatic',
    initiator: 'customer',
    threeDSecure: 'auto',
    customerId: null,
    paymentMethodId: null,
    tokenId: token.id,
    invoiceId: null,
    checkoutSessionId: null,
    paymentLinkId: null,
    card: token.card,
    fingerprint: token.fingerprint,
    vaultCardUuid: token.vaultCardId,
    savePaymentMethod: false,
    usage: body.usage ?? 'on_session',
    returnUrl: body.return_url ?? null,
    orderReference: null,
    statementDescriptor: null,
    description: null,
    billingDetails: billingOf(body.billing_details ?? null),
    metadata: mergeMetadata({}, body.metadata ?? {}),
  } as const
  const onlyAt = token.providerToken?.providerAccountId ?? null
  return { intent, onlyAt, paymentRouteId: body.payment_route_id ?? null }
}
