/** The only place where real things are built: from a configuration to everything that runs. */
import { access, allowedOperations } from './access.ts'
import { type Config, ConfigError } from './config.ts'
import type { Deps, Limits } from './deps.ts'
import { type Machine, thisMachine } from './doctor/check.ts'
import { examine } from './doctor/examine.ts'
import { Courier } from './domains/deliveries/service/courier.ts'
import { hintsOf, insertEvents } from './domains/events/store.ts'
import { HealthWatch } from './domains/provider-accounts/service/watch.ts'
import { timeOf } from './domains/test-clocks/service.ts'
import { createIdentify } from './identify.ts'
import type { Checkup } from './kernel/checkup.ts'
import { type Clock, databaseClock } from './kernel/clock.ts'
import type { Id, Mode } from './kernel/id.ts'
import { createCache } from './platform/cache.ts'
import { type Databases, openDatabases } from './platform/db/databases.ts'
import { routingVersionsOf } from './platform/db/routing-versions.ts'
import { derivedKeys } from './platform/derived-keys.ts'
import { connectEngine } from './platform/engine/engine.ts'
import { type Peers, watchPeers } from './platform/engine/peers.ts'
import { createRings } from './platform/engine/rings.ts'
import type { Hint } from './platform/engine/work.ts'
import { originOf } from './platform/http/dashboard-pages.ts'
import { createBuckets, createInFlight } from './platform/http/limits.ts'
import { watchOverload } from './platform/http/overload.ts'
import type { Site } from './platform/http/site.ts'
import { createLog, type Log } from './platform/log.ts'
import { createMailer } from './platform/mail.ts'
import { createMemory, type Memory } from './platform/memory.ts'
import { createMetrics, type Metrics, watchConnections } from './platform/metrics.ts'
import { createOutbound } from './platform/outbound/client.ts'
import type { Outbound } from './platform/outbound/outbound.ts'
import { createSealedBox } from './platform/sealed-box.ts'
import { createAccountCheck } from './providers/check-account.ts'
import { createPerformer } from './providers/perform.ts'
import { registry } from './providers/registry.ts'
import { createRequestLog } from './request-lines.ts'
import { versions } from './versions/registry.ts'
import { works } from './worker.ts'

/** What a harness may turn by hand. */
export type Overrides = {
  readonly clock?: Clock
  readonly log?: Log
  readonly publish?: (hints: readonly Hint[], now: Date) => void
  /** How long a recognized token is remembered: as long as a revocation may take to be seen everywhere. */
  readonly tokenMemoryMs?: number
  readonly isOverloaded?: () => boolean
  readonly outbound?: Outbound
  readonly limits?: Limits
  readonly machine?: Machine
}

export type Switchyard = ReturnType<typeof compose>

export function compose(config: Config, overrides: Overrides = {}) {
  const log = overrides.log ?? createLog(config.logLevel)
  const metrics = createMetrics()
  let peers: Peers | undefined
  const processes = () => peers?.count() ?? 1
  const { deps, engine, courier, health, loose } = build(config, overrides, { log, metrics, processes })
  const { databases, outbound } = deps
  const overload = watchOverload()
  let draining = false
  const requestLog = createRequestLog(databases, log, metrics)
  const shared = {
    addresses: config.addresses,
    dashboardOrigin: () => originOf(config.dashboard.url),
    access,
    versions,
    identify: createIdentify(deps, log, overrides.tokenMemoryMs ?? 4_000),
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
    siteFor(mode: Mode): Site {
      // Only processes that serve the API share its limits, so a worker never counts itself.
      peers ??= watchPeers(engine.connection)
      const { count } = peers
      const shareOf = (limit: number) => Math.ceil(limit / count())
      const requestsPerSecond = () => shareOf(config.requestsPerSecond[mode])
      return { ...shared, mode, requestsPerSecond, shareOf }
    },
    isDraining: () => draining,
    drain: () => {
      draining = true
      courier.drain()
    },
    async close(): Promise<void> {
      overload.stop()
      peers?.stop()
      deps.routing.stop()
      await courier.stop()
      await loose.ended()
      await health.stop()
      await outbound.close()
      await requestLog.flush()
      await engine.close()
      await databases.close()
    },
    flushRequestLog: () => requestLog.flush(),
  }
}

type Tools = { readonly log: Log; readonly metrics: Metrics; readonly processes: () => number }

