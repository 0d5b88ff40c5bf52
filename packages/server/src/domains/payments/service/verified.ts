/** What follows when a card is kept: its payment method, and the name that the provider gave it. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { read, type Tx } from '../../../platform/db/unit-of-work.ts'
import { revealProviderToken } from '../../card-tokens/service.ts'
import { sealProviderToken } from '../../payment-methods/service/provider-tokens.ts'
import {
  authorizePaymentMethod,
  type PaymentMethod,
  savePaymentMethod,
} from '../../payment-methods/service.ts'
import { keepsCard, type Operation, type Payment } from '../payment.ts'
import { findPayment, type PaymentChanges } from '../store/payments.ts'
import type { Seen } from './record.ts'

type Approval = { readonly operation: Operation; readonly seen: Seen; readonly to: Payment['status'] }

/**
 * In the unit that says that a bank approved: of a verification comes a payment method, and of a payment whose
 * card the customer wants to keep. Not when it is captured, which may be long after the card is gone.
 */
export async function methodOf(
  tx: Tx,
  payment: Payment,
  { operation, seen, to }: Approval,
): Promise<Pick<PaymentChanges, 'paymentMethodId'>> {
  const { learned, sealedToken = null } = seen
  const isApproval = operation.kind === 'authorize' || operation.kind === 'verify'
  if (!isApproval || learned.is !== 'succeeded' || !keepsCard(payment)) return {}
  const { card, fingerprint, vaultCardUuid, billingDetails, customerId } = payment
  const verified = {
    ...{ card, fingerprint, vaultCardUuid, providerAccountId: operation.providerAccountId },
    metadata: payment.purpose === 'verification' ? payment.metadata : {},
    networkTransactionId: learned.extra?.networkTransactionId ?? null,
    billingDetails: billingDetails as PaymentMethod['billingDetails'],
    usage: payment.usage ?? 'on_session',
    verifiedByPaymentId: payment.id,
  }
  if (payment.purpose === 'verification')
    return to === 'succeeded' ? idOf(await authorizePaymentMethod(tx, verified, sealedToken)) : {}
  // Whoever cancels does not keep anything of it.
  if (customerId === null || payment.cancelRequestedAt !== null) return {}
  return idOf(await savePaymentMethod(tx, { ...verified, customerId }, sealedToken))
}

function idOf(method: PaymentMethod | null): Pick<PaymentChanges, 'paymentMethodId'> {
  return method === null ? {} : { paymentMethodId: method.id }
}

/**
 * Seals what the provider calls the card from now on. If it holds the number itself, that is what the payer's
 * page got from it. Outside of a unit, because the key may have to be asked for.
 */
export async function withSealedToken(
  deps: Deps,
  caller: Caller,
  { operation, payment: known }: { readonly operation: Operation; readonly payment?: Payment },
  seen: Seen,
): Promise<Seen> {
  const { learned } = seen
  const { kind, paymentId } = operation
  if ((kind !== 'verify' && kind !== 'authorize') || learned.is !== 'succeeded') return seen
  const payment = known ?? (await read(deps, caller, (view) => findPayment(view, paymentId)))
  if (!keepsCard(payment)) return seen
  const text = learned.extra?.token ?? (await tokenOfPage(deps, caller, payment))
  if (text === null) return seen
  return { ...seen, sealedToken: await sealProviderToken(deps, caller.workspaceId, paymentId, text) }
}

/** Null if we hold the number ourselves. */
async function tokenOfPage(
  deps: Deps,
  caller: Caller,
  { vaultCardUuid, tokenId }: Payment,
): Promise<string | null> {
  if (vaultCardUuid !== null || tokenId === null) return null
  return revealProviderToken(deps, caller.workspaceId, tokenId)
}
