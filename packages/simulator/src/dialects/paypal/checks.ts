/**
 * Checks of request members. A member that PayPal does not document, or that the emulator does not support, is refused
 * with `NOT_SUPPORTED`. No side effects.
 */
import { isObject } from '../../protocol.ts'
import { type Amount, amountIssueOf } from './amounts.ts'

/** 400: the syntax is wrong; 422: the value cannot be processed. */
export type Problem = { readonly status: 400 | 422; readonly issue: string; readonly field: string }
export type Check = (value: unknown, field: string) => Problem | null
type Checks = { readonly [name: string]: Check }

const invalid = (issue: string, field: string): Problem => ({ status: 400, issue, field })

export const refused = (issue: string, field: string): Problem => ({ status: 422, issue, field })

export const text =
  (maxLength: number, pattern?: RegExp): Check =>
  (value, field) => {
    if (typeof value !== 'string') return invalid('INVALID_PARAMETER_SYNTAX', field)
    if (value === '' || value.length > maxLength) return invalid('INVALID_STRING_LENGTH', field)
    return pattern?.test(value) === false ? invalid('INVALID_PARAMETER_SYNTAX', field) : null
  }

/** Text members with the same maximum length. */
export const texts = (maxLength: number, ...names: string[]): Checks =>
  Object.fromEntries(names.map((name) => [name, text(maxLength)]))

export const oneOf =
  (...values: unknown[]): Check =>
  (value, field) =>
    values.includes(value) ? null : invalid('INVALID_PARAMETER_VALUE', field)

export const url: Check = (value, field) =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
    ? null
    : invalid('INVALID_PARAMETER_SYNTAX', field)

export const object =
  (checks: Checks, ...required: string[]): Check =>
  (value, field) => {
    if (!isObject(value)) return invalid('INVALID_PARAMETER_SYNTAX', field)
    const missing = required.find((name) => value[name] === undefined)
    if (missing !== undefined) return invalid('MISSING_REQUIRED_PARAMETER', `${field}/${missing}`)
    const problems = Object.entries(value).map(([name, member]) => {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      return (check ?? unsupported)(member, `${field}/${name}`)
    })
    return problems.find((problem) => problem !== null) ?? null
  }

const unsupported: Check = (_value, field) => invalid('NOT_SUPPORTED', field)

/** Exactly one item. */
export const single =
  (check: Check): Check =>
  (value, field) => {
    if (!Array.isArray(value)) return invalid('INVALID_PARAMETER_SYNTAX', field)
    if (value.length !== 1)
      return invalid(value.length === 0 ? 'INVALID_ARRAY_MIN_ITEMS' : 'INVALID_ARRAY_MAX_ITEMS', field)
    return check(value[0], `${field}/0`)
  }

const amountMembers = object(
  { currency_code: text(3, /^[A-Z]{3}$/), value: text(32, /^((-?\d+)|(-?\d*\.\d+))$/) },
  'currency_code',
  'value',
)

export const amount: Check = (value, field) => {
  const problem = amountMembers(value, field)
  if (problem !== null) return problem
  const issue = amountIssueOf(value as Amount)
  return issue === null ? null : refused(issue, `${field}/value`)
}
