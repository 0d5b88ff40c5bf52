/** The card of a payment, which comes from a card token or a saved payment method. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import {
  type Debit,
  type Instrument,
  isDebit,
  isRedirect,
  type OperationInput,
  type Redirect,
} from '../../../../providers/contract.ts'
import type { TaskVault } from '../../../../providers/send-through-vault.ts'
import { standInOf } from '../../../../vaults/stand-ins.ts'
import {
  findCardAtVault,
  isInExternalVault,
  revealBankAccount,
  revealCard,
  revealProviderToken,
  type UsedToken,
  useToken,
} from '../../card-tokens/service.ts'
import { requireCustomer } from '../../customers/service.ts'
import {
  type ChargedMethod,
  type PaymentMethod,
  requireChargedMethod,
  tokenAccountsOf,
} from '../../payment-methods/service.ts'
import { addsCredential, type Intent, type Payment, savesCard } from '../payment.ts'

type InstrumentFields = Pick<
  Intent,
  | 'customerId'
  | 'paymentMethodId'
  | 'tokenId'
  | 'methodType'
  | 'card'
  | 'debit'
  | 'fingerprint'
  | 'vaultCardUuid'
  | 'billingDetails'
>
type SelectedInstrument = {
  readonly fields: InstrumentFields
  /** The accounts at which the card has a provider token. */
  readonly tokensAt: ReadonlySet<Id<'provider_account'>>
  /** The simulator script in the metadata of a saved card: it lists the result of each payment. */
  readonly script: string | null
  /** The saved payment method, if one is charged. */
  readonly charged?: ChargedMethod
}

/** The members of a request body that select the card. */
export type InstrumentInput = {
  readonly token?: string
  readonly payment_method_id?: string
  readonly customer_id?: string
}

export async function selectInstrument(tx: Tx, body: InstrumentInput): Promise<SelectedInstrument> {
  const { token, payment_method_id: methodId, customer_id: customerId } = body
  if (methodId !== undefined && token !== undefined)
    refuseMember('/payment_method_id', 'not_together', 'cannot be combined with token')
  if (methodId !== undefined) return fromPaymentMethod(await requireChargedMethod(tx, methodId), customerId)
  if (token === undefined)
    return refuseMember('/token', 'required', 'is required unless payment_method_id is sent')
  return fromToken(tx, token, customerId)
}

function fromPaymentMethod(charged: ChargedMethod, customerId: string | undefined): SelectedInstrument {
  const { method } = charged
  if (customerId !== undefined && customerId !== method.customerId)
    refuseMember('/customer_id', 'not_together', 'must be the customer of the payment method')
  const { type: methodType, card, debit, fingerprint, vaultCardUuid, billingDetails } = method
  const script = method.metadata.simulate ?? null
  const fields = {
    methodType,
    card,
    debit,
    fingerprint,
    vaultCardUuid,
    billingDetails,
    tokenId: null,
    customerId: method.customerId,
    paymentMethodId: method.id,
  }
  return { fields, tokensAt: tokenAccountsOf(method), script, charged }
}

async function fromToken(tx: Tx, text: string, customer: string | undefined): Promise<SelectedInstrument> {
  const customerId = customer === undefined ? null : (await requireCustomer(tx, customer)).id
  const used = await useToken(tx, text)
  const { id, methodType, card, debit, accountHolderName: name, fingerprint, vaultCardId } = used
  return {
    fields: {
      methodType,
      card,
      debit,
      fingerprint,
      vaultCardUuid: vaultCardId,
      billingDetails: name === null ? null : { name, email: null, phone: null, address: null },
      tokenId: id,
      customerId,
      paymentMethodId: null,
    },
    tokensAt: accountsOfToken(used),
    script: null,
  }
}

export function accountsOfToken({ providerToken }: Pick<UsedToken, 'providerToken'>) {
  return new Set(providerToken === null ? [] : [providerToken.providerAccountId])
}

/** `method` is set if a saved card is charged. `token` is its provider token at this account. */
type CardToSend = {
  readonly payment: Payment
  readonly method: PaymentMethod | null
  readonly token: string | null
}

/** The card to send. `vault` is set if another service has the number; the instrument then contains stand-ins. */
export type SendableCard = {
  readonly instrument: Instrument | null
  readonly vault?: TaskVault
  /** Set if a bank account is verified or debited. */
  readonly debit?: Debit
  /** Set if the payer approves the payment at the provider. */
  readonly redirect?: Redirect
}

