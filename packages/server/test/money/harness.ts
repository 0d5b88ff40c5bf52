// The real app with its own clock, two simulated providers and injected faults. A harness runs one scenario
// at a time; several harnesses of one process run concurrently on one database.

import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type Simulator, startSimulator } from '../../../simulator/src/index.ts'
import { buildApp } from '../../src/app.ts'
import type { Deps } from '../../src/deps.ts'
import { loadTestClock } from '../../src/domains/billing/test-clocks/service.ts'
import { type Id, idFromUuid, idMaker, uuidFloor, uuidOf } from '../../src/kernel/id.ts'
import { createCache } from '../../src/platform/cache.ts'
import { createPerformer } from '../../src/providers/perform.ts'
import { setUpWorkspace } from '../../src/setup.ts'
import { type AccountKind, type AccountPair, isScripted } from './account-kinds.ts'
import {
  type Freezer,
  limits,
  loseCommitResponses,
  newFreezer,
  type StatementStall,
  stallStatements,
  withProviderFaults,
  withShortTimeouts,
} from './faults.ts'
import { type CapabilitySet, capabilitySets } from './payment-scenario.ts'
import { type RouteVariant, routeVariantDefinitions } from './route-variants.ts'
import { newScenarioClock, type ScenarioClock } from './scenario-clock.ts'
import { currentProcess, SimulatedCrash, type SimulatedProcess } from './simulated-process.ts'
import type { TestInstallation } from './test-installation.ts'

/** The workspace of a scenario. It is reused for several scenarios, one at a time. */
export type TestWorkspace = {
  readonly workspaceId: Id<'workspace'>
  readonly token: string
  /** The two provider accounts, in their order. */
  readonly accounts: readonly [string, string]
  readonly kinds: AccountPair
  readonly customerId: string
  /** The ids of saved cards of the customer, by their outcome. */
  readonly savedCards: Map<string, string>
  /** The route to the account where cards are saved; null if both accounts are simulators. */
  readonly savingRouteId: string | null
  readonly routeId: string
  /** The published variant of the route. */
  variant: RouteVariant
  revision: number
  scenarios: number
}

/** Work that continues without a caller waiting for it. */
export type BackgroundTask = {
  readonly ended: Promise<unknown>
  readonly simulated: SimulatedProcess | undefined
}

export type Harness = {
  readonly installation: TestInstallation
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly clock: ScenarioClock
  readonly simulator: Simulator
  readonly freezer: Freezer
  /** The stall of the current step. */
  readonly stall: { now: StatementStall | null }
  readonly backgroundTasks: Set<BackgroundTask>
  /** Accounts whose circuit breaker is open. */
  readonly failing: Set<string>
  /** Violations observed while the scenario ran. */
  readonly violations: string[]
  /** The workspaces, by the capabilities and the kinds of their accounts. */
  readonly workspaces: Map<string, TestWorkspace>
  close(): Promise<void>
}

export async function openHarness(installation: TestInstallation): Promise<Harness> {
  const { switchyard } = installation
  const clock = newScenarioClock()
  const simulator = await startSimulator()
  const freezer = newFreezer()
  const stall: Harness['stall'] = { now: null }
  const violations: string[] = []
  const backgroundTasks = new Set<BackgroundTask>()
  const failing = new Set<string>()
  const addresses = { live: '', test: '' }
  const outbound = withShortTimeouts(switchyard.deps.outbound, clock, (reference) =>
    violations.push(`sent after its lease: ${reference}`),
  )
  const hashKey = createHmac('sha256', 'requests').digest()
  const deps: Deps = {
    ...switchyard.deps,
    clock,
    outbound,
    addresses,
    limits,
    // The scenario controls the circuit breakers. Other tests check when they open automatically.
    health: {
      ...switchyard.deps.health,
      isOpen: (id) => failing.has(id),
      shouldProbe: () => false,
      recordProbeStart() {},
    },
    simulatorUrl: simulator.url,
    databases: loseCommitResponses(
      stallStatements(switchyard.deps.databases, () => stall.now),
      (workspaceId) =>
        expireIdempotencyLeases(installation, workspaceId, uuidFloor(new Date(Date.now() - 60_000))),
    ),
    performer: withProviderFaults(
      createPerformer({ sender: outbound, log: switchyard.log, hashKey }),
      clock,
      freezer,
    ),
    openAccounts: createCache({ ttlMs: 3_600_000, maxEntries: 1_000 }),
    runInBackground: (work) => trackBackgroundTask({ backgroundTasks, violations }, work, currentProcess()),
    // Test clocks also use the clock of this harness as the real time.
    timeOf: (caller, id) => loadTestClock(deps, caller, id),
  }
  const app = buildApp({ ...switchyard, deps }, 'test')
  addresses.test = await app.listen({ host: '127.0.0.1', port: 0 })
  const close = async () => {
    await app.close()
    await simulator.stop()
  }
  const harness = {
    installation,
    app,
    deps,
    clock,
    simulator,
    freezer,
    stall,
    backgroundTasks,
    failing,
    violations,
  }
  return { ...harness, workspaces: new Map(), close }
}

/**
 * Ends the leases of idempotency keys with this or a higher id, so that interrupted requests can be repeated. The
 * leases use the database time, which a scenario cannot change.
 */
export async function expireIdempotencyLeases(
  installation: TestInstallation,
  workspaceId: Id<'workspace'>,
  floor: string,
): Promise<void> {
  await installation.ownerOf(workspaceId).query({
    name: 'key_leases',
    text: `update idempotency_keys set lease_until = now() - interval '1 second'
      where workspace_id = $1 and id >= $2 and state = 'running'`,
    values: [uuidOf(workspaceId), floor],
  })
}

