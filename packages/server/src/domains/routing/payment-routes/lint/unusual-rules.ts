/** Checks for rules that are valid but rarely intended. */

import { accountOfCostField } from '../engine/estimated-cost.ts'
import { type Action, accountsOf, type Condition, type Finding } from '../payment-route.ts'
import { actionsWithPointers } from './accounts.ts'
import type { LintContext } from './lint-context.ts'

export function unusualRuleFindings({ definition, isReachable }: LintContext): Finding[] {
  const { rules, limits, failover } = definition
  // With a single currency an amount is unambiguous.
  const unqualified =
    limits?.currencies.length === 1
      ? []
      : rules.flatMap(({ when }, index) => unqualifiedAmounts(when, `/rules/${index}/when`))
  const actions = actionsWithPointers(definition)
  const isReachedAction = (_: unknown, index: number) => isReachable[index] === true
  const single = actions.filter(isReachedAction).flatMap(({ action, pointer }) => {
    return accountsOf(action).length === 1 ? [singleTarget(pointer)] : []
  })
  return [
    ...unqualified,
    ...single,
    ...noFallback(definition.default, isReachable.at(-1) === true, failover, actions),
  ]
}

/** Conditions on amounts without a currency: 1000 is ten euros, a thousand yen, or one dinar. */
function unqualifiedAmounts(condition: Condition, pointer: string): Finding[] {
  if ('all' in condition) {
    if (condition.all.some(namesCurrency)) return []
    return condition.all.flatMap((part, index) => unqualifiedAmounts(part, `${pointer}/all/${index}`))
  }
  if ('any' in condition)
    return condition.any.flatMap((part, index) => unqualifiedAmounts(part, `${pointer}/any/${index}`))
  if ('not' in condition) return unqualifiedAmounts(condition.not, `${pointer}/not`)
  const isAmount = condition.field === 'amount' || accountOfCostField(condition.field) !== null
  if (!isAmount || condition.op === 'exists' || condition.value === 0) return []
  const detail =
    'The amount applies to payments in any currency: 1000 is 10.00 euros, but 1000 yen. Add a condition on the currency.'
  return [{ severity: 'warning', code: 'amount_without_currency', pointer, detail }]
}

function namesCurrency(condition: Condition): boolean {
  return 'field' in condition && condition.field === 'currency' && ['eq', 'in'].includes(condition.op)
}

function singleTarget(pointer: string): Finding {
  const detail = 'There is only one account: if it fails, there is no failover.'
  return { severity: 'warning', code: 'single_target', pointer, detail }
}

function noFallback(
  defaultAction: Action,
  isReachable: boolean,
  failover: { readonly max_attempts: number; readonly on: readonly string[] },
  actions: readonly { readonly action: Action }[],
): Finding[] {
  const declines = isReachable && defaultAction.type === 'decline'
  const hasOthers = actions.some(({ action }) => accountsOf(action).length > 1)
  const triesOnlyOne = hasOthers && (failover.max_attempts === 1 || failover.on.length === 0)
  const finding = (pointer: string, detail: string): Finding => {
    return { severity: 'warning', code: 'no_fallback', pointer, detail }
  }
  return [
    ...(declines ? [finding('/default', 'A payment that no rule matches is declined.')] : []),
    ...(triesOnlyOne ? [finding('/failover', 'Only one account is tried, although there are others.')] : []),
  ]
}
