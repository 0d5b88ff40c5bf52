/** What is legal, and still seldom meant. */

import { placedActions } from './lint-accounts.ts'
import type { Looked } from './looked.ts'
import { type Action, accountsOf, type Condition, type Finding } from './payment-route.ts'

export function formFindings({ definition, isReached }: Looked): Finding[] {
  const { rules, limits, failover } = definition
  // With one currency an amount needs no other to be understood.
  const loose =
    limits?.currencies.length === 1 ? [] : rules.flatMap(({ when }, at) => bare(when, `/rules/${at}/when`))
  const actions = placedActions(definition)
  const isReachedAction = (_: unknown, at: number) => isReached[at] === true
  const single = actions.filter(isReachedAction).flatMap(({ action, pointer }) => {
    return accountsOf(action).length === 1 ? [singleTarget(pointer)] : []
  })
  return [
    ...loose,
    ...single,
    ...noFallback(definition.default, isReached.at(-1) === true, failover, actions),
  ]
}

/** Conditions on amounts beside which no currency stands: 1000 is ten euros, a thousand yen, one dinar. */
function bare(condition: Condition, pointer: string): Finding[] {
  if ('all' in condition) {
    if (condition.all.some(namesCurrency)) return []
    return condition.all.flatMap((part, at) => bare(part, `${pointer}/all/${at}`))
  }
  if ('any' in condition) return condition.any.flatMap((part, at) => bare(part, `${pointer}/any/${at}`))
  if ('not' in condition) return bare(condition.not, `${pointer}/not`)
  if (condition.field !== 'amount' || condition.op === 'exists' || condition.value === 0) return []
  const detail = 'The amount is compared whatever the currency is; beside it should stand which one is meant.'
  return [{ severity: 'warning', code: 'amount_without_currency', pointer, detail }]
}

function namesCurrency(condition: Condition): boolean {
  return 'field' in condition && condition.field === 'currency' && ['eq', 'in'].includes(condition.op)
}

function singleTarget(pointer: string): Finding {
  const detail = 'There is one account: if it fails, there is nobody else to ask.'
  return { severity: 'warning', code: 'single_target', pointer, detail }
}

function noFallback(
  otherwise: Action,
  isReached: boolean,
  failover: { readonly max_attempts: number; readonly on: readonly string[] },
  actions: readonly { readonly action: Action }[],
): Finding[] {
  const declines = isReached && otherwise.type === 'decline'
  const hasOthers = actions.some(({ action }) => accountsOf(action).length > 1)
  const asksOne = hasOthers && (failover.max_attempts === 1 || failover.on.length === 0)
  const told = (pointer: string, detail: string): Finding => {
    return { severity: 'warning', code: 'no_fallback', pointer, detail }
  }
  return [
    ...(declines ? [told('/default', 'A payment that no rule matches is declined.')] : []),
    ...(asksOne ? [told('/failover', 'Only one account is asked, although there are others.')] : []),
  ]
}
