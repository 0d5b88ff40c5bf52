/**
 * The operands of rules: each with its type, its operators, and whether every payment has it. A condition on
 * an operand the payment does not have is false, except for `exists`.
 */
import { currencies } from '../../../../kernel/currency.ts'
import { cardFundings, methodTypes } from '../../../../providers/contract.ts'
import type { Operator, Value } from '../payment-route.ts'

/** By name. A missing member means that the payment does not have the operand. */
export type Operands = { readonly [field: string]: Value | undefined }

export type Shape =
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  /** One value of a closed list. */
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /** A code with a fixed format: it is compared as a whole, never by prefix. */
  | { readonly kind: 'code'; readonly pattern: RegExp; readonly patternText: string }
  /** The first digits of a card number. */
  | { readonly kind: 'digits' }
  | { readonly kind: 'text' }

export type Operand = { readonly shape: Shape; readonly isAlwaysPresent: boolean }

const number = (min: number, max: number): Shape => ({ kind: 'number', min, max })
const oneOf = (...values: readonly string[]): Shape => ({ kind: 'enum', values })
const code = (pattern: RegExp, patternText: string): Shape => ({ kind: 'code', pattern, patternText })
const idOf = (kind: string) => code(new RegExp(`^${kind}_[A-Za-z0-9_]{26,31}$`), `the id of a ${kind}`)
const country = code(/^[A-Z]{2}$/, 'a two-letter country code such as GB')
const name = (example: string) => code(/^[a-z0-9_]{1,40}$/, `a lower-case word such as ${example}`)

const always = (shape: Shape): Operand => ({ shape, isAlwaysPresent: true })
const sometimes = (shape: Shape): Operand => ({ shape, isAlwaysPresent: false })

// biome-ignore format: a table.
const operandTable: { readonly [field: string]: Operand } = {
  'amount':                          always(number(0, 999_999_999_999)),
  'currency':                        always(oneOf(...currencies)),
  'purpose':                         always(oneOf('payment', 'verification')),
  'initiator':                       always(oneOf('customer', 'merchant')),
  'recurring':                       always(oneOf('none', 'first', 'subsequent')),
  'channel':                         always(oneOf('api', 'checkout_session', 'payment_link', 'invoice')),
  'capture_method':                  always(oneOf('automatic', 'manual')),
  'three_d_secure':                  always(oneOf('auto', 'required')),
  'method.type':                     always(oneOf(...methodTypes)),
  'method.last_provider_account_id': sometimes(idOf('provider_account')),
  // A bank account has no brand.
  'card.brand':                      sometimes(name('visa')),
  'card.funding':                    sometimes(oneOf(...cardFundings)),
  'card.country':                    sometimes(country),
  'card.issuer':                     sometimes({ kind: 'text' }),
  'card.bin':                        sometimes({ kind: 'digits' }),
  'billing.country':                 sometimes(country),
  'customer.id':                     sometimes(idOf('customer')),
  'customer.country':                sometimes(country),
  'payment_link_id':                 sometimes(idOf('payment_link')),
  'price_id':                        sometimes(idOf('price')),
  // In UTC. Weekdays are numbered from 1 for Monday to 7 for Sunday.
  'created.hour':                    always(number(0, 23)),
  'created.weekday':                 always(number(1, 7)),
}

const metadataField = /^(customer\.)?metadata\.[A-Za-z_][A-Za-z0-9_.-]{0,39}$/
const metadata = sometimes({ kind: 'text' })

/** The estimated cost at an account. Its value is calculated from the costs of the account. */
const costField = /^estimated_cost\.provider_account_[A-Za-z0-9_]{26,31}$/
const cost = sometimes(number(0, 999_999_999_999))

export const fieldNames: readonly string[] = Object.keys(operandTable)

/** Null for an unknown name. */
export function operandOf(field: string): Operand | null {
  if (Object.hasOwn(operandTable, field)) return operandTable[field] as Operand
  if (costField.test(field)) return cost
  return metadataField.test(field) ? metadata : null
}

const equalityOperators = ['eq', 'ne', 'in', 'not_in', 'exists'] as const

export function operatorsOf({ kind }: Shape): readonly Operator[] {
  if (kind === 'number') return [...equalityOperators, 'lt', 'lte', 'gt', 'gte', 'between']
  return kind === 'text' || kind === 'digits' ? [...equalityOperators, 'starts_with'] : equalityOperators
}

/** The expected format, to complete "must be …"; null if the value is valid. */
export function expectedUnlessValid(shape: Shape, value: unknown): string | null {
  return isValid(shape, value) ? null : expectedFormat(shape)
}

function isValid(shape: Shape, value: unknown): boolean {
  if (shape.kind === 'number') return isWithin(shape, value)
  if (typeof value !== 'string') return false
  if (shape.kind === 'enum') return shape.values.includes(value)
  if (shape.kind === 'code') return shape.pattern.test(value)
  return shape.kind === 'digits' ? /^[0-9]{6,8}$/.test(value) : value.length >= 1 && value.length <= 500
}

function expectedFormat(shape: Shape): string {
  switch (shape.kind) {
    case 'number':
      return `an integer from ${shape.min} to ${shape.max}`
    case 'enum':
      return shape.values.length > 10 ? 'a known code in lower case' : `one of ${shape.values.join(', ')}`
    case 'code':
      return shape.patternText
    case 'digits':
      return 'a string of 6 to 8 digits'
    case 'text':
      return 'a string of 1 to 500 characters'
  }
}

/** Like `expectedUnlessValid`, for the value of `starts_with`. */
export function expectedPrefixUnlessValid(shape: Shape, value: unknown): string | null {
  if (shape.kind !== 'digits') return expectedUnlessValid(shape, value)
  return typeof value === 'string' && /^[0-9]{1,8}$/.test(value) ? null : 'a string of 1 to 8 digits'
}

function isWithin({ min, max }: { readonly min: number; readonly max: number }, value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
}

/** The defaults for operands that the description of a payment omits. */
const defaultOperands: Operands = {
  purpose: 'payment',
  initiator: 'customer',
  recurring: 'none',
  channel: 'api',
  capture_method: 'automatic',
  three_d_secure: 'auto',
  'method.type': 'card',
  'card.brand': 'visa',
}

/** Adds defaults to a described payment. Without a time, the payment counts as created now. */
export function withDefaultOperands(described: Operands, now: Date): Operands {
  const { 'card.brand': brand, ...others } = defaultOperands
  const isCard = (described['method.type'] ?? 'card') === 'card'
  return { ...others, ...(isCard ? { 'card.brand': brand } : {}), ...timeOperands(now), ...described }
}

export function timeOperands(createdAt: Date): Operands {
  return { 'created.hour': createdAt.getUTCHours(), 'created.weekday': createdAt.getUTCDay() || 7 }
}
