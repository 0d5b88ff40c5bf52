/** What follows when a card was verified: its payment method, and the name that the provider gave it. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { read, type Tx } from '../../../platform/db/unit-of-work.ts'
import { revealProviderToken } from '../../card-tokens/service.ts'
import { sealProviderToken } from '../../payment-methods/service/provider-tokens.ts'
import { authorizePaymentMethod, type PaymentMethod } from '../../payment-methods/service.ts'
import type { Operation, Payment } from '../payment.ts'
import { findPayment, type PaymentChanges } from '../store/payments.ts'
import type { Seen } from './record.ts'

/** In the unit that says that a payment succeeded: of one that verified a card comes a payment method. */
export async function methodOf(
  tx: Tx,
  payment: Payment,
  { providerAccountId }: Operation,
  { learned, sealedToken }: Seen,
): Promise<Pick<PaymentChanges, 'paymentMethodId'>> {
  if (payment.purpose !== 'verification') return {}
  const { card, fingerprint, vaultCardUuid, billingDetails, metadata } = payment
  const { networkTransactionId = null } = learned.is === 'succeeded' ? (learned.extra ?? {}) : {}
  const verified = {
    ...{ card, fingerprint, vaultCardUuid, metadata, providerAccountId, networkTransactionId },
    billingDetails: billingDetails as PaymentMethod['billingDetails'],
    usage: payment.usage ?? 'on_session',
    verifiedByPaymentId: payment.id,
  }
  const { id } = await authorizePaymentMethod(tx, verified, sealedToken ?? null)
  return { paymentMethodId: id }
}

/**
 * Seals what the provider calls the card from now on. If it holds the number itself, that is what the payer's
 * page got from it. Outside of a unit, because the key may have to be asked for.
 */
export async function withSealedToken(
  deps: Deps,
  caller: Caller,
  { kind, paymentId }: Operation,
  seen: Seen,
): Promise<Seen> {
  const { learned } = seen
  if (kind !== 'verify' || learned.is !== 'succeeded') return seen
  const text = learned.extra?.token ?? (await tokenOfPage(deps, caller, paymentId))
  if (text === null) return seen
  return { ...seen, sealedToken: await sealProviderToken(deps, caller.workspaceId, paymentId, text) }
}

async function tokenOfPage(deps: Deps, caller: Caller, id: Payment['id']): Promise<string | null> {
  const { vaultCardUuid, tokenId } = await read(deps, caller, (view) => findPayment(view, id))
  if (vaultCardUuid !== null || tokenId === null) return null
  return revealProviderToken(deps, caller.workspaceId, tokenId)
}
