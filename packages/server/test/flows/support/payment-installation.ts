// An installation for crash tests: the API and workers as processes, real NATS, and a simulator that survives
// their crashes. Setup and checks use a separate API in this process, which does not notify the workers.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect } from 'vitest'
import { databaseClock } from '../../../src/kernel/clock.ts'
import { type Id, uuidOf } from '../../../src/kernel/id.ts'
import { asOwner } from '../../../src/platform/db/owner.ts'
import { onlyStream } from '../../../src/platform/engine/subjects.ts'
import {
  addEmulatedAccount,
  createEmulatedAccount,
  type EmulatedAccount,
} from '../../support/emulated-accounts.ts'
import { natsForThisFile } from '../../support/nats.ts'
import { type ServerProcess, startServer } from '../../support/server-process.ts'
import { simulatorForThisFile } from '../../support/simulator.ts'
import { openLedger } from '../../support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../support/switchyard.ts'
import type { CrashProvider } from './crash-providers.ts'
import { withManager } from './test-worker.ts'

export type Request = { readonly path: string; readonly key: string; readonly body: object }
type Start = (
  command: 'api' | 'worker' | 'all',
  crashpoint?: string,
  environment?: Record<string, string>,
) => Promise<ServerProcess>
type Simulator = Awaited<ReturnType<typeof simulatorForThisFile>>

export async function startPaymentInstallation() {
  const nats = natsForThisFile()
  const simulator = await simulatorForThisFile()
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    // Separate processes cannot use a manual clock.
    overrides: { clock: databaseClock },
  })
  const started: Promise<ServerProcess>[] = []
  // Stop the processes that a failed test has left running, because they would handle the work of the
  // following tests. Do not use SIGKILL, because a test that has timed out would mistake it for the expected
  // crash.
  afterEach(async () => {
    for (const server of await Promise.allSettled(started.splice(0)))
      if (server.status === 'fulfilled') await server.value.kill('SIGTERM')
  })

  const start: Start = (command, crashpoint, environment = {}) => {
    const server = startServer(command, {
      DATABASE_URL: switchyard.databaseUrl,
      SIMULATOR_URL: simulator.url,
      NATS_URL: nats.url,
      TEST_BASE_URL: switchyard.addresses.test,
      DRAIN_SECONDS: '0',
      ...(crashpoint === undefined ? {} : { CRASHPOINT: crashpoint }),
      ...environment,
    })
    started.push(server)
    return server
  }

  return {
    switchyard,
    simulator,
    ledger: openLedger(simulator.url),
    start,
    /** A workspace with two accounts of the provider. */
    async newShop({ name }: CrashProvider): Promise<EmulatedAccount<Workspace>> {
      const workspace = await switchyard.newWorkspace()
      if (name === 'simulator') return { workspace, id: await findFirstAccount(workspace), provider: name }
      const account = await createEmulatedAccount(workspace, name)
      await addEmulatedAccount(workspace, name)
      return account
    },
    ...crashHelpers(start, simulator),
    ...timeHelpers(switchyard.databaseUrl, nats),
  }
}

export function sendRequest(
  { addresses }: ServerProcess,
  { token }: Workspace,
  { path, key, body }: Request,
) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  }
  return fetchWhenReady(addresses.test + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** Retries after `Retry-After` while the server is overloaded, for example just after its start. */
export async function fetchWhenReady(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.status !== 503) return response
  await sleep(Number(response.headers.get('retry-after')) * 1000)
  return fetchWhenReady(url, init)
}

/** Longer than a test: the simulator responds when its clock is advanced. */
const providerDelayMs = 600_000

/**
 * Not a crash point in the code: the process is killed from outside while the provider processes the request.
 */
export const duringProviderCall = 'during_provider_call'

