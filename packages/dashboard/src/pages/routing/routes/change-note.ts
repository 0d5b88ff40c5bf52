/** A short note on how a rule differs from the published rule of the same name. No side effects. */
import type { NameOf } from '../../accounts.ts'
import { actionText } from './condition-text.ts'
import { type Definition, isSame, type Rule } from './definition.ts'

export function changeNote(rule: Rule, published: Definition | null, nameOf: NameOf): string | null {
  if (published === null) return null
  const publishedRule = published.rules.find(({ name }) => name === rule.name)
  if (publishedRule === undefined) return 'new'
  if (!isSame(publishedRule.then, rule.then)) return `changed: was ${actionText(publishedRule.then, nameOf)}`
  return isSame(publishedRule.when, rule.when) ? null : 'changed: conditions'
}
