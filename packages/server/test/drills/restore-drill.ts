// A restore as it would happen in production: an installation under load, a backup taken while it runs, an
// accidental deletion, the loss of the server, and a new server restored to the moment before the deletion,
// with an empty NATS. The guide docs/operations/backup-and-restore.md describes the same steps.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Postgres } from '../../../../scripts/services/postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'
import { backUp, type RecoveryTarget, startArchiving, waitUntilArchived } from './archived-postgres.ts'
import { type DataLoss, measureDataLosses } from './data-loss.ts'
import {
  compareWithLedger,
  countRows,
  fetchLedger,
  findDoubleCharges,
  findInconsistencies,
  findLostObjects,
  isIdle,
  type LedgerEntry,
} from './database-checks.ts'
import { type DrillInstallation, newWorkspace, runCommand, startInstallation } from './installation.ts'
import { type Acknowledged, type LoadGenerator, startLoad } from './load-generator.ts'
import { type DeliveryReport, registerReceiver, waitForDeliveries } from './receiver.ts'
import { createPaymentToRefund, repeatRefunds } from './repeat-refunds.ts'
import {
  createRestoreContext,
  type RestoreContext,
  type RestoreDrill,
  restorePoint,
  restoreTo,
  type Step,
} from './restore-context.ts'

export type RestoreReport = {
  readonly steps: readonly Step[]
  readonly rows: Readonly<Record<string, number>>
  readonly acknowledged: { readonly before: number; readonly after: number }
  /** One sentence per violation. */
  readonly violations: readonly string[]
  readonly doctor: string
  /**
   * Operations that the provider ran after the recovery target. The restored database has no row for them.
   */
  readonly missingInDatabase: readonly LedgerEntry[]
  /**
   * The number of refunds in `missingInDatabase` that were repeated, so that the database contains them
   * again.
   */
  readonly repeatedRefunds: number
  readonly deliveries: DeliveryReport
  /** The number of objects that the restored installation acknowledged. */
  readonly acknowledgedAfterRestore: number
  readonly losses: readonly DataLoss[]
}

export async function drillRestore(drill: RestoreDrill): Promise<RestoreReport> {
  const installation = await startInstallation()
  const running: Postgres[] = []
  try {
    return await runRestore(createRestoreContext(installation, drill), running)
  } finally {
    await Promise.all(running.map((postgres) => postgres.stop('immediate')))
    await installation.clear()
  }
}

async function runRestore(context: RestoreContext, running: Postgres[]): Promise<RestoreReport> {
  const { installation, drill, archive } = context
  const first = await startArchiving(context.dataDir, archive, drill.settings)
  running.push(first)
  const lost = await runUntilDisaster(context, first)
  const target: RecoveryTarget = { kind: 'time', at: lost.recoveryTime }
  const second = await context.measure('restore to the recovery time', () =>
    restoreTo(context, 'restored', target),
  )
  running.push(second)
  const environment = installation.environment(second.url)
  await context.measure('migrate', () => migrate(second.url))
  await installation.replaceNats()
  await context.measure('start the server with an empty NATS', () =>
    installation.start('all', { ...environment, TEST_LISTEN: `127.0.0.1:${installation.port}` }),
  )
  const checked = await asOwner(second.url, (client) => checkRestored(context, client, lost))
  const [doctor, audit] = await Promise.all([
    runCommand(['doctor'], environment),
    runCommand(['verify-audit'], environment),
  ])
  const failedCommands = [doctor, audit].filter(({ code }) => code !== 0).map(({ out }) => out)
  const losses = drill.measureOtherTargets ? await measureDataLosses(context, lost.acknowledged) : []
  const { violations, ...results } = checked
  return {
    ...results,
    steps: context.steps,
    doctor: doctor.out,
    losses,
    violations: [...violations, ...failedCommands],
  }
}

type LostInstallation = {
  readonly recoveryTime: Date
  readonly acknowledged: readonly Acknowledged[]
  readonly token: string
}