function crashHelpers(start: Start, simulator: Simulator) {
  const killDuringProviderCall = async (workspace: Workspace, startProcess: () => Promise<ServerProcess>) => {
    const account = await findFirstAccount(workspace)
    await simulator.configure(account, { latency_ms: providerDelayMs })
    const countCalls = async () =>
      (await simulator.listCalls(account)).filter(({ path }) => !path.endsWith('/oauth2/token')).length
    const before = await countCalls()
    const server = await startProcess()
    await expect.poll(countCalls, { timeout: 20_000 }).toBeGreaterThan(before)
    await server.kill('SIGKILL')
    await openLedger(simulator.url).advance(providerDelayMs)
    await simulator.configure(account, { latency_ms: 0 })
  }

  return {
    /** Sends a request to an API process that crashes at this point. */
    async crashDuringRequest(point: string, workspace: Workspace, request: Request): Promise<void> {
      const responses: unknown[] = []
      const startProcess = async () => {
        const crashing = await start('api', point)
        sendRequest(crashing, workspace, request).then(
          (response) => responses.push(response),
          () => {},
        )
        return crashing
      }
      if (point === duringProviderCall) await killDuringProviderCall(workspace, startProcess)
      else expect(await (await startProcess()).exited).toBe('SIGKILL')
      expect(responses).toEqual([])
    },
    /** Starts a worker that crashes at this point of `payment.resolve`, possibly before it reports that it is ready. */
    async crashDuringWork(point: string, workspace: Workspace): Promise<void> {
      if (point === duringProviderCall) return killDuringProviderCall(workspace, () => start('worker'))
      const crashpoint = point.startsWith('work.') ? `${point}:payment.resolve` : point
      const exit = await start('worker', crashpoint).then(
        (crashing) => crashing.exited,
        (error: Error) => error.message,
      )
      expect(exit).toContain('SIGKILL')
    },
  }
}

type ListedAccount = { readonly id: string; readonly position: number; readonly status: string }

/** The account that is tried first. */
async function findFirstAccount({ get }: Workspace): Promise<string> {
  const { data } = (await get('/provider-accounts')).body
  return data
    .filter(({ status }: ListedAccount) => status === 'active')
    .toSorted((a: ListedAccount, b: ListedAccount) => a.position - b.position)[0].id
}

/** Sets the due time of all pending work in these tests. */
const setDueIn = (interval: string) =>
  ['operations', 'payments', 'provider_events']
    .map((table) => `update ${table} set due_at = now() + interval '${interval}' where due_at is not null`)
    .join(';')

function timeHelpers(databaseUrl: string, nats: { readonly url: string }) {
  // Disable the triggers that require an event for each change.
  const updateWithoutEvents = (statements: string) =>
    asOwner(databaseUrl, (client) => client.query(`set session_replication_role = replica; ${statements}`))

  const expireKeys = `update idempotency_keys set lease_until = now() - interval '1 second' where state = 'running'`

  return {
    /** Expires the leases of idempotency keys only, so that a repeated request continues the first one. */
    expireIdempotencyLeases: () => updateWithoutEvents(expireKeys),
    /** Expires all leases and makes all waiting work due, without publishing it to NATS. */
    async expireAllLeases(): Promise<void> {
      await updateWithoutEvents(`
        ${expireKeys};
        update operations set lease_until = now() - interval '1 second' where due_at is not null;
        ${setDueIn('-1 second')}`)
      // Delete the stream, so that the reconciler finds the rows. NATS would redeliver the messages of a
      // killed worker only after half a minute.
      await withManager(nats.url, (manager) => manager.streams.delete(onlyStream.name)).catch(() => {})
    },
    /** Makes only this payment due, so that the next worker resolves its outcome and does nothing else. */
    makeOnlyDue: (paymentId: string) =>
      updateWithoutEvents(`
        ${setDueIn('1 hour')};
        update operations set due_at = now()
        where payment_id = '${uuidOf(paymentId as Id<'payment'>)}' and due_at is not null`),
    /**
     * Backdates the payments of this workspace by a number of days and an hour, and makes open operations due. Waits
     * for the first check, which could otherwise start before this change and end after it.
     */
    async makeDaysPass({ workspaceId }: Workspace, days: number): Promise<void> {
      const [age, workspace] = [`interval '${days} days 1 hour'`, uuidOf(workspaceId as Id<'workspace'>)]
      const unchecked = `select id from operations
        where workspace_id = '${workspace}' and due_at is not null and checks = 0`
      const countUnchecked = () =>
        asOwner(databaseUrl, async (client) => (await client.query(unchecked)).rowCount)
      await expect.poll(countUnchecked, { timeout: 20_000 }).toBe(0)
      await updateWithoutEvents(`
        update payments set created_at = created_at - ${age} where workspace_id = '${workspace}';
        update operations
        set created_at = created_at - ${age}, complete_before_at = complete_before_at - ${age}, due_at = now()
        where workspace_id = '${workspace}' and due_at is not null`)
    },
    /** Kind and status of all open operations of a workspace. */
    async listOpenOperations({ workspaceId }: Workspace): Promise<string[]> {
      const open = `select kind || ' ' || status as operation from operations where workspace_id = $1
        and status in ('sending', 'pending', 'awaiting_customer', 'unknown', 'needs_review')`
      const { rows } = await asOwner(databaseUrl, (client) =>
        client.query<{ operation: string }>(open, [uuidOf(workspaceId as Id<'workspace'>)]),
      )
      return rows.map(({ operation }) => operation)
    },
  }
}
