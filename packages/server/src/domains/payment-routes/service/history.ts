/** What two revisions of a route make of payments that there were, for those who compare them. */
import type { Deps } from '../../../deps.ts'
import type { Id } from '../../../kernel/id.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import { listCandidates } from '../../provider-accounts/service.ts'
import type { Candidate } from '../capable.ts'
import { chosenBy, decide, type Question } from '../choose.ts'
import type { CompiledRoute } from '../compile.ts'
import type { RouteHead } from '../payment-route.ts'
import { type HistoricPayment, listHistory, type Stretch, type Wants, wantedBy } from '../store/payments.ts'
import { requireRoute } from '../store/routes.ts'
import { pinnedRoute } from './decide.ts'
import { requireRevision } from './save.ts'

export type { Simulation } from '../simulation.ts'
export { countHistory, type HistoricPayment, type Stretch } from '../store/payments.ts'
export { simulatePaymentRoute } from './simulate.ts'

/** The route, and the numbers of the revisions that are meant. `against` is null where nothing is published. */
export async function requireCompared(
  view: View,
  id: string,
  wanted: { readonly revision?: number | undefined; readonly against?: number | undefined },
): Promise<{ readonly route: RouteHead; readonly revision: number; readonly against: number | null }> {
  const route = await requireRoute(view, id)
  const { revision = route.latestRevision, against = route.revision } = wanted
  await requireRevision(view, route, revision)
  if (against !== null) await requireRevision(view, route, against)
  return { route, revision, against }
}

export function requirePaymentRoute(view: View, id: string): Promise<RouteHead> {
  return requireRoute(view, id)
}

/** Two routes, and the accounts of now. Who is held or fails at the moment says nothing of other days. */
export type Comparison = {
  readonly before: CompiledRoute
  readonly after: CompiledRoute
  readonly candidates: readonly Candidate[]
  readonly wants: Wants
}

export async function openComparison(
  deps: Deps,
  view: View,
  id: Id<'payment_route'>,
  { revision, against }: { readonly revision: number; readonly against: number | null },
): Promise<Comparison> {
  const [before, after, accounts] = await Promise.all([
    pinnedRoute(deps, view, id, against),
    pinnedRoute(deps, view, id, revision),
    listCandidates(view),
  ])
  const candidates = accounts.map(({ id: account, cardData, capabilities }) => {
    return { id: account, cardData, capabilities, isHeld: false }
  })
  return { before, after, candidates, wants: wantedBy([...before.fields, ...after.fields]) }
}

export function readHistory(view: View, stretch: Stretch, { wants }: Comparison): Promise<HistoricPayment[]> {
  return listHistory(view, stretch, wants)
}

/** The account that each of them asks first; null: none. */
export type Choices = {
  readonly before: string | null
  readonly after: string | null
  /** Why the second one asks that account. */
  readonly cause: () => string
}

/** `onlyAt`: the account that holds the card, if we never knew its number. */
export function choicesFor(
  { before, after, candidates }: Comparison,
  payment: HistoricPayment,
  onlyAt: string | null,
): Choices {
  const question: Question = {
    ...{ operands: payment.operands, keys: payment.keys, tried: [], open: nobody },
    instrument: payment.hasNumber ? ownNumber : { hasNumber: false, onlyAt },
  }
  return {
    before: chosenBy(before, question, candidates),
    after: chosenBy(after, question, candidates),
    cause: () => decide(after, question, candidates).trace.cause,
  }
}

const nobody: ReadonlySet<string> = new Set()
const ownNumber = { hasNumber: true, onlyAt: null }
