// The real app with a manual clock, in front of an emulated provider that is reached through the proxy.

import type { FastifyInstance } from 'fastify'
import { type Simulator, startSimulator } from '../../../simulator/src/index.ts'
import { buildApp } from '../../src/app.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import type { Deps, WorkType } from '../../src/deps.ts'
import { expirePayments, resolvePayments } from '../../src/domains/payments/payments/work.ts'
import { processProviderEvents } from '../../src/domains/routing/provider-webhooks/work.ts'
import { type ManualClock, manualClock } from '../../src/kernel/clock.ts'
import { idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { readDue } from '../../src/platform/engine/read-due.ts'
import { mapConcurrently } from '../../src/platform/map-concurrently.ts'
import { createPerformer } from '../../src/providers/perform.ts'
import { setUpWorkspace } from '../../src/setup.ts'
import type { Api } from '../support/emulated-accounts.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import { type CutProxy, startCutProxy } from './cut-proxy.ts'
import { createPlannedCuts, type PlannedCuts } from './planned-cuts.ts'

export type CutInstallation = {
  readonly simulator: Simulator
  readonly proxy: CutProxy
  readonly cuts: PlannedCuts
  newWorkspace(): Promise<Api>
  /** Advances both clocks, and runs what is due then. */
  letTimePass(seconds: number): Promise<void>
  close(): Promise<void>
}

/** Calls and work that run concurrently. */
export const concurrency = 16

export async function openCutInstallation(databaseUrl: string): Promise<CutInstallation> {
  const simulator = await startSimulator()
  const proxy = await startCutProxy(simulator.url)
  const clock = manualClock(new Date())
  const cuts = createPlannedCuts((name) => proxy.applied.has(name))
  const addresses = { live: '', test: '' }
  const switchyard = compose(configOf(databaseUrl, proxy.url, addresses), {
    clock,
    publish: () => {},
    tokenCacheMs: 3_600_000,
    isOverloaded: () => false,
  })
  const deps: Deps = {
    ...switchyard.deps,
    health: disabledHealth,
    performer: cuts.wrapPerformer(
      createPerformer({
        sender: cuts.wrapSender(switchyard.deps.outbound),
        log: switchyard.log,
        hashKey: Buffer.alloc(32),
      }),
    ),
  }
  const app = buildApp({ ...switchyard, deps }, 'test')
  addresses.test = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    simulator,
    proxy,
    cuts,
    newWorkspace: () => newWorkspace(deps, app),
    letTimePass: (seconds) => letTimePass(deps, { clock, simulator }, seconds),
    async close() {
      const closed = app.close()
      app.server.closeAllConnections()
      await closed
      await switchyard.close()
      await proxy.stop()
      await simulator.stop()
    },
  }
}

export function configOf(
  databaseUrl: string,
  simulatorUrl: string,
  addresses: { live: string; test: string },
) {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: testMasterKeys,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'silent',
    DATABASE_POOL: String(concurrency),
    RATE_LIMIT_TEST: '100000',
    SIMULATOR_URL: simulatorUrl,
  })
  // The port is known only after the app listens, so the address is set then.
  return { ...config, addresses }
}

/** Disables the circuit breaker, which the cuts would open. It would stop the payments that follow. */
export const disabledHealth: Deps['health'] = {
  recordResult() {},
  isOpen: () => false,
  shouldProbe: () => false,
  recordProbeStart() {},
}

export async function newWorkspace(deps: Deps, app: FastifyInstance): Promise<Api> {
  const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
  const { token } = await setUpWorkspace(deps, { organizationId, mode: 'test', name: 'A shop' })
  const call = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
    return { status: response.statusCode, headers: new Headers(), body: response.json() }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, (body ?? {}) as object),
    put: (path, body) => call('PUT', path, body as object),
  }
}

type Clocks = { readonly clock: ManualClock; readonly simulator: Simulator }

/** The work that can change a payment. */
const workTypes: readonly WorkType[] = [resolvePayments, expirePayments, processProviderEvents]
/** More work items than any run has. */
const maxDue = 100_000

export async function letTimePass(deps: Deps, { clock, simulator }: Clocks, seconds: number): Promise<void> {
  clock.advance({ seconds })
  await simulator.control('POST', 'time', { advance_ms: seconds * 1_000 })
  for (let isAnyDue = true; isAnyDue; ) {
    isAnyDue = false
    for (const work of workTypes) {
      const due = await readDue(deps.databases.control, deps, work, maxDue)
      await mapConcurrently(concurrency, due, (ref) => work.handle(deps, ref))
      isAnyDue ||= due.length > 0
    }
  }
}
