/**
 * Finds problems in a route before it is used. Errors block publishing; warnings do not. Each finding has a
 * location, a reason, and an example payment where there is one.
 */
import type { Candidate } from '../engine/eligibility.ts'
import { accountsOf, type Condition, type Definition, type Finding, type Rule } from '../payment-route.ts'
import { possiblePayment, supportedBy, withinLimits } from './account-conditions.ts'
import { accountFindings, capabilityFindings } from './accounts.ts'
import { adaptiveFindings } from './adaptive.ts'
import { expandCosts, usesCosts } from './cost-conditions.ts'
import { exampleFindings } from './examples.ts'
import type { LintAccount, LintContext, LintEnvironment } from './lint-context.ts'
import { costFindings, operandFindings, unknownCardFindings } from './operands.ts'
import { overlapFindings } from './overlaps.ts'
import { type Goal, SearchSpace } from './search.ts'
import { unusualRuleFindings } from './unusual-rules.ts'

/** The limit on condition evaluations for all searches of one route. They take a few tenths of a second. */
const maxEvaluations = 2_000_000

export function lint(definition: Definition, environment: LintEnvironment): readonly Finding[] {
  const context = lintContextOf(definition, environment)
  const findings = [
    ...context.conditionFindings,
    ...accountFindings(definition, environment),
    ...capabilityFindings(context, environment),
    ...exampleFindings(definition, environment.accounts.map(asCandidate), environment.now),
    ...unusualRuleFindings(context),
    ...overlapFindings(context),
    ...adaptiveFindings(definition, environment),
    ...operandFindings(definition, environment),
    ...unknownCardFindings(definition, environment),
    ...costFindings(definition, environment),
    ...(context.space.isExhausted ? [notFullyChecked] : []),
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
  detail: 'The rules have too many combinations to check them all, so some errors may not be reported.',
}

function asCandidate({ id, cardData, capabilities, costs }: LintAccount): Candidate {
  // A hold is temporary; findings should not depend on it.
  return { id, cardData, capabilities, costs, isOnHold: false }
}

function lintContextOf(
  definition: Definition,
  { accounts }: LintEnvironment,
): LintContext & { conditionFindings: Finding[] } {
  const { rules, limits } = definition
  const usedIds = new Set([...rules.map(({ then }) => then), definition.default].flatMap(accountsOf))
  const accountConditions = accounts
    .filter(({ id }) => usedIds.has(id))
    .map((account) => [account.id, supportedBy(account)] as const)
  const limitsCondition = limits === null ? null : withinLimits(limits)
  const conditions = [
    ...rules.map(({ when }) => when),
    ...accountConditions.map(([, condition]) => condition),
  ]
  const allConditions = [
    possiblePayment,
    ...conditions,
    ...(limitsCondition === null ? [] : [limitsCondition]),
  ]
  const space = new SearchSpace(allConditions, maxEvaluations, expandCosts(accounts))
  const possibleGoal: Goal = { formula: space.formulaOf(possiblePayment), expected: true }
  const reach: Goal[][] = []
  const isReachable: boolean[] = []
  const findings: Finding[] = []
  let precedingGoals: readonly Goal[] = []
  for (const [index, rule] of rules.entries()) {
    const matches: Goal = { formula: space.formulaOf(rule.when), expected: true }
    const goals = [matches, possibleGoal, ...precedingGoals]
    const pointer = `/rules/${index}/when`
    const impossible = impossibleIn(space, possibleGoal, rule.when, pointer)
    const isImpossible = impossible.some((finding) => finding.pointer === pointer)
    const isCovered = !isImpossible && space.find(goals).status === 'impossible'
    findings.push(...impossible.map((finding) => ({ ...finding, severity: severityFor([rule]) })))
    if (isCovered) {
      const covering = coveringRule(space, [matches, possibleGoal], precedingGoals)
      findings.push(unreachable(rules, index, covering))
    }
    reach.push(goals)
    isReachable.push(!isCovered && !isImpossible)
    precedingGoals = [...precedingGoals, { ...matches, expected: false }]
  }
  reach.push([possibleGoal, ...precedingGoals])
  isReachable.push(space.find([possibleGoal, ...precedingGoals]).status !== 'impossible')
  return {
    definition,
    space,
    supported: new Map(accountConditions.map(([id, condition]) => [id, space.formulaOf(condition)])),
    withinLimits: limitsCondition === null ? null : space.formulaOf(limitsCondition),
    reach,
    isReachable,
    conditionFindings: findings,
  }
}

/** The outermost conditions that no payment can meet: the whole condition, or an alternative in it. */
function impossibleIn(
  space: SearchSpace,
  possibleGoal: Goal,
  condition: Condition,
  pointer: string,
): Finding[] {
  const goal = { formula: space.formulaOf(condition), expected: true }
  if (space.find([goal, possibleGoal]).status === 'impossible') {
    const detail = 'No payment can match this condition.'
    return [{ severity: 'error', code: 'impossible_condition', pointer, detail }]
  }
  if ('any' in condition) {
    return condition.any.flatMap((part, index) =>
      impossibleIn(space, possibleGoal, part, `${pointer}/any/${index}`),
    )
  }
  if (!('all' in condition)) return []
  return condition.all.flatMap((part, index) => {
    return 'any' in part ? impossibleIn(space, possibleGoal, part, `${pointer}/all/${index}`) : []
  })
}

/** The index of a single preceding rule that matches all payments of the rule; null if there is none. */
function coveringRule(
  space: SearchSpace,
  goals: readonly Goal[],
  precedingGoals: readonly Goal[],
): number | null {
  const index = precedingGoals.findIndex((earlier) => space.find([...goals, earlier]).status === 'impossible')
  return index === -1 ? null : index
}

/** Costs can change after publishing, so findings that follow from them do not prevent it. */
function severityFor(rules: readonly Rule[]): Finding['severity'] {
  return rules.some(usesCosts) ? 'warning' : 'error'
}

function unreachable(rules: readonly Rule[], index: number, coveringIndex: number | null): Finding {
  const earlier =
    coveringIndex === null ? rules.slice(0, index) : rules.slice(coveringIndex, coveringIndex + 1)
  const severity = severityFor([...earlier, ...rules.slice(index, index + 1)])
  const covering = coveringIndex === null ? 'the preceding rules together' : `rule ${coveringIndex + 1}`
  const verb = coveringIndex === null ? 'match' : 'matches'
  const detail = `No payment reaches this rule: ${covering} ${verb} all of its payments first.`
  return { severity, code: 'unreachable_rule', pointer: `/rules/${index}`, detail }
}
