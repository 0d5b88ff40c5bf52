/**
 * Reads the form parameters of a request. Parameters that are not listed are refused, as the Stripe API does, so that a
 * connector cannot send one that has no effect. No side effects.
 */
import type { IncomingCall } from '../../incoming.ts'
import { invalidRequest } from './errors.ts'

/** Why the value is invalid, or null. */
type Rule = (value: string, path: string) => string | null

/** By path. `[]` stands for any index of a list, `[*]` for any key of a map. */
export type Rules = { readonly [path: string]: Rule }

/** The values by path, such as `payment_method_options[card][request_three_d_secure]`. */
export type Values = { readonly [path: string]: string }

export const text =
  (maxLength = 5_000): Rule =>
  (value, path) =>
    value.length <= maxLength ? null : `Invalid ${path}: must be at most ${maxLength} characters`
export const integer: Rule = (value) => (/^-?\d{1,15}$/.test(value) ? null : `Invalid integer: ${value}`)
export const boolean: Rule = (value) => (/^(true|false)$/.test(value) ? null : `Invalid boolean: ${value}`)
export const oneOf =
  (...values: string[]): Rule =>
  (value, path) =>
    values.includes(value) ? null : `Invalid ${path}: must be one of ${values.join(', ')}`
export const url: Rule = (value) => (URL.canParse(value) ? null : 'Not a valid URL')
export const currency: Rule = (value) => (/^[a-zA-Z]{3}$/.test(value) ? null : `Invalid currency: ${value}`)

export const expand: Rules = { 'expand[]': text() }
export const metadata: Rules = {
  'metadata[*]': (value, path) =>
    value.length <= 500 && path.length <= 'metadata[]'.length + 40
      ? null
      : 'Metadata keys have at most 40 characters, and values at most 500',
}

export function readParameters(call: IncomingCall, rules: Rules): Values {
  const pairs = call.method === 'POST' ? [...formOf(call)] : [...call.query]
  for (const [path, value] of pairs) requireValid(path, value, rules[path] ?? rules[generalized(path)])
  return Object.fromEntries(pairs)
}

function requireValid(param: string, value: string, rule: Rule | undefined): void {
  const fail = (message: string, code?: string) =>
    invalidRequest(message, { param, ...(code === undefined ? {} : { code }) })
  if (rule === undefined) throw fail(`Received unknown parameter: ${param}`, 'parameter_unknown')
  // An empty value unsets a key of the metadata.
  if (value === '' && !param.startsWith('metadata['))
    throw fail(`You passed an empty string for '${param}'.`, 'parameter_invalid_empty')
  const problem = rule(value, param)
  if (problem !== null) throw fail(problem, rule === integer ? 'parameter_invalid_integer' : undefined)
}

function formOf({ bytes, headers }: IncomingCall): URLSearchParams {
  const type = headers['content-type'] ?? ''
  if (bytes.length > 0 && !type.startsWith('application/x-www-form-urlencoded'))
    throw invalidRequest(
      'Invalid request (check that your POST content type is application/x-www-form-urlencoded).',
    )
  return new URLSearchParams(bytes.toString())
}

function generalized(path: string): string {
  return path.replace(/\[\d*\]$/, '[]').replace(/^metadata\[[^[\]]+\]$/, 'metadata[*]')
}

export function requireParameter(values: Values, ...paths: readonly string[]): void {
  for (const param of paths)
    if (values[param] === undefined)
      throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
}

/** The entries of a map, such as `metadata`. */
export function mapOf(values: Values, name: string): { [key: string]: string } {
  const entries = Object.entries(values).flatMap(([path, value]) => {
    const [, key] = new RegExp(`^${name}\\[([^[\\]]+)\\]$`).exec(path) ?? []
    return key === undefined ? [] : [[key, value] as const]
  })
  return Object.fromEntries(entries)
}

export function listOf(values: Values, name: string): string[] {
  return Object.entries(values).flatMap(([path, value]) => (path.startsWith(`${name}[`) ? [value] : []))
}

/** The same text for the same parameters in any order. */
export function canonicalText(values: Values): string {
  return JSON.stringify(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
