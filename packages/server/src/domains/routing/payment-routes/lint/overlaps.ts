/**
 * Checks for overlapping rules. Two rules overlap if some payments match both, each also matches payments that
 * the other does not, and their actions differ. A general rule after a specific one is normal, and is not
 * reported.
 */

import type { Finding } from '../payment-route.ts'
import { describePayment, type LintContext } from './lint-context.ts'
import type { Goal } from './search.ts'

/** The maximum number of findings. */
const maxFindings = 20

export function overlapFindings(context: LintContext): Finding[] {
  const { definition, isReachable } = context
  const findings: Finding[] = []
  const actions = definition.rules.map(({ then }) => JSON.stringify(then))
  for (const later of definition.rules.keys()) {
    if (findings.length >= maxFindings || context.space.isExhausted) break
    if (!isReachable[later]) continue
    const overlaps = definition.rules.slice(0, later).flatMap((earlier, index) => {
      if (actions[index] === actions[later]) return []
      const example = exampleOfOverlap(context, index, later)
      return example === null ? [] : [{ name: earlier.name, example }]
    })
    const [first] = overlaps
    if (first !== undefined) findings.push(overlapFinding(later, first, overlaps.length - 1))
  }
  return findings
}

/** A payment that both rules match, if each rule also matches payments that the other does not. */
function exampleOfOverlap({ space, reach }: LintContext, earlier: number, later: number): string | null {
  // The first goal of a rule is that its condition matches, and the second that such a payment is possible.
  const [earlierGoal, possibleGoal] = reach[earlier] as readonly [Goal, Goal]
  const [laterGoal] = reach[later] as readonly [Goal, Goal]
  const both = space.find([possibleGoal, earlierGoal, laterGoal])
  if (both.status !== 'found') return null
  const isEarlierContained =
    space.find([possibleGoal, earlierGoal, { ...laterGoal, expected: false }]).status !== 'found'
  const isLaterContained =
    space.find([possibleGoal, laterGoal, { ...earlierGoal, expected: false }]).status !== 'found'
  return isEarlierContained || isLaterContained ? null : describePayment(both.example)
}

function overlapFinding(index: number, first: { name: string; example: string }, others: number): Finding {
  const more = others === 0 ? '' : ` and ${others} more`
  return {
    severity: 'warning',
    code: 'overlapping_rules',
    pointer: `/rules/${index}`,
    detail: `Overlaps with "${first.name}"${more}, evaluated earlier. Example: ${first.example}.`,
  }
}
