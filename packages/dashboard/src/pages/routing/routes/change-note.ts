/** What differs between a rule and the published one of the same name, in few words. Pure. */
import type { NameOf } from '../../accounts.ts'
import { actionText } from './condition-words.ts'
import { type Definition, isSame, type Rule } from './definition.ts'

export function changeNote(rule: Rule, published: Definition | null, nameOf: NameOf): string | null {
  if (published === null) return null
  const before = published.rules.find(({ name }) => name === rule.name)
  if (before === undefined) return 'new'
  if (!isSame(before.then, rule.then)) return `changed: was ${actionText(before.then, nameOf)}`
  return isSame(before.when, rule.when) ? null : 'changed: other conditions'
}
