/** What a list is asked for. Each filter has an index of its own, so that a page costs the same wherever it lies. */
import { refuseMember } from './errors.ts'
import { type Kind, kinds, type Mode, uuidFromText } from './id.ts'

/** At most one of them: together they would read what they do not answer. */
export function requireOneFilter(filters: { readonly [member: string]: unknown }): void {
  const [first, second] = Object.keys(filters).filter((member) => filters[member] !== undefined)
  if (first !== undefined && second !== undefined)
    refuseMember(`/${second}`, 'not_together', `is not possible together with ${first}`)
}

/** The uuid of the object that the member `<kind>_id` names; null if nothing is named. */
export function uuidInFilter(kind: Kind, mode: Mode, text: string | undefined): string | null {
  if (text === undefined) return null
  const detail = `must be the id of ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind.replaceAll('_', ' ')}`
  return uuidFromText(kind, mode, text) ?? refuseMember(`/${kind}_id`, 'bad_format', detail)
}

/** The same for `object_id`, which may name an object of any kind: which one it is does not matter to a log. */
export function uuidOfAny(mode: Mode, text: string | undefined): string | null {
  if (text === undefined) return null
  for (const kind of kinds) {
    const uuid = uuidFromText(kind, mode, text)
    if (uuid !== null) return uuid
  }
  return refuseMember('/object_id', 'bad_format', 'must be the id of an object')
}