/** What verbs need, and the pieces of it that have a life of their own. */
function build(config: Config, overrides: Overrides, { log, metrics, processes }: Tools) {
  const { outbound = openOutbound(config), machine = thisMachine } = overrides
  requireReachable(outbound, config)
  const databases = openDatabases({
    url: config.databaseUrl,
    vaultUrl: config.vaultDatabaseUrl,
    poolSize: config.databasePool,
    onError: (error) => log.warn('lost a connection to the database', { error }),
  })
  watchConnections(metrics, () => databases.control.stats())
  const engine = connectEngine({ natsUrl: config.natsUrl, log, metrics })
  const loose = createLooseEnds(log)
  // Whoever looks at the page of the installation at the same time looks once.
  const looks = createCache<Checkup>({ ttlMs: 5_000, maxEntries: 1 })
  const routing = rememberRouting(databases, log)
  // Requests to providers are remembered by a keyed hash: they hold card numbers.
  const [hashKey = Buffer.alloc(0)] = derivedKeys(config.masterKeys, 'requests to providers')
  const deps: Deps = {
    databases,
    clock: overrides.clock ?? databaseClock,
    eventLog: noticing(routing, { insertEvents, hintsOf, announce: engine.announcements.announce }),
    eventToVersion: (version, type, object) => versions.down(version, type, object) as object,
    timeOf: (caller, id) => timeOf(deps, caller, id),
    publish: overrides.publish ?? engine.publish,
    versions,
    allowedOperations,
    sealedBox: createSealedBox(config.masterKeys),
    vaultLive: config.vaultLive,
    invoiceFonts: config.invoiceFonts,
    outbound,
    works: () => works,
    announcements: engine.announcements,
    examine: () =>
      looks.get('all', () => examine({ config, databases, clock: deps.clock, engine, works, machine })),
    addresses: config.addresses,
    providers: registry,
    simulatorUrl: config.simulatorUrl,
    checkProvider: createAccountCheck(outbound),
    performer: createPerformer({ sender: outbound, log, hashKey }),
    later: loose.add,
    linkKeys: derivedKeys(config.masterKeys, 'links of payers'),
    sessionKeys: derivedKeys(config.masterKeys, 'tokens of sessions'),
    dashboardUrl: () => config.dashboard.url,
    log,
    limits: overrides.limits ?? { providerMs: 65_000, requestMs: 25_000 },
    openAccounts: createCache({ ttlMs: 5_000, maxEntries: 10_000 }),
    publicLinks: createCache({ ttlMs: 5_000, maxEntries: 10_000 }),
    sellers: createCache({ ttlMs: 5_000, maxEntries: 10_000 }),
    checkoutFigures: metrics,
    mailer: createMailer(config.mail),
    routing,
    compiledRoutes: createCache({ ttlMs: 3_600_000, maxEntries: 2_000 }),
    health: {
      note: (account, call) => health.note(account, call),
      isOpen: (id, lane) => health.isOpen(id, lane),
      mayProbe: (id, lane) => health.mayProbe(id, lane),
      began: (id, lane) => health.began(id, lane),
    },
    courier: { serve: (ref) => courier.serve(ref), tryOnce: (ref) => courier.tryOnce(ref) },
  }
  const health: HealthWatch = new HealthWatch({ deps, metrics, processes })
  const rings = createRings(engine.connection, 'courier', 'webhook_endpoint')
  const courier: Courier = new Courier({ deps, log, metrics, rings })
  return { deps, engine, courier, health, loose }
}

/** Asked once a second: with that, what is published is seen by every process within two, whatever NATS does. */
function rememberRouting(databases: Databases, log: Log): Memory<unknown> {
  return createMemory({
    versionsOf: (ids) => routingVersionsOf(databases, ids),
    everyMs: 1_000,
    maxAgeMs: 1_900,
    maxEntries: 10_000,
    log,
  })
}

/** Whoever tells of a route or an account has this process look again, so that no verb can forget to. */
function noticing(routing: Memory<unknown>, log: Deps['eventLog']): Deps['eventLog'] {
  const changing = new Set<Id<'workspace'>>()
  return {
    ...log,
    insertEvents(tx, events) {
      const isRouting = events.some(({ type }) => /^(payment_route|provider_account)\./.test(type))
      if (isRouting) changing.add(tx.caller.workspaceId)
      return log.insertEvents(tx, events)
    },
    announce(workspaceId) {
      if (changing.delete(workspaceId)) routing.forget(workspaceId)
      log.announce(workspaceId)
    },
  }
}

/** What goes on after its request was answered. */
function createLooseEnds(log: Log) {
  const running = new Set<Promise<unknown>>()
  return {
    add(work: Promise<unknown>) {
      const ended = work
        .catch((error) => log.error('something failed after its request was answered', { error }))
        .finally(() => running.delete(ended))
      running.add(ended)
    },
    ended: () => Promise.all(running),
  }
}

function openOutbound({ outbound }: Config): Outbound {
  try {
    return createOutbound(outbound)
  } catch (error) {
    throw new ConfigError(`WEBHOOK_ALLOW_CIDRS: ${(error as Error).message}`)
  }
}

/** Better now than at the first payment. */
function requireReachable(outbound: Outbound, { simulatorUrl }: Config): void {
  const fault = simulatorUrl === null ? null : outbound.faultOf(simulatorUrl, 'test')
  if (fault === null) return
  throw new ConfigError(
    `SIMULATOR_URL is "${simulatorUrl}". ${fault} WEBHOOK_ALLOW_LOOPBACK or WEBHOOK_ALLOW_CIDRS would open it.`,
  )
}