/** Runs the installation under load, backs it up, deletes the refunds and kills the server. */
async function runUntilDisaster(context: RestoreContext, postgres: Postgres): Promise<LostInstallation> {
  const { installation, drill, archive } = context
  await migrate(postgres.url)
  const environment = installation.environment(postgres.url)
  const token = await newWorkspace(environment)
  const server = await installation.start('all', {
    ...environment,
    TEST_LISTEN: `127.0.0.1:${installation.port}`,
  })
  await registerReceiver(installation, token)
  const load = await startLoad({ ...drill, address: installation.address, token })
  await sleep(drill.seconds.before * 1000)
  await context.measure(
    'base backup under load',
    () => backUp(postgres.url, context.dataDir, context.backup),
    (size) => size,
  )
  await sleep(drill.seconds.between * 1000)
  const refund = await createPaymentToRefund(installation, token)
  const recoveryTime = await createRestorePoint(postgres.url)
  await refund()
  await sleep(drill.seconds.after * 1000)
  await context.measure(
    'wait for the archive',
    () => waitUntilArchived(postgres.url, archive, 120_000),
    archive.bytes,
  )
  await asOwner(postgres.url, (client) => client.query(accidentalDeletion))
  await sleep(500)
  await postgres.stop('immediate')
  await server.kill('SIGKILL')
  await load.stop()
  return { recoveryTime, token, acknowledged: load.acknowledged }
}

/** Objects that were acknowledged before the returned time must be in the restored database. */
function createRestorePoint(url: string): Promise<Date> {
  return asOwner(url, async (client) => {
    await client.query(`select pg_create_restore_point('${restorePoint}')`)
    const { rows } = await client.query('select clock_timestamp() as at')
    return rows[0].at
  })
}

/** Row-level security and triggers do not apply to the superuser who runs this statement. */
const accidentalDeletion = 'set session_replication_role = replica; delete from refunds'

/** Expires every lease, because a real restore happens hours after the loss. */
const expireLeases = `set session_replication_role = replica;
  update operations set lease_until = now() - interval '1 second', due_at = now() - interval '1 second'
  where status = 'sending';
  update idempotency_keys set lease_until = now() - interval '1 second' where state = 'running';
  set session_replication_role = origin`

async function checkRestored(
  context: RestoreContext,
  client: Client,
  { recoveryTime, acknowledged, token }: LostInstallation,
) {
  const { installation, drill } = context
  const before = acknowledged.filter(({ acknowledgedAt }) => acknowledgedAt < recoveryTime)
  const lostObjects = await findLostObjects(client, before)
  const rows = await countRows(client)
  await client.query(expireLeases)
  await context.measure('resolve open operations', () =>
    until('no operation is open', () => isIdle(client), { withinMs: 30_000 }),
  )
  const entries = await fetchLedger(installation.simulatorUrl, client)
  const comparison = await compareWithLedger(client, entries)
  const repetition = await repeatRefunds(installation, client, token, comparison.missingInDatabase)
  const missingTooEarly = comparison.missingInDatabase.filter(({ at }) => new Date(at) < recoveryTime)
  const load = await context.measure('load on the restored server', () =>
    runLoadAgain(installation, drill, token),
  )
  const deliveries = await context.measure('webhooks arrive', () =>
    waitForDeliveries(installation, client, 30_000),
  )
  const all = await fetchLedger(installation.simulatorUrl, client)
  return {
    rows,
    acknowledged: { before: before.length, after: acknowledged.length - before.length },
    missingInDatabase: comparison.missingInDatabase,
    repeatedRefunds: repetition.count,
    deliveries,
    acknowledgedAfterRestore: load.acknowledged.length,
    violations: [
      ...lostObjects.map(({ violation }) => violation),
      ...missingTooEarly.map(
        ({ fact, reference }) =>
          `${fact} ${reference} is older than the recovery time, but missing in the database`,
      ),
      ...comparison.missingInLedger.map(
        (reference) => `${reference} is in the database, but not in the provider's ledger`,
      ),
      ...comparison.different,
      ...repetition.violations,
      ...load.failures,
      ...(await findLostObjects(client, load.acknowledged)).map(({ violation }) => violation),
      ...(await findInconsistencies(client)),
      ...findDoubleCharges(all),
      ...deliveries.missing,
      ...deliveries.rejected,
    ],
  }
}

const secondLoadSeconds = 2

async function runLoadAgain(
  installation: DrillInstallation,
  drill: RestoreDrill,
  token: string,
): Promise<LoadGenerator> {
  const load = await startLoad({ ...drill, address: installation.address, token })
  await sleep(secondLoadSeconds * 1000)
  await load.stop()
  return load
}
