/** A single-use, short-lived token for a card, a bank account or a redirect method. Its holder can pay with it, but not read it. */
import type { DebitDetails } from '../../../kernel/debit-details.ts'
import type { Id } from '../../../kernel/id.ts'
import { debitTypes, type MethodType, redirectTypes } from '../../../providers/contract.ts'

export const brands = [
  'visa',
  'mastercard',
  'amex',
  'discover',
  'diners',
  'jcb',
  'unionpay',
  'unknown',
] as const
export type Brand = (typeof brands)[number]

export const fundings = ['credit', 'debit', 'prepaid'] as const
export type Funding = (typeof fundings)[number]

/** The card details that may be shown, with the member names of the API and the database. */
export type DisplayCard = {
  /**
   * The type of the payment method, if it is not a card. For a bank account, `last4` contains the end of its number.
   */
  readonly brand: Brand | MethodType
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  /** Null if unknown. */
  readonly funding: Funding | null
  readonly country: string | null
  /** Missing in cards stored before this member existed. */
  readonly issuer?: string | null
  /** The first six digits. Together with the last four these are the only digits that may be shown. */
  readonly bin: string | null
}

/** A card as entered by the payer and sent by the page. */
export type CardInput = {
  readonly number: string
  readonly exp_month: number
  readonly exp_year: number
  readonly cvc?: string
  readonly name?: string
}

/** The card with only digits in its number, as the vault stores it. */
export type RawCard = {
  readonly number: string
  readonly expMonth: number
  readonly expYear: number
  readonly name: string | null
  readonly cvc: string | null
}

export const tokenTypes = ['card', 'provider_token', 'vault_token', ...debitTypes, ...redirectTypes] as const
export type TokenType = (typeof tokenTypes)[number]

export type CardToken = {
  readonly id: Id<'token'>
  readonly type: TokenType
  readonly card: DisplayCard
  /** Set for a bank account. */
  readonly debit: DebitDetails | null
  /** The name of the payer, for a method that the payer approves at the provider. Null if it was not sent. */
  readonly accountHolderName: string | null
  /** Identifies the card number within the workspace; null if Switchyard does not know the number. */
  readonly fingerprint: string | null
  readonly providerAccountId: Id<'provider_account'> | null
  readonly expiresAt: Date
  readonly usedAt: Date | null
  readonly createdAt: Date
}

/** How long the card of a token is kept. If `dueAt` is null, it is kept until it is explicitly deleted. */
export type CardRetention = { readonly uuid: string; readonly dueAt: Date | null }

/** How long a token can be used. */
export const tokenLifetimeSeconds = 15 * 60
/**
 * How long the card of a used token is kept unless it is saved: the longest time a payment may be unresolved,
 * plus a day.
 */
export const usedCardRetentionSeconds = 8 * 24 * 60 * 60
/**
 * The vault checks a card this long after the expiry of its token. A card is stored just before its token. If
 * the process crashes in between, no token refers to the card, and this check deletes it.
 */
export const vaultGraceSeconds = 60 * 60
