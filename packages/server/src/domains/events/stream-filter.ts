/** Which types a reader asks for. */
import { refuseMember } from '../../kernel/errors.ts'

/** From `customer.*,payment.failed` to types that there are; null: all of them. */
export function requireTypes(text: string | undefined, known: readonly string[]): readonly string[] | null {
  if (text === undefined) return null
  const wanted = text.split(',').map((entry) => entry.trim())
  const types = wanted.flatMap((entry) => matching(entry, known))
  return wanted.includes('*') ? null : [...new Set(types)].toSorted()
}

function matching(wanted: string, known: readonly string[]): readonly string[] {
  const found = known.filter(
    (type) => wanted === '*' || wanted === type || wanted === `${type.split('.')[0]}.*`,
  )
  if (found.length > 0) return found
  return refuseMember(
    '/types',
    'not_in_list',
    'must be types of events, such as customer.created, or customer.*, or *, separated by commas',
  )
}
