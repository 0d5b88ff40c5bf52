// An installation in which many subscriptions renew at the same time: workers that can be killed, NATS that
// can lose its store, and a simulator that survives and keeps the ledger.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { afterAll } from 'vitest'
import { startNats } from '../../../../../scripts/services/nats.ts'
import { advanceSubscriptionsWork } from '../../../src/domains/billing/subscriptions/work.ts'
import { databaseClock } from '../../../src/kernel/clock.ts'
import { type Id, idFromUuid, type Mode } from '../../../src/kernel/id.ts'
import { asOwner } from '../../../src/platform/db/owner.ts'
import { workSubject } from '../../../src/platform/engine/subjects.ts'
import { createAttachedMethod } from '../../support/payment-methods.ts'
import { completeSeller } from '../../support/seller.ts'
import { type ServerProcess, startServer } from '../../support/server-process.ts'
import { simulatorForThisFile } from '../../support/simulator.ts'
import { switchyardForThisFile } from '../../support/switchyard.ts'
import { insertSubscriptions, type SubscriptionBatch } from './insert-subscriptions.ts'
import { findChargeViolations, findRenewalViolations, readCharges } from './renewal-checks.ts'
import { until } from './wait.ts'

type WorkspaceId = Id<'workspace'>

export async function startRenewalInstallation() {
  const simulator = await simulatorForThisFile()
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    // Separate processes cannot use a manual clock.
    overrides: { clock: databaseClock },
  })
  const { databaseUrl } = switchyard
  const workspaces: WorkspaceId[] = []
  const insertBatch = async (workspaceId: WorkspaceId, batch: Omit<SubscriptionBatch, 'workspaceId'>) => {
    await asOwner(databaseUrl, (client) => insertSubscriptions(client, { workspaceId, ...batch }))
    workspaces.push(workspaceId)
  }

  const processes = await startProcesses({ DATABASE_URL: databaseUrl, SIMULATOR_URL: simulator.url })

  return {
    ...processes,
    ...progressChecks(databaseUrl),
    repeatMessages: () => repeatMessages(databaseUrl, processes.natsUrl),
    /**
     * Adds subscriptions in live mode, where nothing is collected yet: first attempts are spread over an
     * hour.
     */
    async addUncollected(subscriptions: number, dueAt: Date): Promise<void> {
      const { workspaceId, put } = await switchyard.newWorkspace('live')
      await put('/seller', completeSeller)
      await insertBatch(workspaceId as WorkspaceId, { subscriptions, dueAt, card: null })
    },
    /**
     * Adds subscriptions in test mode, where invoices are collected immediately. The provider responds
     * slowly, so that some payments are always in progress.
     */
    async addCollected(subscriptions: number, dueAt: Date): Promise<WorkspaceId> {
      const workspace = await switchyard.newWorkspace()
      const card = (await createAttachedMethod(
        workspace,
        await workspace.aCustomer(),
      )) as Id<'payment_method'>
      for (const { id } of (await workspace.get('/provider-accounts')).body.data)
        await simulator.configure(id, { latency_ms: 50, webhooks: 'off' })
      await insertBatch(workspace.workspaceId as WorkspaceId, { subscriptions, dueAt, card })
      return workspace.workspaceId as WorkspaceId
    },
    findViolations: (testWorkspace: WorkspaceId) =>
      asOwner(databaseUrl, async (client) => [
        ...(await findRenewalViolations(client, workspaces)),
        ...(await findChargeViolations(client, [testWorkspace], await readCharges(simulator.url))),
      ]),
  }
}

/** Starts NATS and workers, which tests can kill. */
async function startProcesses(environment: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-renewals-'))
  const storeDir = join(folder, 'nats')
  let nats = await startNats({ storeDir })
  const workers: ServerProcess[] = []
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')))
    await nats.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    natsUrl: nats.url,
    async startWorker(): Promise<ServerProcess> {
      const natsSettings = { NATS_URL: nats.url, DRAIN_SECONDS: '0' }
      const worker = await startServer('worker', { ...environment, ...natsSettings })
      workers.push(worker)
      return worker
    },
    /** JetStream is killed and restarted with an empty store. */
    async wipeNats(): Promise<void> {
      await nats.stop('SIGKILL')
      rmSync(storeDir, { recursive: true, force: true })
      nats = await startNats({ storeDir, port: nats.port })
    },
  }
}

const repeatEveryMs = 100
const repeatBatchSize = 100

/** Publishes due subscriptions repeatedly, even while they are being handled, until it is stopped. */
async function repeatMessages(databaseUrl: string, natsUrl: string): Promise<() => Promise<void>> {
  const connection = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 })
  let isStopped = false
  const repeatUntilStopped = async () => {
    while (!isStopped) {
      const { rows } = await asOwner(databaseUrl, (client) =>
        client.query<DueRow>(randomDueSubscriptions, [repeatBatchSize]),
      )
      // Messages that are lost because NATS is being killed do not matter.
      for (const { mode, workspace_id, id } of rows)
        connection.publish(
          workSubject(advanceSubscriptionsWork.name, {
            workspaceId: idFromUuid('workspace', mode, workspace_id),
            id: idFromUuid('subscription', mode, id),
          }),
        )
      await sleep(repeatEveryMs)
    }
  }
  const repeating = repeatUntilStopped()
  return async () => {
    isStopped = true
    await repeating
    await connection.close()
  }
}

type DueRow = { readonly mode: Mode; readonly workspace_id: string; readonly id: string }

const randomDueSubscriptions = `select workspaces.mode, subscriptions.workspace_id, subscriptions.id
  from subscriptions join workspaces using (workspace_id)
  where next_action_at <= now() order by random() limit $1`

function progressChecks(databaseUrl: string) {
  const count = (text: string) =>
    asOwner(databaseUrl, async (client) => Number((await client.query(text)).rows[0].count))
  return {
    countNumbered: () => count(numberedInvoices),
    countSending: () => count(sendingPayments),
    /**
     * Waits until every invoice is paid. Expires the leases of workers that were killed while they called the
     * provider.
     */
    async waitUntilPaid(withinMs: number): Promise<void> {
      let before = Number.NaN
      const isPaid = async () => {
        const unpaid = await count(unpaidInvoices)
        // Nothing has changed for a second, so killed workers hold the remaining leases.
        if (unpaid === before) await asOwner(databaseUrl, (client) => client.query(expireLeases))
        before = unpaid
        return unpaid === 0
      }
      await until('all are paid', isPaid, { withinMs, everyMs: 1_000 })
    },
  }
}

/** Counts the invoices that have a number, except the invoices of the first month. */
const numberedInvoices = `select sum(next_sequence - 1) - (select count(*) from subscriptions) as count
  from invoice_series`

const sendingPayments = `select count(*) from operations where status = 'sending' and kind = 'authorize'`

const unpaidInvoices = `select count(*) from invoices join workspaces using (workspace_id)
  where workspaces.mode = 'test' and status <> 'paid'`

/** Disables the triggers that require an event for each change. */
const expireLeases = `set session_replication_role = replica;
  update operations set lease_until = now() - interval '1 second', due_at = now() - interval '1 second'
  where status = 'sending' and due_at > now()`
