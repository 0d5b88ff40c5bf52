/** The configuration of an account, which can be changed at any time with /control. No side effects. */
import { createHash } from 'node:crypto'
import { type DialectName, dialectNames } from './dialects/dialect.ts'
import type { ResponseMode } from './faults.ts'
import { isObject } from './protocol.ts'

export type Config = {
  /** The wire format: the `custom` protocol, or the format of a real provider. */
  readonly dialect: 'custom' | DialectName
  /** The credentials of a dialect, with the names that the provider uses. */
  readonly credentials: { readonly [name: string]: string }
  /** `psec_…` secrets, newest first. Without any, all calls are rejected. */
  readonly secrets: readonly string[]
  readonly webhook_url: string | null
  readonly webhooks: 'on' | 'off' | 'twice' | 'reordered'
  /**
   * The fraction of authorizations to approve among those that the card would approve. The choice depends on the
   * reference, so it is repeatable.
   */
  readonly auth_rate: number
  readonly latency_ms: number | { readonly p50: number; readonly p99: number }
  readonly outage: boolean | { readonly from_at: string; readonly until_at: string }
  readonly outage_manner: ResponseMode & ('plain' | 'silence' | 'reset' | 'hang_up')
  /** If false, there is no idempotency: a repeated request charges again. */
  readonly replay: boolean
  readonly lookup: boolean
  readonly lookup_lag_ms: number
  readonly close: boolean
  /** Whether the 3-D Secure page waits for input, or responds automatically as the card specifies. */
  readonly challenge: 'page' | 'auto'
}

export const defaultConfig: Config = {
  dialect: 'custom',
  credentials: {},
  secrets: [],
  webhook_url: null,
  webhooks: 'on',
  auth_rate: 1,
  latency_ms: 0,
  outage: false,
  outage_manner: 'plain',
  replay: true,
  lookup: true,
  lookup_lag_ms: 0,
  close: true,
  challenge: 'page',
}

type Check = (value: unknown) => boolean
const isBoolean: Check = (value) => typeof value === 'boolean'
const isNonNegative: Check = (value) => typeof value === 'number' && value >= 0 && Number.isFinite(value)
const isTime: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isOneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value)
const isSecret: Check = (value) => typeof value === 'string' && value.startsWith('psec_')

const checks: { readonly [Name in keyof Config]: Check } = {
  dialect: isOneOf('custom', ...dialectNames),
  credentials: (value) => isObject(value) && Object.values(value).every((text) => typeof text === 'string'),
  secrets: (value) => Array.isArray(value) && value.length <= 2 && value.every(isSecret),
  webhook_url: (value) => value === null || (typeof value === 'string' && URL.canParse(value)),
  webhooks: isOneOf('on', 'off', 'twice', 'reordered'),
  auth_rate: (value) => isNonNegative(value) && (value as number) <= 1,
  latency_ms: (value) =>
    isNonNegative(value) || (isObject(value) && isNonNegative(value.p50) && isNonNegative(value.p99)),
  outage: (value) => isBoolean(value) || (isObject(value) && isTime(value.from_at) && isTime(value.until_at)),
  outage_manner: isOneOf('plain', 'silence', 'reset', 'hang_up'),
  replay: isBoolean,
  lookup: isBoolean,
  lookup_lag_ms: isNonNegative,
  close: isBoolean,
  challenge: isOneOf('page', 'auto'),
}

/** The names of unknown or invalid members. */
export function invalidMembers(changes: { readonly [name: string]: unknown }): string[] {
  return Object.entries(changes).flatMap(([name, value]) =>
    Object.hasOwn(checks, name) && checks[name as keyof Config](value) ? [] : [name],
  )
}

export function isInOutage({ outage }: Config, now: number): boolean {
  if (typeof outage === 'boolean') return outage
  return now >= Date.parse(outage.from_at) && now < Date.parse(outage.until_at)
}

/** The latency depends on the reference, so a repeated request has the same latency. */
export function latencyOf({ latency_ms: latency }: Config, reference: string): number {
  if (typeof latency === 'number') return latency
  if (latency.p50 === 0) return 0
  // Log-normal: the 99th percentile is 2.326 standard deviations above the median.
  const spread = Math.log(latency.p99 / latency.p50) / 2.326
  const radius = Math.sqrt(-2 * Math.log(1 - fractionOf(`${reference}|latency radius`)))
  const normal = radius * Math.cos(2 * Math.PI * fractionOf(`${reference}|latency angle`))
  return latency.p50 * Math.exp(spread * normal)
}

export function isDeclinedAtRandom({ auth_rate }: Config, reference: string): boolean {
  return auth_rate < 1 && fractionOf(`${reference}|luck`) >= auth_rate
}

/** A uniformly distributed hash of the text, from 0 to less than 1. */
function fractionOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48
}
