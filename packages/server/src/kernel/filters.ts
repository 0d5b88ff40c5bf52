/** List filters. Each filter has its own index, so that every page costs the same. */
import { refuseMember } from './errors.ts'
import { type Kind, kinds, type Mode, uuidFromText } from './id.ts'

/** Allows at most one filter, because no index covers a combination. */
export function requireOneFilter(filters: { readonly [member: string]: unknown }): void {
  const [first, second] = Object.keys(filters).filter((member) => filters[member] !== undefined)
  if (first !== undefined && second !== undefined)
    refuseMember(`/${second}`, 'not_together', `cannot be combined with ${first}`)
}

/** The UUID of the object in the `<kind>_id` filter; null if the filter is absent. */
export function uuidInFilter(kind: Kind, mode: Mode, text: string | undefined): string | null {
  if (text === undefined) return null
  const detail = `must be the id of ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind.replaceAll('_', ' ')}`
  return uuidFromText(kind, mode, text) ?? refuseMember(`/${kind}_id`, 'bad_format', detail)
}

/** The UUID in the `object_id` filter, which accepts ids of any kind; null if the filter is absent. */
export function uuidOfAny(mode: Mode, text: string | undefined): string | null {
  if (text === undefined) return null
  for (const kind of kinds) {
    const uuid = uuidFromText(kind, mode, text)
    if (uuid !== null) return uuid
  }
  return refuseMember('/object_id', 'bad_format', 'must be the id of an object')
}
