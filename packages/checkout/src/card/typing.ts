/**
 * Formats card fields while the payer types: digits are grouped as on the card, and the caret stays after the
 * same digit, so that corrections in the middle work.
 */
import { asciiDigits } from '../money.ts'
import { brandOf } from './brand.ts'

export type TextInput = { readonly text: string; readonly caret: number }

const maxDigits = 19

export function digitsOf(text: string): string {
  return asciiDigits(text).replace(/\D/g, '')
}

export function formatCardNumber({ text, caret }: TextInput): TextInput {
  const digits = digitsOf(text).slice(0, maxDigits)
  const before = digitsOf(text.slice(0, caret)).length
  return withCaretAfter(groupDigits(digits), Math.min(before, digits.length))
}

export function formatSecurityCode({ text, caret }: TextInput): TextInput {
  const digits = digitsOf(text).slice(0, 4)
  return { text: digits, caret: Math.min(digitsOf(text.slice(0, caret)).length, digits.length) }
}

/** `wasDeleted`: text was deleted, so do not add a separator or a leading zero again. */
export function formatExpiry({ text, caret }: TextInput, wasDeleted: boolean): TextInput {
  const [month, year] = splitExpiry(text)
  const isSplit = year !== '' || (!wasDeleted && /\d\D+$/.test(asciiDigits(text)))
  const isPadded = month.length === 1 && (isSplit || (!wasDeleted && month > '1'))
  const padded = isPadded ? `0${month}` : month
  const formatted = isSplit ? `${padded} / ${year}` : padded
  if (caret >= text.length) return { text: formatted, caret: formatted.length }
  return withCaretAfter(formatted, digitsOf(text.slice(0, caret)).length + (isPadded ? 1 : 0))
}

/** Parses `4/28`, `04/2028`, `0428` and `042028`. Otherwise null. */
export function parseExpiry(text: string): { month: number; year: number } | null {
  const [month, year] = splitExpiry(text)
  if (month === '' || (year.length !== 2 && year.length !== 4)) return null
  return { month: Number(month), year: Number(year.length === 2 ? `20${year}` : year) }
}

function splitExpiry(text: string): [month: string, year: string] {
  const ascii = asciiDigits(text).trim()
  const split = /^(\d{1,2})\D+(\d*)/.exec(ascii)
  const digits = digitsOf(ascii)
  // Two-digit months begin with 0 or 1. After any other first digit the year follows immediately.
  const monthDigits = digits.charAt(0) > '1' ? 1 : 2
  const [month, year] = split
    ? [split[1] ?? '', split[2] ?? '']
    : [digits.slice(0, monthDigits), digits.slice(monthDigits)]
  return [month, year.slice(0, year.startsWith('20') ? 4 : 2)]
}

function groupDigits(digits: string): string {
  const isShort = brandOf(digits) === 'amex' || (brandOf(digits) === 'diners' && digits.length <= 14)
  const groups = isShort ? /^(\d{1,4})(\d{1,6})?(\d+)?$/ : /^(\d{1,4})(\d{1,4})?(\d{1,4})?(\d{1,4})?(\d+)?$/
  return (groups.exec(digits) ?? [])
    .slice(1)
    .filter((group) => group !== undefined)
    .join(' ')
}

function withCaretAfter(text: string, digits: number): TextInput {
  let caret = 0
  for (let remaining = digits; remaining > 0 && caret < text.length; caret += 1)
    if (/\d/.test(text.charAt(caret))) remaining -= 1
  return { text, caret }
}
