/** The composition root: builds everything that runs from the configuration. */
import { access, allowedOperations } from './access.ts'
import { type Config, ConfigError } from './config.ts'
import type { Deps, ExportLimits, Limits } from './deps.ts'
import { type DoctorTools, type Machine, thisMachine } from './doctor/check.ts'
import { runCheckup } from './doctor/run-checkup.ts'
import { revokeApiTokens } from './domains/access/api-tokens/service.ts'
import { checkVault } from './domains/access/organizations/service/check-vault.ts'
import { checkTaxProviderOf } from './domains/billing/tax-provider/service.ts'
import { loadTestClock } from './domains/billing/test-clocks/service.ts'
import { exportLimits } from './domains/finance/exports/export.ts'
import { HealthMonitor } from './domains/routing/provider-accounts/service/health-monitor.ts'
import { LaneDispatcher } from './domains/webhooks/deliveries/service/lane-dispatcher.ts'
import { hintsOf, insertEvents } from './domains/webhooks/events/store.ts'
import { createIdentify } from './identify.ts'
import type { Checkup } from './kernel/checkup.ts'
import { type Clock, databaseClock } from './kernel/clock.ts'
import { customerPagesOf } from './kernel/customer-pages.ts'
import { type Id, type Mode, modeOf } from './kernel/id.ts'
import { createBackgroundWork } from './platform/background-work.ts'
import { createCache } from './platform/cache.ts'
import { createCells } from './platform/db/cells.ts'
import { createControlCache } from './platform/db/control-cache.ts'
import { allDatabases, type Databases, openDatabases } from './platform/db/databases.ts'
import { routingVersionsOf } from './platform/db/routing-versions.ts'
import { connectEngine } from './platform/engine/engine.ts'
import { type Peers, watchPeers } from './platform/engine/peers.ts'
import { createProcessNotifier } from './platform/engine/process-notifications.ts'
import type { Hint } from './platform/engine/work.ts'
import { originOf } from './platform/http/dashboard-pages.ts'
import type { HttpContext } from './platform/http/http-context.ts'
import { createBuckets, createInFlight } from './platform/http/limits.ts'
import { watchOverload } from './platform/http/overload.ts'
import type { Versions } from './platform/http/versions.ts'
import { createLog, type Log } from './platform/log.ts'
import { createMailer } from './platform/mail.ts'
import { disputeChanges } from './platform/metric-definitions.ts'
import { createMetrics, initializeTimes, type Metrics, watchConnections } from './platform/metrics.ts'
import { createOutbound } from './platform/outbound/client.ts'
import type { Outbound } from './platform/outbound/outbound.ts'
import { createSigningKeys, derivedKeys } from './platform/sealed-box/signing-keys.ts'
import { createSealedBox } from './platform/sealed-box.ts'
import { createThread } from './platform/thread.ts'
import { createVersionedCache } from './platform/versioned-cache.ts'
import { createCertificates } from './providers/certificates.ts'
import { createAccountCheck } from './providers/check-account.ts'
import { createPerformer } from './providers/perform.ts'
import { registry } from './providers/registry.ts'
import { createRequestLog } from './request-log.ts'
import { versions as releasedVersions } from './versions/registry.ts'
import { workTypes } from './work-types.ts'

/** Parts that a test harness can replace. */
export type Overrides = {
  readonly clock?: Clock
  readonly log?: Log
  readonly publish?: (hints: readonly Hint[], now: Date) => void
  /**
   * How long an authenticated token is cached. A revocation takes effect in every process within this time.
   */
  readonly tokenCacheMs?: number
  readonly isOverloaded?: () => boolean
  readonly outbound?: Outbound
  readonly limits?: Limits
  readonly exportLimits?: ExportLimits
  readonly machine?: Machine
  readonly versions?: Versions
}

export type Switchyard = ReturnType<typeof compose>

export function compose(config: Config, overrides: Overrides = {}) {
  const log = overrides.log ?? createLog(config.logLevel)
  const metrics = createMetrics()
  let peers: Peers | undefined
  const processes = () => peers?.count() ?? 1
  const built = build(config, overrides, { log, metrics, processes })
  const { deps, engine, dispatcher, health, backgroundWork, signingKeys } = built
  const { databases, outbound } = deps
  const overload = watchOverload()
  let draining = false
  const requestLog = createRequestLog(databases, log, metrics)
  const shared = {
    addresses: config.addresses,
    dashboardOrigin: () => originOf(config.dashboard.url),
    access,
    versions: deps.versions,
    cells: deps.cells,
    identify: createIdentify(deps, log, overrides.tokenCacheMs ?? 4_000),
    requestLog,
    buckets: createBuckets(),
    inFlight: createInFlight(config.requestsInFlight),
    streams: createInFlight(20, 1_000),
    isOverloaded: overrides.isOverloaded ?? overload.isOverloaded,
    isDraining: () => draining,
    log,
    metrics,
    trustProxy: config.trustProxy,
  }

  return {
    config,
    deps,
    engine,
    health,
    log,
    metrics,
    signingKeys,
    httpContext(mode: Mode): HttpContext {
      // Only API processes share the rate limits. A worker never calls this function, so it is not counted.
      peers ??= watchPeers(engine.connection)
      const { count } = peers
      const shareOf = (limit: number) => Math.ceil(limit / count())
      const requestsPerSecond = () => shareOf(config.requestsPerSecond[mode])
      return { ...shared, mode, requestsPerSecond, shareOf }
    },
    isDraining: () => draining,
    drain: () => {
      draining = true
      dispatcher.drain()
    },
    async close(): Promise<void> {
      overload.stop()
      peers?.stop()
      deps.routing.stop()
      await dispatcher.stop()
      await backgroundWork.ended()
      await deps.thread.close()
      await health.stop()
      await outbound.close()
      await requestLog.stop()
      await engine.close()
      await databases.close()
    },
    flushRequestLog: () => requestLog.flush(),
  }
}

