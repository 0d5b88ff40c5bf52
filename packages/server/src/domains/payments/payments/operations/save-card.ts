/** Saves a card after an approval: creates its payment method with the provider token. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { withMandateStatus } from '../../../../kernel/debit-details.ts'
import { read, type Tx } from '../../../../platform/db/unit-of-work.ts'
import { revealProviderToken } from '../../card-tokens/service.ts'
import { sealProviderToken, sealProviderTokenIn } from '../../payment-methods/service/provider-tokens.ts'
import {
  authorizePaymentMethod,
  type PaymentMethod,
  savePaymentMethod,
  saveUnattachedMethod,
} from '../../payment-methods/service.ts'
import { type CallObservation, type Observation, sealedTokenOf } from '../observation.ts'
import { addsCredential, type Operation, type Payment, savesCard } from '../payment.ts'
import { findPayment, type PaymentChanges } from '../store/payments.ts'
import { findPaymentOfReference } from '../store/references.ts'
import { saveCredential } from './save-credential.ts'

export type Approval = {
  readonly operation: Operation
  readonly observation: Observation
  readonly to: Payment['status']
}

/**
 * Creates a payment method in the transaction that records the approval, for a verification or a payment with
 * `save_payment_method`. It does not wait for the capture, because the card data may be deleted by then.
 */
export async function saveApprovedCard(
  tx: Tx,
  payment: Payment,
  approval: Approval,
): Promise<Pick<PaymentChanges, 'paymentMethodId'>> {
  const { operation, observation } = approval
  if (!isApproval(operation) || observation.result.is !== 'succeeded' || !savesCard(payment)) return {}
  if (!addsCredential(payment)) return methodIdOf(await createMethod(tx, payment, approval))
  await saveCredential(tx, payment, approval)
  return {}
}

/** Null if the card cannot be saved. */
async function createMethod(
  tx: Tx,
  payment: Payment,
  { operation, observation, to }: Approval,
): Promise<PaymentMethod | null> {
  const { result } = observation
  const sealedToken = sealedTokenOf(observation)
  const { methodType, card, debit, fingerprint, vaultCardUuid, billingDetails, customerId } = payment
  // A card that only the provider stores cannot be charged again without its token.
  if (vaultCardUuid === null && sealedToken === null) return null
  const extra = result.is === 'succeeded' ? result.extra : undefined
  const verified = {
    type: methodType,
    card,
    debit: debit === null ? null : withMandateStatus(debit, 'active'),
    fingerprint,
    vaultCardUuid,
    providerAccountId: operation.providerAccountId,
    metadata: payment.purpose === 'verification' ? payment.metadata : {},
    networkTransactionId: extra?.networkTransactionId ?? null,
    billingDetails: billingDetails as PaymentMethod['billingDetails'],
    usage: payment.usage ?? 'on_session',
    verifiedByPaymentId: payment.id,
  }
  if (payment.purpose === 'verification')
    return to === 'succeeded' ? authorizePaymentMethod(tx, verified, sealedToken) : null
  // A cancelled payment saves no card.
  if (payment.cancelRequestedAt !== null) return null
  // The customer of a checkout is created later, with its subscription.
  if (customerId === null) return saveUnattachedMethod(tx, verified, sealedToken)
  return savePaymentMethod(tx, { ...verified, customerId }, sealedToken)
}

const isApproval = ({ kind }: Operation) => kind === 'authorize' || kind === 'verify'

function methodIdOf(method: PaymentMethod | null): Pick<PaymentChanges, 'paymentMethodId'> {
  return method === null ? {} : { paymentMethodId: method.id }
}

/**
 * Encrypts the provider token of the card: the token in the response, or the token that the payment page
 * received from a provider that stores the card. Runs outside a transaction, because it may have to fetch the
 * key.
 */
export async function withSealedToken<O extends CallObservation>(
  deps: Deps,
  caller: Caller,
  { operation, payment: loadedPayment }: { readonly operation: Operation; readonly payment?: Payment },
  observation: O,
): Promise<O> {
  const { result } = observation
  const { paymentId } = operation
  if (!isApproval(operation) || result.is !== 'succeeded') return observation
  const payment = loadedPayment ?? (await read(deps, caller, (view) => findPayment(view, paymentId)))
  if (!savesCard(payment)) return observation
  const text = result.extra?.token ?? (await payerPageToken(deps, caller, payment))
  if (text === null) return observation
  return { ...observation, sealedToken: await sealProviderToken(deps, caller.workspaceId, paymentId, text) }
}

/** Encrypts the token in a webhook about the operation with this reference. Null if it is not our reference. */
export async function sealWebhookToken(
  deps: Deps,
  tx: Tx,
  reference: string,
  token: string,
): Promise<Buffer | null> {
  const paymentId = await findPaymentOfReference(tx, reference)
  return paymentId === null ? null : sealProviderTokenIn(deps, tx, paymentId, token)
}

/** Null if the vault stores the card number. */
async function payerPageToken(
  deps: Deps,
  caller: Caller,
  { vaultCardUuid, tokenId }: Payment,
): Promise<string | null> {
  if (vaultCardUuid !== null || tokenId === null) return null
  return revealProviderToken(deps, caller.workspaceId, tokenId)
}
