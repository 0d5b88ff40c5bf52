/**
 * Card fields while they are typed into: digits are grouped as on the card, and the caret stays after the digit
 * it stood after, so that correcting in the middle works as everywhere else.
 */
import { asciiDigits } from '../money.ts'
import { brandOf } from './brand.ts'

export type Typed = { readonly text: string; readonly caret: number }

const mostDigits = 19

export function digitsOf(text: string): string {
  return asciiDigits(text).replace(/\D/g, '')
}

export function typeNumber({ text, caret }: Typed): Typed {
  const digits = digitsOf(text).slice(0, mostDigits)
  const before = digitsOf(text.slice(0, caret)).length
  return withCaretAfter(grouped(digits), Math.min(before, digits.length))
}

export function typeCode({ text, caret }: Typed): Typed {
  const digits = digitsOf(text).slice(0, 4)
  return { text: digits, caret: Math.min(digitsOf(text.slice(0, caret)).length, digits.length) }
}

/** `isShorter`: something was deleted, so nothing may be put back that would have to be deleted again. */
export function typeExpiry({ text, caret }: Typed, isShorter: boolean): Typed {
  const [month, year] = partsOfExpiry(text)
  const isSplit = year !== '' || (!isShorter && /\d\D+$/.test(asciiDigits(text)))
  const isPadded = month.length === 1 && (isSplit || (!isShorter && month > '1'))
  const padded = isPadded ? `0${month}` : month
  const shown = isSplit ? `${padded} / ${year}` : padded
  if (caret >= text.length) return { text: shown, caret: shown.length }
  return withCaretAfter(shown, digitsOf(text.slice(0, caret)).length + (isPadded ? 1 : 0))
}

/** Takes `4/28`, `04/2028`, `0428` and `042028`. Null if it is neither. */
export function readExpiry(text: string): { month: number; year: number } | null {
  const [month, year] = partsOfExpiry(text)
  if (month === '' || (year.length !== 2 && year.length !== 4)) return null
  return { month: Number(month), year: Number(year.length === 2 ? `20${year}` : year) }
}

function partsOfExpiry(text: string): [month: string, year: string] {
  const ascii = asciiDigits(text).trim()
  const split = /^(\d{1,2})\D+(\d*)/.exec(ascii)
  const digits = digitsOf(ascii)
  // A month begins with 0 or 1: of any other first digit the year follows at once.
  const monthDigits = digits.charAt(0) > '1' ? 1 : 2
  const [month, year] = split
    ? [split[1] ?? '', split[2] ?? '']
    : [digits.slice(0, monthDigits), digits.slice(monthDigits)]
  return [month, year.slice(0, year.startsWith('20') ? 4 : 2)]
}

function grouped(digits: string): string {
  const isShort = brandOf(digits) === 'amex' || (brandOf(digits) === 'diners' && digits.length <= 14)
  const groups = isShort ? /^(\d{1,4})(\d{1,6})?(\d+)?$/ : /^(\d{1,4})(\d{1,4})?(\d{1,4})?(\d{1,4})?(\d+)?$/
  return (groups.exec(digits) ?? [])
    .slice(1)
    .filter((group) => group !== undefined)
    .join(' ')
}

function withCaretAfter(text: string, digits: number): Typed {
  let caret = 0
  for (let left = digits; left > 0 && caret < text.length; caret += 1)
    if (/\d/.test(text.charAt(caret))) left -= 1
  return { text, caret }
}
