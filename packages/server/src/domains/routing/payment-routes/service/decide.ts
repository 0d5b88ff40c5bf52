/**
 * Decides which account processes a payment. Routes and accounts are cached by this process, so a decision
 * needs no database query; every process sees changes within two seconds (see platform/versioned-cache.ts).
 */
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, type Mode, modeOf, parseId } from '../../../../kernel/id.ts'
import type { Cache } from '../../../../platform/cache.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { noVersion, type VersionedCache } from '../../../../platform/versioned-cache.ts'
import { vaultObstacleFor } from '../../../../providers/contract.ts'
import { listCandidates } from '../../provider-accounts/service.ts'
import type { Snapshot } from '../adaptive/adaptive.ts'
import { type Decision, type DecisionInput, decide } from '../engine/choose.ts'
import { type CompiledRoute, compileRoute, defaultOrderRoute } from '../engine/compile.ts'
import type { Candidate } from '../engine/eligibility.ts'
import { listSnapshots } from '../store/learning.ts'
import { findRevision } from '../store/revisions.ts'
import { listPublished, type PublishedRoute, readRoutingVersion } from '../store/routes.ts'
import type { ChosenFields } from './choose-fields.ts'

export type { Decision, DecisionInput, Trace } from '../engine/choose.ts'
export type { CompiledRoute } from '../engine/compile.ts'
export { operandsOf, type PaymentFacts } from '../engine/facts.ts'
export { type AttemptEnd, decideFailover } from '../engine/failover.ts'
export { findPriceOfInvoice } from '../store/payments.ts'

type Account = Omit<Candidate, 'isOnHold'> & {
  readonly manifest: object | null
  readonly id: Id<'provider_account'>
  readonly provider: string
  readonly heldUntil: Date | null
  /** The settings of a connector. */
  readonly settings: Readonly<Record<string, string>>
}

/** The routing data that is cached for a workspace. */
type Routing = {
  readonly published: ReadonlyMap<string, PublishedRoute>
  readonly defaultRoute: PublishedRoute | null
  readonly accounts: readonly Account[]
  /** The figures of adaptive routes, by route id. */
  readonly snapshots: ReadonlyMap<string, Snapshot>
}

declare module '../../../../deps.ts' {
  interface Caches {
    /** The routing data of each workspace. Read only by `routingOf`. */
    readonly routing: VersionedCache<Routing>
    /** Compiled revisions of payment routes. They never change. */
    readonly compiledRoutes: Cache<CompiledRoute>
  }
}

/**
 * The route of a new payment: the named one, the default, or the default order of the accounts. The result
 * contains the revision to pin.
 */
export async function routeFor(
  deps: Deps,
  view: View,
  paymentRouteId: string | null,
): Promise<CompiledRoute> {
  const { published, defaultRoute } = await routingOf(deps, view)
  if (paymentRouteId === null) {
    return defaultRoute === null
      ? defaultOrderRoute
      : pinnedRoute(deps, view, defaultRoute.id, defaultRoute.revision)
  }
  const id = parseId('payment_route', view.caller.mode, paymentRouteId)
  const route = id === null ? undefined : published.get(id)
  return route === undefined ? refuseReference() : pinnedRoute(deps, view, route.id, route.revision)
}

/** Whether a new payment may use the route. */
export async function isPublished(deps: Deps, view: View, id: Id<'payment_route'>): Promise<boolean> {
  return (await routingOf(deps, view)).published.has(id)
}

/** Requires a route that is published and not archived. */
export async function requirePublished(view: View, text: string): Promise<Id<'payment_route'>> {
  const routes = await listPublished(view)
  return routes.find(({ id }) => id === text)?.id ?? refuseReference()
}

function refuseReference(): never {
  const detail = 'must be the id of a payment route that is published and not archived'
  const errors = [{ pointer: '/payment_route_id', code: 'not_found', detail } as const]
  return refuse('reference_not_found', { errors })
}

