/**
 * Brand, length and check digit of a card number. No function in this file stores, shows or logs card
 * numbers.
 */
import type { Brand } from './card-token.ts'

/** People enter spaces and dashes; networks use digits only. */
export function digitsOf(text: string): string {
  return text.replaceAll(/[ -]/g, '')
}

/** The check digit detects most typos. */
export function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** Whether a string could be a card number. */
export function looksLikeCardNumber(text: string): boolean {
  const digits = digitsOf(text)
  return /^\d{12,19}$/.test(digits) && passesLuhn(digits)
}

type Range = {
  readonly brand: Brand
  readonly from: string
  readonly to: string
  readonly lengths: readonly number[]
}

const sixteenOrMore = [16, 17, 18, 19]

/**
 * Brands by the first digits: the first matching row applies. Numbers without a row have an unknown brand.
 */
// biome-ignore format: a table.
const ranges: readonly Range[] = [
  { brand: 'amex',       from: '34',     to: '34',     lengths: [15] },
  { brand: 'amex',       from: '37',     to: '37',     lengths: [15] },
  { brand: 'mastercard', from: '51',     to: '55',     lengths: [16] },
  { brand: 'mastercard', from: '2221',   to: '2720',   lengths: [16] },
  { brand: 'discover',   from: '6011',   to: '6011',   lengths: sixteenOrMore },
  // Co-issued with UnionPay, and accepted by Discover.
  { brand: 'discover',   from: '622126', to: '622925', lengths: sixteenOrMore },
  { brand: 'discover',   from: '644',    to: '649',    lengths: sixteenOrMore },
  { brand: 'discover',   from: '65',     to: '65',     lengths: sixteenOrMore },
  { brand: 'unionpay',   from: '62',     to: '62',     lengths: sixteenOrMore },
  { brand: 'unionpay',   from: '81',     to: '81',     lengths: sixteenOrMore },
  { brand: 'jcb',        from: '3528',   to: '3589',   lengths: sixteenOrMore },
  { brand: 'diners',     from: '300',    to: '305',    lengths: [14, 15, ...sixteenOrMore] },
  { brand: 'diners',     from: '3095',   to: '3095',   lengths: [14, 15, ...sixteenOrMore] },
  { brand: 'diners',     from: '36',     to: '36',     lengths: [14, 15, ...sixteenOrMore] },
  { brand: 'diners',     from: '38',     to: '39',     lengths: [14, 15, ...sixteenOrMore] },
  { brand: 'visa',       from: '4',      to: '4',      lengths: [13, 16, 19] },
]

export function brandOf(digits: string): Brand {
  return rangeOf(digits)?.brand ?? 'unknown'
}

/** A number with the wrong length for its brand is invalid. */
export function hasValidLength(digits: string): boolean {
  return rangeOf(digits)?.lengths.includes(digits.length) ?? true
}

function rangeOf(digits: string): Range | undefined {
  return ranges.find(({ from, to }) => {
    const beginning = digits.slice(0, from.length)
    return beginning >= from && beginning <= to
  })
}
