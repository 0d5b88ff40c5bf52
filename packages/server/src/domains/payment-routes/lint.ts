/**
 * What is wrong with a route before a payment finds out. Errors keep it from being published; warnings do not.
 * Each finding says where and why, with a payment as the example where there is one.
 */
import type { Candidate } from './capable.ts'
import { exampleFindings } from './examples.ts'
import { accountFindings, capabilityFindings } from './lint-accounts.ts'
import { adaptiveFindings } from './lint-adaptive.ts'
import { formFindings } from './lint-forms.ts'
import { overlapFindings } from './lint-overlaps.ts'
import type { LintAccount, Looked, Surroundings } from './looked.ts'
import { accountsOf, type Condition, type Definition, type Finding } from './payment-route.ts'
import { type Goal, Universe } from './search.ts'
import { possible, promisedBy, takenBy } from './terms.ts'

/** Looks at conditions, of all searches for one route together: some tens of milliseconds. */
const effort = 2_000_000

export function lint(definition: Definition, surroundings: Surroundings): readonly Finding[] {
  const looked = look(definition, surroundings)
  const findings = [
    ...looked.conditions,
    ...accountFindings(definition, surroundings),
    ...capabilityFindings(looked, surroundings),
    ...exampleFindings(definition, surroundings.accounts.map(asCandidate), surroundings.now),
    ...formFindings(looked),
    ...overlapFindings(looked),
    ...adaptiveFindings(definition, surroundings),
    ...(looked.universe.isExhausted ? [notFullyChecked] : []),
  ]
  return findings.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'))
}

export function errorsAmong(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ severity }) => severity === 'error')
}

const notFullyChecked: Finding = {
  severity: 'warning',
  code: 'not_fully_checked',
  pointer: '',
  detail: 'The rules combine in more ways than were looked at: what is not found here may still be wrong.',
}

function asCandidate({ id, cardData, capabilities }: LintAccount): Candidate {
  // A hold passes; what a route says should not depend on it.
  return { id, cardData, capabilities, isHeld: false }
}

function look(definition: Definition, { accounts }: Surroundings): Looked & { conditions: Finding[] } {
  const { rules, limits } = definition
  const used = new Set([...rules.map(({ then }) => then), definition.default].flatMap(accountsOf))
  const terms = accounts.filter(({ id }) => used.has(id)).map(takenBy)
  const promised = limits === null ? [] : [promisedBy(limits)]
  const all = [possible, ...rules.map(({ when }) => when), ...terms, ...promised]
  const universe = new Universe(all, effort)
  const real: Goal = { formula: universe.formulaOf(possible), wanted: true }
  const reach: Goal[][] = []
  const isReached: boolean[] = []
  const conditions: Finding[] = []
  let before: readonly Goal[] = []
  for (const [at, rule] of rules.entries()) {
    const matches: Goal = { formula: universe.formulaOf(rule.when), wanted: true }
    const goals = [matches, real, ...before]
    const pointer = `/rules/${at}/when`
    const impossible = impossibleIn(universe, real, rule.when, pointer)
    const isImpossible = impossible.some((finding) => finding.pointer === pointer)
    const isCovered = !isImpossible && universe.find(goals).is === 'no'
    conditions.push(...impossible)
    if (isCovered) conditions.push(unreachable(at, coveringRule(universe, [matches, real], before)))
    reach.push(goals)
    isReached.push(!isCovered && !isImpossible)
    before = [...before, { ...matches, wanted: false }]
  }
  reach.push([real, ...before])
  isReached.push(universe.find([real, ...before]).is !== 'no')
  return { definition, universe, reach, isReached, conditions }
}

/** The outermost conditions that no payment can meet: the whole, or an alternative that never holds. */
function impossibleIn(universe: Universe, real: Goal, condition: Condition, pointer: string): Finding[] {
  const goal = { formula: universe.formulaOf(condition), wanted: true }
  if (universe.find([goal, real]).is === 'no') {
    const detail = 'No payment can meet this condition.'
    return [{ severity: 'error', code: 'impossible_condition', pointer, detail }]
  }
  if ('any' in condition) {
    return condition.any.flatMap((part, at) => impossibleIn(universe, real, part, `${pointer}/any/${at}`))
  }
  if (!('all' in condition)) return []
  return condition.all.flatMap((part, at) => {
    return 'any' in part ? impossibleIn(universe, real, part, `${pointer}/all/${at}`) : []
  })
}

/** The one rule that takes all of it, if one does. */
function coveringRule(universe: Universe, goals: readonly Goal[], before: readonly Goal[]): number | null {
  const at = before.findIndex((earlier) => universe.find([...goals, earlier]).is === 'no')
  return at === -1 ? null : at
}

function unreachable(at: number, by: number | null): Finding {
  const who = by === null ? 'the rules before it together' : `rule ${by + 1}`
  const detail = `No payment gets here: ${who} take${by === null ? '' : 's'} all that it matches.`
  return { severity: 'error', code: 'unreachable_rule', pointer: `/rules/${at}`, detail }
}
