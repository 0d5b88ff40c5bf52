/**
 * Validates entered card details, and extracts those that may be displayed. No error message repeats the
 * number.
 */
import type { Fault } from '../../../kernel/errors.ts'
import { brandOf, digitsOf, hasValidLength, passesLuhn } from './card-number.ts'
import type { CardInput, DisplayCard, RawCard } from './card-token.ts'

export function toRawCard(input: CardInput): RawCard {
  return {
    number: digitsOf(input.number),
    expMonth: input.exp_month,
    expYear: input.exp_year,
    name: input.name ?? null,
    cvc: input.cvc ?? null,
  }
}

/** Returns all errors, so that the payer can correct them together. */
export function faultsOfCard(card: RawCard, now: Date): Fault[] {
  return [...faultsOfNumber(card), ...faultsOfExpiry(card, now), ...faultsOfCvc(card)]
}

function faultsOfNumber({ number }: RawCard): Fault[] {
  const isValid = passesLuhn(number) && hasValidLength(number)
  return isValid
    ? []
    : [{ pointer: '/card/number', code: 'bad_format', detail: 'is not a valid card number' }]
}

/** A card is valid through the end of its expiry month. */
function faultsOfExpiry({ expMonth, expYear }: RawCard, now: Date): Fault[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() + 1]
  if (expYear < year)
    return [{ pointer: '/card/exp_year', code: 'too_small', detail: 'is in the past: the card has expired' }]
  if (expYear > year || expMonth >= month) return []
  return [{ pointer: '/card/exp_month', code: 'too_small', detail: 'is in the past: the card has expired' }]
}

function faultsOfCvc({ number, cvc }: RawCard): Fault[] {
  const digits = brandOf(number) === 'amex' ? 4 : 3
  if (cvc === null || cvc.length === digits) return []
  return [{ pointer: '/card/cvc', code: 'bad_format', detail: `must have ${digits} digits for this card` }]
}

/** Funding, country and issuer are null here: they come from the operator's BIN table. */
export function toDisplayCard({ number, expMonth, expYear }: RawCard): DisplayCard {
  return {
    brand: brandOf(number),
    last4: number.slice(-4),
    exp_month: expMonth,
    exp_year: expYear,
    funding: null,
    country: null,
    issuer: null,
    bin: number.slice(0, 6),
  }
}

type ComparableBody = {
  readonly card?: CardInput
  readonly sepa_debit?: { readonly iban: string }
  readonly ach_debit?: { readonly account_number: string }
  readonly bacs_debit?: { readonly account_number: string }
}

/**
 * The members that are compared if a request is repeated with the same idempotency key. They are hashed and
 * stored for days, and a card number or CVC could be guessed from the hash. Therefore the result contains no
 * CVC, and only the permitted digits of the number.
 */
export function comparableRequest(body: ComparableBody): object {
  if (body.sepa_debit !== undefined) {
    const { iban, ...rest } = body.sepa_debit
    return { ...body, sepa_debit: { ...rest, country: iban.slice(0, 2), last4: iban.slice(-4) } }
  }
  const type = (['ach_debit', 'bacs_debit'] as const).find((name) => body[name] !== undefined)
  if (type !== undefined) {
    const { account_number: number = '', ...rest } = body[type] ?? {}
    return { ...body, [type]: { ...rest, last4: number.slice(-4) } }
  }
  if (body.card === undefined) return body
  const { number, cvc: _, ...rest } = body.card
  const digits = digitsOf(number)
  return { ...body, card: { ...rest, bin: digits.slice(0, 6), last4: digits.slice(-4) } }
}