/** Tracks a task until it ends. An error is a violation, unless its process crashed. */
export function trackBackgroundTask(
  { backgroundTasks, violations }: Pick<Harness, 'backgroundTasks' | 'violations'>,
  work: Promise<unknown>,
  simulated: SimulatedProcess | undefined,
): void {
  const ended = work
    .catch((error) => {
      if (!(error instanceof SimulatedCrash) && !isLostCommit(error))
        violations.push(`failed in the background: ${error}`)
    })
    .finally(() => backgroundTasks.delete(task))
  const task: BackgroundTask = { ended, simulated }
  backgroundTasks.add(task)
}

/** If the result of a commit is unknown, the client must retry. This is not a violation. */
export function isLostCommit(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'unavailable'
}

/** A workspace is replaced after this number of scenarios, so that it contains little data. */
const scenariosPerWorkspace = 60

type WorkspaceOptions = { readonly capabilities: CapabilitySet; readonly accounts: AccountPair }

export async function testWorkspaceFor(harness: Harness, options: WorkspaceOptions): Promise<TestWorkspace> {
  const { capabilities, accounts } = options
  const key = [capabilities, ...accounts].join(' ')
  const existing = harness.workspaces.get(key)
  if (existing !== undefined && existing.scenarios < scenariosPerWorkspace) return existing
  if (existing !== undefined)
    for (const account of existing.accounts) await harness.simulator.control('POST', `${account}/reset`)
  const created = await withRetries(() => createTestWorkspace(harness, { capabilities, accounts }))
  harness.workspaces.set(key, created)
  return created
}

const workspaceAttempts = 3

/** Retries, because a busy machine may exceed a timeout. */
async function withRetries<T>(action: () => Promise<T>, retriesLeft = workspaceAttempts - 1): Promise<T> {
  return action().catch((error) => {
    if (retriesLeft === 0) throw error
    return withRetries(action, retriesLeft - 1)
  })
}

async function createTestWorkspace(
  harness: Harness,
  { capabilities, accounts: kinds }: WorkspaceOptions,
): Promise<TestWorkspace> {
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const { workspaceId, token } = await setUpWorkspace(harness.deps, {
    organizationId,
    mode: 'test',
    name: 'A scenario',
  })
  const call: Call = async (method, url, payload) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await harness.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
    if (response.statusCode >= 300) throw new Error(`${method} ${url}: ${response.body}`)
    return response.json()
  }
  const accounts = await createAccounts(call, kinds, capabilitySets[capabilities])
  const { id: customerId } = await call('POST', '/customers', { email: 'ada@example.com' })
  const savedCards = new Map<string, string>()
  if (isScripted(kinds)) savedCards.set('approve', await saveTestCard(call, customerId))
  const savingRouteId = isScripted(kinds) ? null : await createSavingRoute(call)
  const definition = routeVariantDefinitions.in_order.definition(accounts)
  const { id: routeId } = await call('POST', '/payment-routes', { name: 'Cards', ...definition })
  const objects = { workspaceId, token, accounts, kinds, customerId, savedCards, savingRouteId, routeId }
  return { ...objects, variant: 'in_order', revision: 1, scenarios: 0 }
}

type Call = (
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  payload?: object,
  // biome-ignore lint/suspicious/noExplicitAny: any response.
) => Promise<any>

/** A new workspace has two simulators. Those that the scenario does not use are disabled. */
async function createAccounts(
  call: Call,
  kinds: AccountPair,
  capabilities: object,
): Promise<readonly [string, string]> {
  const { data } = await call('GET', '/provider-accounts')
  const existing: { readonly id: string; readonly position: number }[] = data.toSorted(
    (a: { position: number }, b: { position: number }) => a.position - b.position,
  )
  const createAccount = async (kind: AccountKind, position: number): Promise<string> => {
    if (kind !== 'simulator') {
      const account = { provider: kind, display_name: kind, config: { emulated: true }, position }
      return (await call('POST', '/provider-accounts', account)).id
    }
    const { id } = existing.shift() as { readonly id: string }
    await call('PUT', `/provider-accounts/${id}`, { config: { ...capabilities, webhooks: 'off' }, position })
    return id
  }
  const accounts = [await createAccount(kinds[0], 1), await createAccount(kinds[1], 2)] as const
  for (const { id } of existing) await call('POST', `/provider-accounts/${id}/disable`)
  return accounts
}

async function saveTestCard(call: Call, customerId: string): Promise<string> {
  const card = {
    number: '4242424242424242',
    exp_month: 12,
    exp_year: new Date().getFullYear() + 4,
    cvc: '123',
  }
  const { id: token } = await call('POST', '/tokens', { type: 'card', card })
  const { id } = await call('POST', '/payment-methods', { token })
  await call('POST', `/payment-methods/${id}/attach`, { customer_id: customerId })
  return id
}

/** No payment of a scenario uses this currency, so the account where cards are saved gets no other payments. */
export const savingCurrency = 'usd'

async function createSavingRoute(call: Call): Promise<string> {
  const { id } = await call('POST', '/provider-accounts', {
    provider: 'simulator',
    display_name: 'Saves cards',
    capabilities: { currencies: [savingCurrency] },
  })
  const route = { name: 'Save cards', rules: [], default: { type: 'priority', targets: [id] } }
  return (await call('POST', '/payment-routes', route)).id
}