type Tools = { readonly log: Log; readonly metrics: Metrics; readonly processes: () => number }

/** Builds the dependencies of service functions, and the parts that have to be started and stopped. */
function build(config: Config, overrides: Overrides, { log, metrics, processes }: Tools) {
  const { outbound = openOutbound(config), machine = thisMachine, versions = releasedVersions } = overrides
  const databases = connectDatabases(config, log, metrics)
  const engine = connectEngine({ natsUrl: config.natsUrl, databases, log, metrics })
  const backgroundWork = createBackgroundWork(log)
  // Concurrent requests for the system page share one checkup.
  const checkups = createCache<Checkup>({ ttlMs: 5_000, maxEntries: 1 })
  const runChecks = () => runCheckup(doctorToolsOf(deps, { config, engine, machine }))
  const routing = createRoutingCache(databases, log)
  // Requests to providers are stored only as a keyed hash, because they contain card numbers.
  const [hashKey = Buffer.alloc(0)] = derivedKeys(config.masterKeys, 'requests to providers')
  const signingKeys = createSigningKeys(config.masterKeys)
  const deps: Deps = {
    databases,
    cells: createCells(databases),
    clock: overrides.clock ?? databaseClock,
    eventLog: createEventLog(routing, metrics, engine.announcements.announce),
    eventToVersion: (version, type, object) => versions.down(version, type, object) as object,
    pagesOf: (workspaceId) => customerPagesOf(deps, workspaceId),
    timeOf: (caller, id) => loadTestClock(deps, caller, id),
    publish: overrides.publish ?? engine.publish,
    versions,
    allowedOperations,
    sealedBox: createSealedBox(config.masterKeys),
    outbound,
    workTypes: () => workTypes,
    announcements: engine.announcements,
    runCheckup: () => checkups.get('all', runChecks),
    ...settingsOf(config),
    providers: registry,
    checkProvider: createAccountCheck(outbound),
    performer: createPerformer({ sender: outbound, log, hashKey, onVaultCall: vaultCallCounter(metrics) }),
    certificates: createCertificates(outbound),
    runInBackground: backgroundWork.add,
    ...signingKeys.keys,
    revokeApiTokens: (caller, tokens) => revokeApiTokens(deps, caller, tokens),
    dashboardUrl: () => config.dashboard.url,
    log,
    ...limitsOf(overrides),
    ...createCaches(),
    limitLinkOpens: createLinkLimit(config, processes),
    checkoutMetrics: metrics,
    mailMetrics: metrics,
    taxMetrics: metrics,
    financeMetrics: metrics,
    mailer: createMailer(config.mail),
    mailEvents: config.mail.events,
    routing,
    compiledRoutes: createCache({ ttlMs: 3_600_000, maxEntries: 2_000 }),
    thread: createThread(new URL('./thread-worker.ts', import.meta.url)),
    health: {
      recordResult: (account, call) => health.recordResult(account, call),
      isOpen: (id, lane) => health.isOpen(id, lane),
      shouldProbe: (id, lane) => health.shouldProbe(id, lane),
      recordProbeStart: (id, lane) => health.recordProbeStart(id, lane),
    },
    webhookDispatcher: { serve: (ref) => dispatcher.serve(ref), tryOnce: (ref) => dispatcher.tryOnce(ref) },
  }
  const health: HealthMonitor = new HealthMonitor({ deps, metrics, processes })
  const notifier = createProcessNotifier(engine.connection, dispatcherTopic, 'webhook_endpoint')
  const dispatcher: LaneDispatcher = new LaneDispatcher({ deps, log, metrics, notifier })
  return { deps, engine, dispatcher, health, backgroundWork, signingKeys }
}

function connectDatabases(config: Config, log: Log, metrics: Metrics): Databases {
  const databases = openDatabases({
    url: config.databaseUrl,
    shards: config.shards,
    poolSize: config.databasePool,
    onError: (error) => log.warn('lost a database connection', { error }),
    onReadOnly: (shard, isReadOnly) => {
      metrics.databaseReadOnly.set({ shard }, isReadOnly ? 1 : 0)
      if (isReadOnly) log.error('No standby confirms commits. Writes are refused until one does.', { shard })
      else log.info('A standby has confirmed a commit. Writes are accepted again.', { shard })
    },
  })
  watchConnections(metrics, allDatabases(databases))
  initializeTimes(metrics, databases)
  return databases
}

