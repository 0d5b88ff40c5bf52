/**
 * What a rule can ask of a payment: every operand with its shape, the operators that make sense for it, and whether
 * every payment has it. A condition on an operand that a payment does not have is false, except for `exists`.
 */
import { currencies } from '../../kernel/currency.ts'
import type { Operator } from './payment-route.ts'

export type Value = string | number
/** By name. What is not there, the payment does not have. */
export type Operands = { readonly [field: string]: Value | undefined }

export type Shape =
  | { readonly is: 'number'; readonly min: number; readonly max: number }
  /** One of a closed list. */
  | { readonly is: 'word'; readonly words: readonly string[] }
  /** Of a certain form, compared as a whole. */
  | { readonly is: 'code'; readonly form: RegExp; readonly formText: string }
  /** The first digits of a card. */
  | { readonly is: 'digits' }
  | { readonly is: 'text' }

export type Operand = { readonly shape: Shape; readonly always: boolean }

const number = (min: number, max: number): Shape => ({ is: 'number', min, max })
const word = (...words: readonly string[]): Shape => ({ is: 'word', words })
const code = (form: RegExp, formText: string): Shape => ({ is: 'code', form, formText })
const idOf = (kind: string) => code(new RegExp(`^${kind}_[A-Za-z0-9_]{26,31}$`), `the id of a ${kind}`)
const country = code(/^[A-Z]{2}$/, 'a country as two letters, such as GB')
const name = (example: string) => code(/^[a-z0-9_]{1,40}$/, `a word in lower case, such as ${example}`)

const always = (shape: Shape): Operand => ({ shape, always: true })
const maybe = (shape: Shape): Operand => ({ shape, always: false })

// biome-ignore format: a table.
const known: { readonly [field: string]: Operand } = {
  'amount':                          always(number(0, 999_999_999_999)),
  'currency':                        always(word(...currencies)),
  'purpose':                         always(word('payment', 'verification')),
  'initiator':                       always(word('customer', 'merchant')),
  'recurring':                       always(word('none', 'first', 'subsequent')),
  'channel':                         always(name('api')),
  'capture_method':                  always(word('automatic', 'manual')),
  'three_d_secure':                  always(word('auto', 'required')),
  'method.type':                     always(word('card')),
  'method.last_provider_account_id': maybe(idOf('provider_account')),
  'card.brand':                      always(name('visa')),
  'card.funding':                    maybe(word('credit', 'debit', 'prepaid')),
  'card.country':                    maybe(country),
  'card.issuer':                     maybe({ is: 'text' }),
  'card.bin':                        maybe({ is: 'digits' }),
  'billing.country':                 maybe(country),
  'customer.id':                     maybe(idOf('customer')),
  'customer.country':                maybe(country),
  'payment_link_id':                 maybe(idOf('payment_link')),
  'price_id':                        maybe(idOf('price')),
  // In UTC; the week begins on Monday with 1.
  'created.hour':                    always(number(0, 23)),
  'created.weekday':                 always(number(1, 7)),
}

const metadataField = /^(customer\.)?metadata\.[A-Za-z_][A-Za-z0-9_.-]{0,39}$/
const metadata = maybe({ is: 'text' })

export const fieldNames: readonly string[] = Object.keys(known)

/** Null for a name that is none. */
export function operandOf(field: string): Operand | null {
  if (Object.hasOwn(known, field)) return known[field] as Operand
  return metadataField.test(field) ? metadata : null
}

const comparing = ['eq', 'ne', 'in', 'not_in', 'exists'] as const

export function operatorsOf({ is }: Shape): readonly Operator[] {
  if (is === 'number') return [...comparing, 'lt', 'lte', 'gt', 'gte', 'between']
  return is === 'text' || is === 'digits' ? [...comparing, 'starts_with'] : comparing
}

/** What is wrong with a value of that shape, as the rest of "must be …"; null if nothing is. */
export function faultOfValue(shape: Shape, value: unknown): string | null {
  return isOf(shape, value) ? null : wantedWords(shape)
}

function isOf(shape: Shape, value: unknown): boolean {
  if (shape.is === 'number') return isWithin(shape, value)
  if (typeof value !== 'string') return false
  if (shape.is === 'word') return shape.words.includes(value)
  if (shape.is === 'code') return shape.form.test(value)
  return shape.is === 'digits' ? /^[0-9]{6,8}$/.test(value) : value.length >= 1 && value.length <= 500
}

function wantedWords(shape: Shape): string {
  switch (shape.is) {
    case 'number':
      return `a whole number from ${shape.min} to ${shape.max}`
    case 'word':
      return shape.words.length > 10 ? 'a known code, in lower case' : `one of ${shape.words.join(', ')}`
    case 'code':
      return shape.formText
    case 'digits':
      return '6 to 8 digits as text'
    case 'text':
      return 'a text of 1 to 500 characters'
  }
}

/** The same for the beginning of a value. */
export function faultOfStart(shape: Shape, value: unknown): string | null {
  if (shape.is !== 'digits') return faultOfValue(shape, value)
  return typeof value === 'string' && /^[0-9]{1,8}$/.test(value) ? null : '1 to 8 digits as text'
}

function isWithin({ min, max }: { readonly min: number; readonly max: number }, value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
}

/** Of a payment that is only described: what it is unless somebody says otherwise. */
const usual: Operands = {
  purpose: 'payment',
  initiator: 'customer',
  recurring: 'none',
  channel: 'api',
  capture_method: 'automatic',
  three_d_secure: 'auto',
  'method.type': 'card',
  'card.brand': 'visa',
}

/** The operands of a described payment, made complete. Without a time of its own it is made now. */
export function completed(described: Operands, now: Date): Operands {
  return { ...usual, ...timeOperands(now), ...described }
}

export function timeOperands(at: Date): Operands {
  return { 'created.hour': at.getUTCHours(), 'created.weekday': at.getUTCDay() || 7 }
}
