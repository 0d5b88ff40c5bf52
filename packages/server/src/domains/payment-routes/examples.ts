/** Examples are the tests of a route: payments that somebody described, and where they have to go. */
import type { Candidate } from './capable.ts'
import { type Decision, decide } from './choose.ts'
import { type CompiledRoute, compileRoute } from './compile.ts'
import { completed } from './operands.ts'
import type { Definition, Example, Finding } from './payment-route.ts'

/** One per example that does not end where it should. */
export function exampleFindings(
  definition: Definition,
  candidates: readonly Candidate[],
  now: Date,
): Finding[] {
  const route = compileRoute({ id: null, revision: null }, definition)
  return definition.examples.flatMap((example, at): Finding[] => {
    const fault = faultOf(route, definition, example, candidates, now)
    if (fault === null) return []
    const detail = `The example "${example.name}" ${fault}`
    return [{ severity: 'error', code: 'example_failed', pointer: `/examples/${at}`, detail }]
  })
}

function faultOf(
  route: CompiledRoute,
  definition: Definition,
  { name, payment, expect }: Example,
  candidates: readonly Candidate[],
  now: Date,
): string | null {
  const decision = decide(
    route,
    {
      operands: completed(payment, now),
      keys: { payment: name, customer: null, card: null },
      instrument: { hasNumber: true, onlyAt: null },
      tried: [],
      open: new Set(),
    },
    candidates,
  )
  if ('decline' in expect) {
    return decision.declined ? null : `should be declined, and goes to ${decision.chosen ?? 'no account'}.`
  }
  const wanted = expect.provider_account_id
  if (mayGo(definition, decision, wanted)) return null
  const where = decision.declined ? 'is declined' : `goes to ${decision.chosen ?? 'no account'}`
  return `should go to ${wanted}, and ${where}: ${decision.trace.cause}.`
}

/** Who is drawn is a matter of the payment's id, which an example does not have: each that can be drawn is right. */
function mayGo(
  { rules, default: otherwise }: Definition,
  { chosen, trace }: Decision,
  wanted: string,
): boolean {
  const met = trace.rules.find(({ matched }) => matched)
  const action = met === undefined ? otherwise : rules[met.rule]?.then
  if (action?.type !== 'split') return chosen === wanted
  const isDrawn = action.targets.some((one) => one.provider_account_id === wanted && one.weight > 0)
  return isDrawn && trace.order.includes(wanted)
}
