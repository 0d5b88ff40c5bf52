/** What is wrong with a card as it was typed, and what may be shown of it. No sentence here repeats the number. */
import type { Fault } from '../../kernel/errors.ts'
import { brandOf, digitsOf, hasLengthOfBrand, passesLuhn } from './card-number.ts'
import type { RawCard, ShownCard, TypedCard } from './card-token.ts'

export function rawCardOf(typed: TypedCard): RawCard {
  return {
    number: digitsOf(typed.number),
    expMonth: typed.exp_month,
    expYear: typed.exp_year,
    name: typed.name ?? null,
    cvc: typed.cvc ?? null,
  }
}

/** All of them, so that a payer has to look only once. */
export function faultsOf(card: RawCard, now: Date): Fault[] {
  return [...faultsOfNumber(card), ...faultsOfExpiry(card, now), ...faultsOfCode(card)]
}

function faultsOfNumber({ number }: RawCard): Fault[] {
  const isWhole = passesLuhn(number) && hasLengthOfBrand(number)
  return isWhole
    ? []
    : [{ pointer: '/card/number', code: 'bad_format', detail: 'is not the number of a card' }]
}

/** A card is good to the end of its month. */
function faultsOfExpiry({ expMonth, expYear }: RawCard, now: Date): Fault[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() + 1]
  if (expYear < year) return [{ pointer: '/card/exp_year', code: 'too_small', detail: 'has passed' }]
  if (expYear > year || expMonth >= month) return []
  return [{ pointer: '/card/exp_month', code: 'too_small', detail: 'has passed' }]
}

function faultsOfCode({ number, cvc }: RawCard): Fault[] {
  const digits = brandOf(number) === 'amex' ? 4 : 3
  if (cvc === null || cvc.length === digits) return []
  return [{ pointer: '/card/cvc', code: 'bad_format', detail: `must have ${digits} digits for this card` }]
}

/** Without a directory of issuers the number alone does not tell how it is funded, or where it was issued. */
export function shownCardOf({ number, expMonth, expYear }: RawCard): ShownCard {
  return {
    brand: brandOf(number),
    last4: number.slice(-4),
    exp_month: expMonth,
    exp_year: expYear,
    funding: null,
    country: null,
    bin: number.slice(0, 6),
  }
}

/**
 * What makes two requests the same that carry one idempotency key. What it gives is hashed and kept for days,
 * and a number or a code could be guessed from its hash: so there is no code in it, and of the number what may
 * be shown.
 */
export function comparable(body: { readonly card?: TypedCard }): object {
  if (body.card === undefined) return body
  const { number, cvc: _, ...rest } = body.card
  const digits = digitsOf(number)
  return { ...body, card: { ...rest, bin: digits.slice(0, 6), last4: digits.slice(-4) } }
}