function doctorToolsOf(
  deps: Deps,
  { config, engine, machine }: Pick<DoctorTools, 'config' | 'engine' | 'machine'>,
): DoctorTools {
  return {
    config,
    databases: deps.databases,
    clock: deps.clock,
    engine,
    workTypes,
    machine,
    checkTaxProvider: (workspaceId) => checkTaxProviderOf(deps, workspaceId),
    checkVault: (workspaceId) => checkVault(deps, workspaceId),
  }
}

function vaultCallCounter({ vaultCalls }: Metrics) {
  return (vault: string, result: string) => vaultCalls.inc({ vault, result })
}

function limitsOf(overrides: Overrides): Pick<Deps, 'limits' | 'exportLimits'> {
  return {
    limits: overrides.limits ?? { providerMs: 65_000, requestMs: 25_000 },
    exportLimits: overrides.exportLimits ?? exportLimits,
  }
}

/** Part of the NATS subject on which webhook dispatchers notify each other. */
const dispatcherTopic = 'courier'

/** The caches of data that other processes may change. */
function createCaches(): Pick<
  Deps,
  | 'openAccounts'
  | 'openVaults'
  | 'publicLinks'
  | 'sellers'
  | 'elementOrigins'
  | 'cardBins'
  | 'storedCardBins'
  | 'tokenLookups'
> {
  return {
    openAccounts: createCache({ ttlMs: 5_000, maxEntries: 10_000 }),
    openVaults: createCache({ ttlMs: 5_000, maxEntries: 10_000 }),
    publicLinks: createCache({ ttlMs: 5_000, maxEntries: 10_000 }),
    sellers: createCache({ ttlMs: 5_000, maxEntries: 10_000 }),
    elementOrigins: createCache({ ttlMs: 5_000, maxEntries: 10_000 }),
    cardBins: createCache({ ttlMs: 60_000, maxEntries: 10_000 }),
    storedCardBins: createControlCache(10_000),
    tokenLookups: createControlCache(10_000),
  }
}

/** The settings that service functions use unchanged. */
function settingsOf(config: Config) {
  const { vaultLive, invoiceFonts, addresses, checkoutLimits, simulatorUrl, simulatorSecret } = config
  return { vaultLive, invoiceFonts, addresses, checkoutLimits, simulatorUrl, simulatorSecret }
}

/** A rate limit per payment link, which is divided by the number of API processes. */
function createLinkLimit({ checkoutOpensPerLink }: Config, processes: () => number): Deps['limitLinkOpens'] {
  const buckets = createBuckets()
  return (id) => {
    const perSecond = Math.ceil(checkoutOpensPerLink / processes())
    return buckets.take(id, { perSecond, burst: 2 * perSecond })
  }
}

/**
 * The versions of cached entries are checked once a second, so that every process uses a published route
 * within two seconds, even without NATS.
 */
function createRoutingCache(databases: Databases, log: Log): Deps['routing'] {
  return createVersionedCache({
    versionsOf: (ids) => routingVersionsOf(databases, ids),
    groupOf: (id) => databases.of(id).name,
    everyMs: 1_000,
    maxAgeMs: 1_900,
    maxEntries: 10_000,
    log,
  })
}

const countedDisputeEvents = new Map<string, string>(
  disputeChanges.map((change) => [`dispute.${change}`, change]),
)

/**
 * Stores and announces events. An event of a route or a provider account invalidates the cached routing of
 * this process, and an event of a dispute increments the metric of disputes.
 */
function createEventLog(
  routing: Deps['routing'],
  { disputes }: Pick<Metrics, 'disputes'>,
  announce: (workspaceId: Id<'workspace'>) => void,
): Deps['eventLog'] {
  const changedWorkspaces = new Set<Id<'workspace'>>()
  return {
    hintsOf,
    insertEvents(tx, events) {
      const changesRouting = events.some(({ type }) => /^(payment_route|provider_account)\./.test(type))
      if (changesRouting) changedWorkspaces.add(tx.caller.workspaceId)
      return insertEvents(tx, events)
    },
    announce(workspaceId, eventTypes) {
      for (const type of eventTypes) {
        const change = countedDisputeEvents.get(type)
        if (change !== undefined) disputes.inc({ mode: modeOf(workspaceId), change })
      }
      if (changedWorkspaces.delete(workspaceId)) routing.invalidate(workspaceId)
      announce(workspaceId)
    },
  }
}

function openOutbound({ outbound, simulatorUrl }: Config): Outbound {
  try {
    return createOutbound({ ...outbound, simulatorUrl })
  } catch (error) {
    throw new ConfigError(`WEBHOOK_ALLOW_CIDRS: ${(error as Error).message}`)
  }
}
