/**
 * Where a payment goes. Routes and accounts are remembered by this process, so a decision asks the database for
 * nothing; whatever changes is seen by every process within two seconds (see platform/memory.ts).
 */
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, parseId } from '../../../kernel/id.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import { noVersion } from '../../../platform/memory.ts'
import { listCandidates } from '../../provider-accounts/service.ts'
import type { Snapshot } from '../adaptive.ts'
import type { Candidate } from '../capable.ts'
import { type Decision, decide, type Question } from '../choose.ts'
import { type CompiledRoute, compileRoute, inOrder } from '../compile.ts'
import { listSnapshots } from '../store/learning.ts'
import { findRevision } from '../store/revisions.ts'
import { listPublished, type PublishedRoute, readRoutingVersion } from '../store/routes.ts'

export type { Decision, Question, Trace } from '../choose.ts'
export type { CompiledRoute } from '../compile.ts'
export { operandsOf, type PaymentFacts } from '../facts.ts'
export { type Ending, mayGoOn } from '../failover.ts'

type Account = Omit<Candidate, 'isHeld'> & {
  readonly id: Id<'provider_account'>
  readonly heldUntil: Date | null
}

/** What is remembered of a workspace. */
type Routing = {
  readonly published: ReadonlyMap<string, PublishedRoute>
  readonly standard: PublishedRoute | null
  readonly accounts: readonly Account[]
  /** Of routes that follow what their accounts approve. */
  readonly snapshots: ReadonlyMap<string, Snapshot>
}

/**
 * The route of a new payment: the one that it names, the default, or the order of the accounts. What it gives
 * carries the revision to be pinned.
 */
export async function routeFor(
  deps: Deps,
  view: View,
  paymentRouteId: string | null,
): Promise<CompiledRoute> {
  const { published, standard } = await routingOf(deps, view)
  if (paymentRouteId === null) {
    return standard === null ? inOrder : pinnedRoute(deps, view, standard.id, standard.revision)
  }
  const id = parseId('payment_route', view.caller.mode, paymentRouteId)
  const route = id === null ? undefined : published.get(id)
  return route === undefined ? refuseReference() : pinnedRoute(deps, view, route.id, route.revision)
}

/** Whether a new payment may name it. */
export async function isPublished(deps: Deps, view: View, id: Id<'payment_route'>): Promise<boolean> {
  return (await routingOf(deps, view)).published.has(id)
}

/** The id that a body names, of a route that is published and not archived. */
export async function requirePublished(view: View, text: string): Promise<Id<'payment_route'>> {
  const routes = await listPublished(view)
  return routes.find(({ id }) => id === text)?.id ?? refuseReference()
}

function refuseReference(): never {
  const detail = 'There is no such payment route that is published and not archived.'
  const errors = [{ pointer: '/payment_route_id', code: 'not_found', detail } as const]
  return refuse('reference_not_found', { errors })
}

/** The revision that a payment was made by, whatever has been published since. */
export async function pinnedRoute(
  deps: Deps,
  view: View,
  id: Id<'payment_route'> | null,
  revision: number | null,
): Promise<CompiledRoute> {
  if (id === null || revision === null) return inOrder
  const key = `${view.caller.workspaceId} ${id} ${revision}`
  const known = deps.compiledRoutes.peek(key)
  if (known !== null) return known as Promise<CompiledRoute>
  const found = await findRevision(view, id, revision)
  if (found === null) return inOrder
  const compiled = compileRoute({ id, revision }, found.definition)
  // A revision never changes, so this never grows old.
  await deps.compiledRoutes.get(key, async () => compiled)
  return compiled
}

/** The account to be asked next, with the trace to be kept with the attempt. */
export async function decideFor(
  deps: Deps,
  view: View & { readonly now: Date },
  route: CompiledRoute,
  question: Omit<Question, 'open' | 'snapshot'>,
): Promise<Decision> {
  const { accounts, snapshots } = await routingOf(deps, view)
  const open = new Set(accounts.filter(({ id }) => isFailing(deps, id)).map(({ id }) => id))
  const snapshot = snapshots.get(route.id ?? '') ?? null
  return decide(route, { ...question, open, snapshot }, candidatesAt(accounts, view.now))
}

/** One payment in a while keeps its place, to find out whether the account is well again. */
function isFailing({ health }: Deps, id: Id<'provider_account'>): boolean {
  return health.isOpen(id, 'authorize') && !health.mayProbe(id, 'authorize')
}

function candidatesAt(accounts: readonly Account[], now: Date): readonly Candidate[] {
  return accounts.map(({ heldUntil, ...account }) => ({
    ...account,
    isHeld: heldUntil !== null && heldUntil > now,
  }))
}

/** On a transaction of the caller, so that nobody waits for a second one. */
async function routingOf(deps: Deps, view: View): Promise<Routing> {
  const { workspaceId } = view.caller
  const remembered = deps.routing.recall(workspaceId)
  if (remembered !== null) return remembered as Routing
  const attention = deps.routing.attend(workspaceId)
  // The version first: what is read after it can only be newer, and then is read once more.
  const version = (await readRoutingVersion(view)) ?? noVersion
  const { known } = attention
  const routing = known?.version === version ? (known.value as Routing) : await readRouting(view)
  attention.keep(version, routing)
  return routing
}

async function readRouting(view: View): Promise<Routing> {
  const [routes, accounts, snapshots] = await Promise.all([
    listPublished(view),
    listCandidates(view),
    listSnapshots(view),
  ])
  return {
    snapshots,
    published: new Map(routes.map((route) => [route.id, route])),
    standard: routes.find(({ isDefault }) => isDefault) ?? null,
    accounts: accounts.map(({ id, cardData, capabilities, hold }) => {
      return { id, cardData, capabilities, heldUntil: hold?.untilAt ?? null }
    }),
  }
}
