/**
 * Detects the card brand while the number is typed. The brand is only shown when no other brand is possible. The server
 * makes the final decision about every number.
 */

export type Brand = 'amex' | 'mastercard' | 'discover' | 'unionpay' | 'jcb' | 'diners' | 'visa'

export const brandNames: Readonly<Record<string, string>> = {
  amex: 'American Express',
  mastercard: 'Mastercard',
  discover: 'Discover',
  unionpay: 'UnionPay',
  jcb: 'JCB',
  diners: 'Diners Club',
  visa: 'Visa',
  ideal: 'iDEAL',
  bancontact: 'Bancontact',
  paypal: 'PayPal',
  sepa_debit: 'SEPA',
}

type Range = readonly [brand: Brand, from: string, to: string]

/** The first matching row applies. */
// biome-ignore format: a table.
const ranges: readonly Range[] = [
  ['amex',       '34',     '34'],
  ['amex',       '37',     '37'],
  ['mastercard', '51',     '55'],
  ['mastercard', '2221',   '2720'],
  ['discover',   '6011',   '6011'],
  // UnionPay cards that Discover accepts.
  ['discover',   '622126', '622925'],
  ['discover',   '644',    '649'],
  ['discover',   '65',     '65'],
  ['unionpay',   '62',     '62'],
  ['unionpay',   '81',     '81'],
  ['jcb',        '3528',   '3589'],
  ['diners',     '300',    '305'],
  ['diners',     '3095',   '3095'],
  ['diners',     '36',     '36'],
  ['diners',     '38',     '39'],
  ['visa',       '4',      '4'],
]

const lengths: Readonly<Partial<Record<Brand, readonly number[]>>> = {
  amex: [15],
  mastercard: [16],
  visa: [13, 16, 19],
  diners: [14, 15, 16, 17, 18, 19],
}
const usualLengths = [16, 17, 18, 19]
const anyLengths = [12, 13, 14, 15, 16, 17, 18, 19]

/** Null while several brands are possible, or if none is. */
export function brandOf(digits: string): Brand | null {
  const possible = new Set<Brand>()
  for (const [brand, from, to] of ranges) {
    const length = Math.min(from.length, digits.length)
    const prefix = digits.slice(0, length)
    if (prefix < from.slice(0, length) || prefix > to.slice(0, length)) continue
    possible.add(brand)
    // A full match with this row excludes the rows below.
    if (length === from.length) break
  }
  const [only, ...others] = possible
  return digits === '' || only === undefined || others.length > 0 ? null : only
}

export function lengthsOf(brand: Brand | null): readonly number[] {
  if (brand === null) return anyLengths
  return lengths[brand] ?? usualLengths
}

export function codeLengthOf(brand: Brand | null): number {
  return brand === 'amex' ? 4 : 3
}

/** The Luhn check digit, which detects most typos. */
export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
