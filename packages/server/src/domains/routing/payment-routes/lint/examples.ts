/** Runs the examples of a route, which are its tests: described payments with the expected account. */

import { type Decision, decide } from '../engine/choose.ts'
import { type CompiledRoute, compileRoute } from '../engine/compile.ts'
import type { Candidate } from '../engine/eligibility.ts'
import { withDefaultOperands } from '../engine/operands.ts'
import type { Definition, Example, Finding } from '../payment-route.ts'

/** One finding for each example whose result differs from the expected one. */
export function exampleFindings(
  definition: Definition,
  candidates: readonly Candidate[],
  now: Date,
): Finding[] {
  const route = compileRoute({ id: null, revision: null }, definition)
  return definition.examples.flatMap((example, index): Finding[] => {
    const error = exampleError(route, definition, example, candidates, now)
    if (error === null) return []
    const detail = `The example "${example.name}" ${error}`
    return [{ severity: 'error', code: 'example_failed', pointer: `/examples/${index}`, detail }]
  })
}

function exampleError(
  route: CompiledRoute,
  definition: Definition,
  { name, payment, expect }: Example,
  candidates: readonly Candidate[],
  now: Date,
): string | null {
  const decision = decide(
    route,
    {
      operands: withDefaultOperands(payment, now),
      keys: { payment: name, customer: null, card: null },
      instrument: { hasCardNumber: true, tokensAt: new Set<string>() },
      tried: [],
      openCircuits: new Set(),
    },
    candidates,
  )
  if ('decline' in expect) {
    return decision.declined ? null : `should be declined, but goes to ${decision.chosen ?? 'no account'}.`
  }
  const expectedId = expect.provider_account_id
  if (canGoTo(definition, decision, expectedId)) return null
  const actual = decision.declined ? 'is declined' : `goes to ${decision.chosen ?? 'no account'}`
  return `should go to ${expectedId}, but ${actual}: ${decision.trace.cause}.`
}

/**
 * A draw depends on the payment id, which an example does not have: each account that can be drawn is
 * accepted.
 */
function canGoTo(
  { rules, default: defaultAction }: Definition,
  { chosen, trace }: Decision,
  expectedId: string,
): boolean {
  const matchedRule = trace.rules.find(({ matched }) => matched)
  const action = matchedRule === undefined ? defaultAction : rules[matchedRule.rule]?.then
  if (action?.type !== 'split') return chosen === expectedId
  const canBeDrawn = action.targets.some(
    (share) => share.provider_account_id === expectedId && share.weight > 0,
  )
  return canBeDrawn && trace.order.includes(expectedId)
}
