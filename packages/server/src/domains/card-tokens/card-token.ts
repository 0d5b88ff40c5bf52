/** A token stands for a card, once and not for long. Whoever holds it can pay with the card, and not read it. */
import type { Id } from '../../kernel/id.ts'

export const brands = [
  ...(['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'] as const),
  'unknown',
] as const
export type Brand = (typeof brands)[number]

export const fundings = ['credit', 'debit', 'prepaid'] as const
export type Funding = (typeof fundings)[number]

/** What may be shown of a card, in the words of the wire and of the rows that keep it. */
export type ShownCard = {
  readonly brand: Brand
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  /** Null: not known. */
  readonly funding: Funding | null
  readonly country: string | null
  /** The first six digits; those and the last four are all that may ever be seen of a number. */
  readonly bin: string | null
}

/** A card as a payer types it and a page sends it. */
export type TypedCard = {
  readonly number: string
  readonly exp_month: number
  readonly exp_year: number
  readonly cvc?: string
  readonly name?: string
}

/** The same with nothing but digits left of its number. */
export type RawCard = {
  readonly number: string
  readonly expMonth: number
  readonly expYear: number
  readonly name: string | null
  readonly cvc: string | null
}

export const tokenTypes = ['card', 'provider_token'] as const
export type TokenType = (typeof tokenTypes)[number]

export type CardToken = {
  readonly id: Id<'token'>
  readonly type: TokenType
  readonly card: ShownCard
  /** The same for each token of one number in this workspace; null if we do not know the number. */
  readonly fingerprint: string | null
  readonly providerAccountId: Id<'provider_account'> | null
  readonly expiresAt: Date
  readonly usedAt: Date | null
  readonly createdAt: Date
}

/** How long the card of a token stays, by the word of the token; null: until somebody lets go of it. */
export type Stay = { readonly uuid: string; readonly dueAt: Date | null }

/** How long a token can be used. */
export const tokenLifeSeconds = 15 * 60
/**
 * How long the card of a used token stays unless it is kept: as long as it may take until a payment whose
 * outcome is unknown comes to its end, and a day more.
 */
export const usedCardSeconds = 8 * 24 * 60 * 60
/**
 * How long after its token is over the vault asks about a card. A card is stored a moment before its token; if
 * the process dies in between, nobody knows the card, and it goes at this time.
 */
export const vaultPatienceSeconds = 60 * 60