/**
 * The card to send: a provider token if there is one, otherwise the card number. The instrument is null if both were
 * deleted. A bank account is sent instead of a card if the payment debits one.
 */
export function instrumentOf(
  deps: Deps,
  { workspaceId }: Caller,
  card: CardToSend & { readonly reference: string },
): Promise<SendableCard> {
  const { methodType, billingDetails } = card.payment
  if (isRedirect(methodType))
    return Promise.resolve({
      instrument: null,
      redirect: { type: methodType, holderName: nameIn(billingDetails) },
    })
  if (card.payment.debit !== null) return bankAccountOf(deps, workspaceId, card)
  return cardOf(deps, workspaceId, card)
}

function nameIn(billingDetails: object | null): string | null {
  return (billingDetails as { readonly name?: string | null } | null)?.name ?? null
}

async function cardOf(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  card: CardToSend & { readonly reference: string },
): Promise<SendableCard> {
  const { payment, method, reference } = card
  const { vaultCardUuid, fingerprint } = payment
  const providerToken = await providerTokenOf(deps, workspaceId, card)
  if (providerToken !== null) return { instrument: { type: 'token', token: providerToken } }
  if (vaultCardUuid === null) return noCard
  if (isInExternalVault(fingerprint)) {
    const found = await findCardAtVault(deps, workspaceId, vaultCardUuid)
    if (found === null) return noCard
    // Saved cards are charged without the CVC, which was only for the verification.
    const hasCvc = found.token.cvc !== null && method === null
    const cvc = hasCvc ? { cvc: standInOf(reference, 'cvc') } : {}
    return {
      instrument: { ...detailsOf(payment), isStandIn: true, number: standInOf(reference, 'number'), ...cvc },
      vault: { ...found, key: workspaceId },
    }
  }
  const revealed = await revealCard(deps, workspaceId, vaultCardUuid)
  if (revealed === null) return noCard
  const { number, cvc, name: holder } = revealed
  return {
    instrument: {
      ...detailsOf(payment),
      number,
      ...(cvc === null || method !== null ? {} : { cvc }),
      ...(holder === null ? {} : { name: holder }),
    },
  }
}

/** A saved bank account is a token at the provider. Otherwise the number is sent, unless it was deleted. */
async function bankAccountOf(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  { payment, method, token }: CardToSend,
): Promise<SendableCard> {
  const { methodType, debit: details, tokenId } = payment
  if (details === null || !isDebit(methodType)) return noCard
  const { reference, accepted_at } = details.mandate
  const debit = { type: methodType, mandate: { reference, acceptedAt: accepted_at } }
  if (method !== null)
    return token === null
      ? noCard
      : { instrument: { type: 'token', token }, debit: { ...debit, account: null } }
  const account = tokenId === null ? null : await revealBankAccount(deps, workspaceId, tokenId)
  return { instrument: null, debit: { ...debit, account } }
}

const noCard: SendableCard = { instrument: null }

/** The expiry of a saved card may have changed since the number was entered. */
function detailsOf({ card }: Payment) {
  const { brand, bin, last4, exp_month: expMonth, exp_year: expYear } = card
  return { type: 'card', brand, bin, last4, expMonth, expYear } as const
}

async function providerTokenOf(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  { payment, method, token }: CardToSend,
): Promise<string | null> {
  if (method !== null) return addsCredential(payment) ? null : token
  if (payment.vaultCardUuid !== null || payment.tokenId === null) return null
  return revealProviderToken(deps, workspaceId, payment.tokenId)
}

/**
 * The stored-credential indicator for the card network. The network transaction id links the payment to the first
 * one, even if another provider processed the first one.
 */
export function storedCredentialOf(
  payment: Payment,
  method: PaymentMethod | null,
  accountId: Id<'provider_account'>,
): OperationInput['storedCredential'] {
  const networkTransactionId = method === null ? null : networkTransactionAt(method, accountId)
  if (method !== null && !addsCredential(payment)) return { use: 'subsequent', networkTransactionId }
  return { use: savesCard(payment) ? 'first' : 'none', networkTransactionId }
}

/**
 * An account that verified the card itself uses its own transaction id. Every other account uses the id of
 * the first verification.
 */
function networkTransactionAt(
  { credentials, networkTransactionId }: PaymentMethod,
  accountId: Id<'provider_account'>,
): string | null {
  const credential = credentials.find((entry) => entry.providerAccountId === accountId)
  return (credential?.status === 'active' ? credential.networkTransactionId : null) ?? networkTransactionId
}
