/** Reasons for disputes by the codes of card networks. */
import type { DisputeReason } from './contract.ts'

// biome-ignore format: a table.
const reasonsByCode: ReadonlyMap<string, DisputeReason> = new Map<string, DisputeReason>([
  // Visa
  ['12.6',   'duplicate'],
  ['12.6.1', 'duplicate'],
  ['13.1',   'not_received'],
  ['13.2',   'subscription_cancelled'],
  ['13.3',   'not_as_described'],
  ['13.6',   'credit_not_processed'],
  // Mastercard
  ['4808',   'authorization'],
  ['4834',   'processing_error'],
  ['4837',   'fraudulent'],
  ['4841',   'subscription_cancelled'],
  ['4860',   'credit_not_processed'],
])

/** The first part of a Visa code is its category. */
const visaCategories: ReadonlyMap<string, DisputeReason> = new Map<string, DisputeReason>([
  ['10', 'fraudulent'],
  ['11', 'authorization'],
  ['12', 'processing_error'],
])

export function reasonOfNetworkCode(code: string): DisputeReason {
  const [category = '', ...rest] = code.split('.')
  const byCategory = rest.length === 0 ? undefined : visaCategories.get(category)
  return reasonsByCode.get(code) ?? byCategory ?? 'other'
}