/** Returns the revision the payment was created with, even if another one was published since. */
export async function pinnedRoute(
  deps: Deps,
  view: View,
  id: Id<'payment_route'> | null,
  revision: number | null,
): Promise<CompiledRoute> {
  if (id === null || revision === null) return defaultOrderRoute
  const key = `${view.caller.workspaceId} ${id} ${revision}`
  const cached = deps.compiledRoutes.peek(key)
  if (cached !== null) return cached
  const storedRevision = await findRevision(view, id, revision)
  if (storedRevision === null) return defaultOrderRoute
  const compiled = compileRoute({ id, revision }, storedRevision.definition)
  // A revision never changes, so this cache entry never becomes stale.
  await deps.compiledRoutes.get(key, async () => compiled)
  return compiled
}

/** Returns the account to try next, with the trace to store with the attempt. */
export async function decideFor(
  deps: Deps,
  view: View & { readonly now: Date },
  route: CompiledRoute,
  input: Omit<DecisionInput, 'openCircuits' | 'snapshot'>,
): Promise<Decision> {
  const { accounts, snapshots } = await routingOf(deps, view)
  // Opening a payment page is never used as a probe, because the payer may not pay.
  const isSkipped = ({ id }: Account) =>
    input.instrument.isEnteredInFields === true
      ? deps.health.isOpen(id, 'authorize')
      : isSkippedByBreaker(deps, id)
  const openCircuits = new Set(accounts.filter(isSkipped).map(({ id }) => id))
  const snapshot = snapshots.get(route.id ?? '') ?? null
  return decide(route, { ...input, openCircuits, snapshot }, candidatesAt(deps, accounts, view.now))
}

/** Occasionally a payment probes an account whose circuit breaker is open. */
function isSkippedByBreaker({ health }: Deps, id: Id<'provider_account'>): boolean {
  return health.isOpen(id, 'authorize') && !health.shouldProbe(id, 'authorize')
}

function candidatesAt(deps: Deps, accounts: readonly Account[], now: Date): readonly Candidate[] {
  return accounts.map(({ heldUntil, provider, settings, manifest, ...account }) => ({
    ...account,
    hasCardFields: fieldsOf(deps, modeOf(account.id), { provider, settings }) !== null,
    isReachableThroughVault: vaultObstacleFor(deps.providers.get(provider), manifest) === null,
    isOnHold: heldUntil !== null && heldUntil > now,
  }))
}

/** The active accounts whose provider has card fields that the payment page supports, with their public settings. */
export async function listFieldsAccounts(deps: Deps, view: View): Promise<readonly ChosenFields[]> {
  const { accounts } = await routingOf(deps, view)
  return accounts.flatMap(({ id, provider, settings }) => {
    const fields = fieldsOf(deps, view.caller.mode, { provider, settings })
    return fields === null ? [] : [{ provider, providerAccountId: id, ...fields }]
  })
}

function fieldsOf(
  { providers }: Deps,
  mode: Mode,
  { provider, settings }: Pick<Account, 'provider' | 'settings'>,
): Pick<ChosenFields, 'component' | 'config'> | null {
  const { fields } = providers.get(provider) ?? {}
  const config = fields?.publicConfig(settings, mode) ?? null
  return fields === undefined || config === null ? null : { component: fields.component, config }
}

/** Reads in the transaction of the caller, so that no second connection is needed. */
async function routingOf(deps: Deps, view: View): Promise<Routing> {
  const { workspaceId } = view.caller
  const cached = deps.routing.get(workspaceId)
  if (cached !== null) return cached
  const cacheRead = deps.routing.beginRead(workspaceId)
  // Read the version first: data that is read afterwards can only be newer than the version, and is reloaded
  // when the cache is next validated.
  const version = (await readRoutingVersion(view)) ?? noVersion
  const { cached: unconfirmed } = cacheRead
  const routing = unconfirmed?.version === version ? unconfirmed.value : await readRouting(view)
  cacheRead.store(version, routing)
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
    defaultRoute: routes.find(({ isDefault }) => isDefault) ?? null,
    accounts: accounts.map(({ settings: config, hold, ...account }) => {
      const { id, provider, manifest, cardData, capabilities, costs } = account
      const [settings, heldUntil] = [config.settings ?? {}, hold?.untilAt ?? null]
      return { id, provider, manifest, cardData, capabilities, costs, settings, heldUntil }
    }),
  }
}
