/** The event types that a reader of the stream requests. */
import { refuseMember } from '../../../kernel/errors.ts'

/** Expands a list such as `customer.*,payment.failed` to existing types. Returns null for all types. */
export function requireTypes(
  text: string | undefined,
  existing: readonly string[],
): readonly string[] | null {
  if (text === undefined) return null
  const entries = text.split(',').map((entry) => entry.trim())
  const types = entries.flatMap((entry) => matchingTypes(entry, existing))
  return entries.includes('*') ? null : [...new Set(types)].toSorted()
}

function matchingTypes(entry: string, existing: readonly string[]): readonly string[] {
  const matches = existing.filter(
    (type) => entry === '*' || entry === type || entry === `${type.split('.')[0]}.*`,
  )
  if (matches.length > 0) return matches
  return refuseMember(
    '/types',
    'not_in_list',
    'must be a comma-separated list of event types such as customer.created, customer.* or *',
  )
}
