/**
 * Rules that cross: each matches payments that the other does not, and some that both do, with another action. A
 * general rule behind a special one is how routes are written, and is not told of.
 */

import { type Looked, wordsOf } from './looked.ts'
import type { Finding } from './payment-route.ts'
import type { Goal } from './search.ts'

/** More would be read by nobody. */
const mostFindings = 20

export function overlapFindings(looked: Looked): Finding[] {
  const { definition, isReached } = looked
  const findings: Finding[] = []
  for (const [later, rule] of definition.rules.entries()) {
    if (findings.length >= mostFindings || looked.universe.isExhausted) break
    if (!isReached[later]) continue
    const crossed = definition.rules.slice(0, later).flatMap((earlier, at) => {
      if (JSON.stringify(earlier.then) === JSON.stringify(rule.then)) return []
      const example = crossing(looked, at, later)
      return example === null ? [] : [{ name: earlier.name, example }]
    })
    const [first] = crossed
    if (first !== undefined) findings.push(overlapping(later, first, crossed.length - 1))
  }
  return findings
}

/** A payment that both match, if neither matches all that the other does. */
function crossing({ universe, reach }: Looked, earlier: number, later: number): string | null {
  // The first goal of a rule is that it matches, the second that there can be such a payment.
  const [one, real] = reach[earlier] as readonly [Goal, Goal]
  const [other] = reach[later] as readonly [Goal, Goal]
  const both = universe.find([real, one, other])
  if (both.is !== 'yes') return null
  const isSpecial = universe.find([real, one, { ...other, wanted: false }]).is !== 'yes'
  const isCovered = universe.find([real, other, { ...one, wanted: false }]).is !== 'yes'
  return isSpecial || isCovered ? null : wordsOf(both.example)
}

function overlapping(at: number, first: { name: string; example: string }, others: number): Finding {
  const more = others === 0 ? '' : ` and ${others} more`
  return {
    severity: 'warning',
    code: 'overlapping_rules',
    pointer: `/rules/${at}`,
    detail: `Overlaps with "${first.name}"${more}, which comes first: ${first.example}.`,
  }
}
