// An installation in which many subscriptions renew at one instant: workers that may be killed, a NATS that may lose
// its store, and a simulator that outlives them all and keeps the books.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import { afterAll } from 'vitest'
import { startNats } from '../../../../../scripts/services/nats.ts'
import { advanceSubscriptionsWork } from '../../../src/domains/subscriptions/work.ts'
import { databaseClock } from '../../../src/kernel/clock.ts'
import { type Id, idFromUuid, type Mode } from '../../../src/kernel/id.ts'
import { asOwner } from '../../../src/platform/db/owner.ts'
import { workSubject } from '../../../src/platform/engine/subjects.ts'
import { anAttached } from '../../support/payment-methods.ts'
import { type ServerProcess, startServer } from '../../support/server-process.ts'
import { simulatorForThisFile } from '../../support/simulator.ts'
import { switchyardForThisFile } from '../../support/switchyard.ts'
import { chargedIn, faultsOfCharges, faultsOfRenewals } from './renewals-audit.ts'
import { type Crowd, fillSubscriptions } from './renewals-fill.ts'
import { until } from './wait.ts'

type Owner = Id<'workspace'>

export async function renewalScene() {
  const simulator = await simulatorForThisFile()
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    // Processes of their own know no clock that is turned by hand.
    overrides: { clock: databaseClock },
  })
  const { databaseUrl } = switchyard
  const workspaces: Owner[] = []
  const put = async (workspaceId: Owner, crowd: Omit<Crowd, 'workspaceId'>) => {
    await asOwner(databaseUrl, (client) => fillSubscriptions(client, { workspaceId, ...crowd }))
    workspaces.push(workspaceId)
  }

  const running = await processes({ DATABASE_URL: databaseUrl, SIMULATOR_URL: simulator.url })

  return {
    ...running,
    ...progressIn(databaseUrl),
    repeatMessages: () => repeatMessages(databaseUrl, running.natsUrl),
    /** In production, where nothing is collected for a while: first attempts are spread over an hour. */
    async fill(subscriptions: number, dueAt: Date): Promise<void> {
      const { workspaceId } = await switchyard.newWorkspace('live')
      await put(workspaceId as Owner, { subscriptions, dueAt, card: null })
    },
    /** For tests, where it is tried at once. The provider takes its time, so that some payments are always under way. */
    async fillPaying(subscriptions: number, dueAt: Date): Promise<Owner> {
      const workspace = await switchyard.newWorkspace()
      const card = (await anAttached(workspace, await workspace.aCustomer())) as Id<'payment_method'>
      for (const { id } of (await workspace.get('/provider-accounts')).body.data)
        await simulator.configure(id, { latency_ms: 50, webhooks: 'off' })
      await put(workspace.workspaceId as Owner, { subscriptions, dueAt, card })
      return workspace.workspaceId as Owner
    },
    faults: (paying: Owner) =>
      asOwner(databaseUrl, async (client) => [
        ...(await faultsOfRenewals(client, workspaces)),
        ...(await faultsOfCharges(client, [paying], await chargedIn(simulator.url))),
      ]),
  }
}

/** Workers and NATS, which may be killed. */
async function processes(environment: Record<string, string>) {
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
      const own = { NATS_URL: nats.url, DRAIN_SECONDS: '0' }
      const worker = await startServer('worker', { ...environment, ...own })
      workers.push(worker)
      return worker
    },
    /** JetStream is killed, and what comes back knows nothing. */
    async wipeNats(): Promise<void> {
      await nats.stop('SIGKILL')
      rmSync(storeDir, { recursive: true, force: true })
      nats = await startNats({ storeDir, port: nats.port })
    },
  }
}

const repeatEveryMs = 100
const repeatedAtOnce = 100

/** Says again and again of those that are due that they are, also while somebody is at it. Until it is stopped. */
async function repeatMessages(databaseUrl: string, natsUrl: string): Promise<() => Promise<void>> {
  const connection = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 })
  let isOver = false
  const live = async () => {
    while (!isOver) {
      const { rows } = await asOwner(databaseUrl, (client) => client.query<DueRow>(someDue, [repeatedAtOnce]))
      // What does not arrive, because NATS is just being killed, is not missed.
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
  const living = live()
  return async () => {
    isOver = true
    await living
    await connection.close()
  }
}

type DueRow = { readonly mode: Mode; readonly workspace_id: string; readonly id: string }

const someDue = `select workspaces.mode, subscriptions.workspace_id, subscriptions.id
  from subscriptions join workspaces using (workspace_id)
  where next_action_at <= now() order by random() limit $1`

function progressIn(databaseUrl: string) {
  const count = (text: string) =>
    asOwner(databaseUrl, async (client) => Number((await client.query(text)).rows[0].count))
  return {
    numbered: () => count(numberedInvoices),
    underWay: () => count(paymentsUnderWay),
    /** Until all is paid. Whoever was killed while it asked the provider holds a lease: that time is let pass. */
    async paid(withinMs: number): Promise<void> {
      let before = Number.NaN
      const isPaid = async () => {
        const unpaid = await count(unpaidInvoices)
        // Nobody has done anything for a second: what is left belongs to the dead.
        if (unpaid === before) await asOwner(databaseUrl, (client) => client.query(leasesOver))
        before = unpaid
        return unpaid === 0
      }
      await until('all are paid', isPaid, { withinMs, everyMs: 1_000 })
    },
  }
}

/** Those of the first month aside. */
const numberedInvoices = `select sum(next_sequence - 1) - (select count(*) from subscriptions) as count
  from invoice_series`

const paymentsUnderWay = `select count(*) from operations where status = 'sending' and kind = 'authorize'`

const unpaidInvoices = `select count(*) from invoices join workspaces using (workspace_id)
  where workspaces.mode = 'test' and status <> 'paid'`

/** The triggers would ask for the event of a change that nobody made. */
const leasesOver = `set session_replication_role = replica;
  update operations set lease_until = now() - interval '1 second', due_at = now() - interval '1 second'
  where status = 'sending' and due_at > now()`
