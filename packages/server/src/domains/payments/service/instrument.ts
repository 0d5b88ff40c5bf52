/** What a payment is made with: a card that was typed, or a method that a customer keeps. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Instrument, OperationInput } from '../../../providers/contract.ts'
import { revealCard, revealProviderToken, useToken } from '../../card-tokens/service.ts'
import { requireCustomer } from '../../customers/service.ts'
import { type PaymentMethod, requireAttached } from '../../payment-methods/service.ts'
import { type Intent, keepsCard, type Payment } from '../payment.ts'

type Means = Pick<
  Intent,
  'customerId' | 'paymentMethodId' | 'tokenId' | 'card' | 'fingerprint' | 'vaultCardUuid' | 'billingDetails'
>
type Chosen = {
  readonly means: Means
  readonly onlyAt: Id<'provider_account'> | null
  /** What the simulator does with the card, one payment after the other, if its metadata says so. */
  readonly script: string | null
}

/** The members of a body that say how it is paid. */
export type MeansInput = {
  readonly token?: string
  readonly payment_method_id?: string
  readonly customer_id?: string
}

export async function meansOf(tx: Tx, body: MeansInput): Promise<Chosen> {
  const { token, payment_method_id: methodId, customer_id: customerId } = body
  if (methodId !== undefined && token !== undefined)
    refuseMember('/payment_method_id', 'not_together', 'does not go with token')
  if (methodId !== undefined) return meansOfMethod(tx, methodId, customerId)
  if (token === undefined) return refuseMember('/token', 'required', 'is required, or payment_method_id')
  return meansOfToken(tx, token, customerId)
}

async function meansOfMethod(tx: Tx, id: string, customerId: string | undefined): Promise<Chosen> {
  const { method, onlyAt } = await requireAttached(tx, id)
  if (customerId !== undefined && customerId !== method.customerId)
    refuseMember('/customer_id', 'not_together', 'must be the customer of the payment method')
  const { card, fingerprint, vaultCardUuid, billingDetails } = method
  const means = { card, fingerprint, vaultCardUuid, billingDetails, tokenId: null }
  const script = method.metadata.simulate ?? null
  return { means: { ...means, customerId: method.customerId, paymentMethodId: method.id }, onlyAt, script }
}

async function meansOfToken(tx: Tx, text: string, customer: string | undefined): Promise<Chosen> {
  const customerId = customer === undefined ? null : (await requireCustomer(tx, customer)).id
  const { id, card, fingerprint, vaultCardId, providerToken } = await useToken(tx, text)
  const means = { card, fingerprint, vaultCardUuid: vaultCardId, billingDetails: null, tokenId: id }
  return {
    means: { ...means, customerId, paymentMethodId: null },
    onlyAt: providerToken?.providerAccountId ?? null,
    script: null,
  }
}

/** The method is null unless a customer pays with one; the token is what the account calls its card. */
type Sending = {
  readonly payment: Payment
  readonly method: PaymentMethod | null
  readonly token: string | null
}

/** The card as that account can take it: by its own name for it, or by its number. Null if it is gone. */
export async function instrumentOf(
  deps: Deps,
  { workspaceId }: Caller,
  { payment, method, token }: Sending,
): Promise<Instrument | null> {
  const name = await nameAtAccount(deps, workspaceId, { payment, method, token })
  if (name !== null) return { type: 'token', token: name }
  if (payment.vaultCardUuid === null) return null
  const card = await revealCard(deps, workspaceId, payment.vaultCardUuid)
  if (card === null) return null
  const { number, cvc, name: holder } = card
  return {
    type: 'card',
    number,
    // Of a method they may have changed since the number was typed.
    expMonth: payment.card.exp_month,
    expYear: payment.card.exp_year,
    // The code was for the verification: a method is used without.
    ...(cvc === null || method !== null ? {} : { cvc }),
    ...(holder === null ? {} : { name: holder }),
  }
}

async function nameAtAccount(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  { payment, method, token }: Sending,
): Promise<string | null> {
  if (method !== null) return token
  if (payment.vaultCardUuid !== null || payment.tokenId === null) return null
  return revealProviderToken(deps, workspaceId, payment.tokenId)
}

/** What the bank is told of how the card came to be kept. */
export function storedCredentialOf(
  payment: Payment,
  method: PaymentMethod | null,
): OperationInput['storedCredential'] {
  if (method !== null) return { use: 'subsequent', networkTransactionId: method.networkTransactionId }
  return { use: keepsCard(payment) ? 'first' : 'none', networkTransactionId: null }
}
