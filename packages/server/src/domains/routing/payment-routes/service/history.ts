/** Compares what two revisions of a route decide for historical payments. */
import type { Deps } from '../../../../deps.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { CostSegment } from '../../../../providers/contract.ts'
import { hasSettledCosts } from '../../../finance/settled-costs/service.ts'
import { listCandidates, listCosts } from '../../provider-accounts/service.ts'
import { chooseAccountId, type DecisionInput, decide } from '../engine/choose.ts'
import type { CompiledRoute } from '../engine/compile.ts'
import type { Candidate } from '../engine/eligibility.ts'
import { estimatedCost } from '../engine/estimated-cost.ts'
import type { RouteHead } from '../payment-route.ts'
import {
  type HistoricalPayment,
  listHistory,
  type OperandTest,
  operandTestFor,
  type UuidRange,
} from '../store/payments.ts'
import { listPublished, requireRoute } from '../store/routes.ts'
import { pinnedRoute } from './decide.ts'
import { requireRevision } from './save.ts'

export type { Simulation } from '../simulation/simulation.ts'
export { countHistory, type HistoricalPayment, type UuidRange } from '../store/payments.ts'
export { simulatePaymentRoute } from './simulate.ts'

type ComparisonRequest = {
  readonly revision?: number | undefined
  readonly against?: number | undefined
  readonly againstDefault: boolean
}

type RouteRevision = { readonly routeId: Id<'payment_route'>; readonly revision: number }

/**
 * The route, its revision and the revision to compare with. `against: null`: the default order of accounts.
 */
export async function requireComparedRevisions(
  view: View,
  id: string,
  request: ComparisonRequest,
): Promise<{ readonly route: RouteHead; readonly revision: number; readonly against: RouteRevision | null }> {
  const route = await requireRoute(view, id)
  const { revision = route.latestRevision, against = route.revision, againstDefault } = request
  await requireRevision(view, route, revision)
  if (againstDefault) return { route, revision, against: await findDefault(view) }
  if (against === null) return { route, revision, against: null }
  await requireRevision(view, route, against)
  return { route, revision, against: { routeId: route.id, revision: against } }
}

/** The published revision of the default route. */
async function findDefault(view: View): Promise<RouteRevision | null> {
  const defaultRoute = (await listPublished(view)).find(({ isDefault }) => isDefault)
  return defaultRoute === undefined ? null : { routeId: defaultRoute.id, revision: defaultRoute.revision }
}

export function requirePaymentRoute(view: View, id: string): Promise<RouteHead> {
  return requireRoute(view, id)
}

/**
 * Two routes and the current accounts. Current holds and open circuit breakers are ignored, since they do not
 * apply to other days.
 */
export type Comparison = {
  readonly before: CompiledRoute
  readonly after: CompiledRoute
  readonly candidates: readonly Candidate[]
  /** The current costs of accounts in any status, by account id. */
  readonly costs: ReadonlyMap<string, readonly CostSegment[]>
  /** Whether there are settlement lines. They contain card details and the actual costs of payments. */
  readonly hasSettledCosts: boolean
  readonly isOperandUsed: OperandTest
}

type ComparedRevisions = {
  readonly routeId: Id<'payment_route'>
  readonly revision: number
  readonly againstRouteId: Id<'payment_route'> | null
  readonly against: number | null
}

export async function loadComparison(
  deps: Deps,
  view: View,
  { routeId, revision, againstRouteId, against }: ComparedRevisions,
): Promise<Comparison> {
  const [before, after, accounts, costs, isSettled] = await Promise.all([
    pinnedRoute(deps, view, againstRouteId, against),
    pinnedRoute(deps, view, routeId, revision),
    listCandidates(view),
    listCosts(view),
    hasSettledCosts(view),
  ])
  const candidates = accounts.map((account) => {
    const { id, cardData, capabilities } = account
    return { id, cardData, capabilities, costs: account.costs, isOnHold: false }
  })
  // The other operands that costs depend on are always read.
  const usesFunding =
    isSettled || [...costs.values()].flat().some((segment) => segment.card_fundings !== null)
  const fields = [...before.fields, ...after.fields, ...(usesFunding ? ['card.funding'] : [])]
  const isOperandUsed = operandTestFor(fields)
  return { before, after, candidates, costs, hasSettledCosts: isSettled, isOperandUsed }
}

export function readHistory(
  view: View,
  range: UuidRange,
  { isOperandUsed, hasSettledCosts: withSettledCards }: Comparison,
): Promise<HistoricalPayment[]> {
  return listHistory(view, range, { isUsed: isOperandUsed, withSettledCards })
}

/** The account that each route tries first; null: none. */
export type Choices = {
  readonly before: string | null
  readonly after: string | null
  /** Why the route `after` tries that account. */
  readonly cause: () => string
}

/** `tokenAccountId`: the account whose provider stores the card, if Switchyard never had the card number. */
export function choicesFor(
  { before, after, candidates }: Comparison,
  payment: HistoricalPayment,
  tokenAccountId: string | null,
): Choices {
  const input: DecisionInput = {
    operands: payment.operands,
    keys: payment.keys,
    tried: [],
    openCircuits: noAccounts,
    instrument: payment.hasCardNumber ? withCardNumber : storedAt(tokenAccountId),
  }
  return {
    before: chooseAccountId(before, input, candidates),
    after: chooseAccountId(after, input, candidates),
    cause: () => decide(after, input, candidates).trace.cause,
  }
}

/** The estimated cost of the payment at an account, with its current costs; null if it is unknown. */
export function estimatedCostAt(
  { costs }: Comparison,
  { operands }: HistoricalPayment,
  account: string | null,
): bigint | null {
  return account === null ? null : estimatedCost(costs.get(account) ?? [], operands)
}

const noAccounts: ReadonlySet<string> = new Set()
const withCardNumber = { hasCardNumber: true, tokensAt: noAccounts }

function storedAt(accountId: string | null) {
  return { hasCardNumber: false, tokensAt: accountId === null ? noAccounts : new Set([accountId]) }
}
