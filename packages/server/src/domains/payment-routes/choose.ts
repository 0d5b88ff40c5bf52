/**
 * Which account is asked next. The same payment, revision and accounts give the same answer in any process; what
 * was asked, passed over and why is in the trace.
 */
import type { Id } from '../../kernel/id.ts'
import { type Adapted, type AdaptiveTrace, adapt, type Snapshot } from './adaptive.ts'
import { type Candidate, type Instrument, reasonsAgainst, wishOf } from './capable.ts'
import type { CompiledRoute, Otherwise, RuleSeen } from './compile.ts'
import { matched, type Values, valuesOf } from './conditions.ts'
import { type Draw, type DrawKeys, drawFrom } from './draw.ts'
import type { Operands, Value } from './operands.ts'

export type Question = {
  readonly operands: Operands
  readonly keys: DrawKeys
  readonly instrument: Instrument
  /** Accounts that had their attempt. */
  readonly tried: readonly string[]
  /** Accounts that fail at the moment. They are asked last, never left out. */
  readonly open: ReadonlySet<string>
  /** What is known of how accounts fare, for a route that asks for it. Without it the fixed order stands. */
  readonly snapshot?: Snapshot | null
}

export type Judged = {
  readonly provider_account_id: string
  readonly eligible: boolean
  readonly reasons: readonly string[]
}

/** Why this account: stored with the attempt. */
export type Trace = {
  readonly payment_route_id: Id<'payment_route'> | null
  readonly revision: number | null
  readonly operands: { readonly [field: string]: Value | null }
  readonly rules: readonly RuleSeen[]
  readonly draw: Draw | null
  readonly candidates: readonly Judged[]
  readonly order: readonly string[]
  /** Of a priority that follows what its accounts approve. */
  readonly adaptive?: AdaptiveTrace
  readonly cause: string
}

export type Decision = {
  /** Null if no account can take it, or none should. */
  readonly chosen: string | null
  /** A rule says that it is not to be taken. */
  readonly declined: boolean
  readonly trace: Trace
}

export function decide(route: CompiledRoute, question: Question, candidates: readonly Candidate[]): Decision {
  const values = valuesOf(route.fields, question.operands)
  const { rules, met, action } = firstMatch(route, values)
  const wanted = wantedBy(action, question.keys, candidates)
  const judged = judge(wanted.order, question, candidates)
  const fixed = ordered(judged, question.open)
  const adapted = adaptedBy(action, met, { question, fixed })
  const order = adapted === null ? fixed : [...new Set([...adapted.order, ...fixed])]
  const declined = action.type === 'decline'
  const chosen = order[0] ?? null
  const cause = causeOf(met, { declined, chosen, tried: question.tried.length, action, adapted })
  const operands = shown(route.fields, values)
  const { id, revision } = route
  const trace = { payment_route_id: id, revision, operands, rules, draw: wanted.draw }
  const adaptive = adapted === null ? {} : { adaptive: adapted.trace }
  return { chosen, declined, trace: { ...trace, candidates: judged, order, ...adaptive, cause } }
}

type Fixed = { readonly question: Question; readonly fixed: readonly string[] }

/** Null unless the action asks for it. What fails at the moment stays at the end, whatever it approved before. */
function adaptedBy(action: Otherwise, met: string | null, { question, fixed }: Fixed): Adapted | null {
  if (action.type !== 'priority' || action.adaptive?.enabled !== true) return null
  // A card that is only verified says little of payments, and is not counted.
  if (question.operands.purpose === 'verification') return null
  return adapt({
    settings: action.adaptive,
    rule: met ?? '',
    snapshot: question.snapshot ?? null,
    operands: question.operands,
    payment: question.keys.payment,
    targets: action.targets,
    able: fixed.filter((id) => !question.open.has(id)),
    isFirst: question.tried.length === 0,
  })
}

/** The account that would be asked, without saying why: for those who ask about a million payments. */
export function chosenBy(
  route: CompiledRoute,
  question: Question,
  candidates: readonly Candidate[],
): string | null {
  const values = valuesOf(route.fields, question.operands)
  const action = route.rules.find((rule) => rule.test(values) === matched)?.then ?? route.otherwise
  const { order } = wantedBy(action, question.keys, candidates)
  const wish = wishOf(question.operands, question.instrument)
  const canTake = (id: string) => {
    const candidate = candidates.find((one) => one.id === id)
    return (
      candidate !== undefined && !question.tried.includes(id) && reasonsAgainst(candidate, wish).length === 0
    )
  }
  return order.find((id) => !question.open.has(id) && canTake(id)) ?? order.find(canTake) ?? null
}

type Match = {
  readonly rules: readonly RuleSeen[]
  /** The name of the rule that matched; null: none did. */
  readonly met: string | null
  readonly action: Otherwise
}

/** The first rule that matches wins. */
function firstMatch({ rules, otherwise }: CompiledRoute, values: Values): Match {
  const seen: RuleSeen[] = []
  for (const rule of rules) {
    const result = rule.test(values)
    seen.push(result === matched ? rule.met : (rule.failed[result] as RuleSeen))
    if (result === matched) return { rules: seen, met: rule.name, action: rule.then }
  }
  return { rules: seen, met: null, action: otherwise }
}

type Wanted = { readonly order: readonly string[]; readonly draw: Draw | null }

function wantedBy(action: Otherwise, keys: DrawKeys, candidates: readonly Candidate[]): Wanted {
  switch (action.type) {
    case 'decline':
      return { order: [], draw: null }
    case 'in_order':
      return { order: candidates.map(({ id }) => id), draw: null }
    case 'priority':
      return { order: action.targets, draw: null }
    case 'split':
      return drawFrom(action, keys)
  }
}

const isFailing = 'fails at the moment, so it is asked last'

function judge(order: readonly string[], question: Question, candidates: readonly Candidate[]): Judged[] {
  const wish = wishOf(question.operands, question.instrument)
  return order.map((id) => {
    const candidate = candidates.find((one) => one.id === id)
    const against = candidate === undefined ? ['not active'] : reasonsAgainst(candidate, wish)
    if (question.tried.includes(id)) against.unshift('tried')
    const eligible = against.length === 0
    const reasons = eligible && question.open.has(id) ? [isFailing] : against
    return { provider_account_id: id, eligible, reasons }
  })
}

function ordered(judged: readonly Judged[], open: ReadonlySet<string>): string[] {
  const eligible = judged.filter((one) => one.eligible).map((one) => one.provider_account_id)
  return open.size === 0
    ? eligible
    : [...eligible.filter((id) => !open.has(id)), ...eligible.filter((id) => open.has(id))]
}

function shown(fields: readonly string[], values: Values): Trace['operands'] {
  return Object.fromEntries(fields.map((field, at) => [field, values[at] ?? null]))
}

type Outcome = {
  readonly declined: boolean
  readonly chosen: string | null
  readonly tried: number
  readonly action: Otherwise
  readonly adapted: Adapted | null
}

function causeOf(met: string | null, { declined, chosen, tried, action, adapted }: Outcome): string {
  const named = met === null ? sourceOf(action) : `rule "${met}"`
  const source = adapted === null ? named : `${named}; adaptive: ${adapted.words}`
  if (declined) return `${source} declines it`
  if (chosen === null) return `no account of ${source} can take it`
  return tried === 0 ? `${source}` : `${source}; the account before could not take it`
}

function sourceOf({ type }: Otherwise): string {
  return type === 'in_order' ? 'the order of the accounts' : 'the default of the route'
}
