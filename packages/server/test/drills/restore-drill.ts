// A restore, as it would happen: an installation under load, a backup beside it, somebody who deletes what must not
// be deleted, a server that is lost, and another one that begins at the moment before, with an empty NATS. The
// guide docs/operations/backup-and-restore.md is this drill in words.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Postgres } from '../../../../scripts/services/postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'
import { archivedBeyond, backUp, startArchiving, type Target } from './archived-postgres.ts'
import { askAgain, payAhead } from './ask-again.ts'
import {
  chargedTwice,
  compareBooks,
  contradictionsIn,
  countRows,
  type Fact,
  factsAt,
  forgotten,
} from './books.ts'
import { type Acknowledged, type Crowd, gatherCrowd } from './crowd.ts'
import { type House, newWorkspace, openHouse, runCommand } from './house.ts'
import { type Loss, measureLosses } from './losses.ts'
import { type Arrived, addReceiver, allArrived } from './receiver.ts'
import {
  type RestoreDrill,
  restorePoint,
  restoreTo,
  type Stage,
  type Step,
  setStage,
} from './restore-stage.ts'

export type RestoreReport = {
  readonly steps: readonly Step[]
  readonly rows: Readonly<Record<string, number>>
  readonly acknowledged: { readonly before: number; readonly after: number }
  /** Sentences about what is not as it must be. */
  readonly faults: readonly string[]
  readonly doctor: string
  /** What the provider did after the instant. No row of the restored database tells of it. */
  readonly unknownHere: readonly Fact[]
  /** Refunds among them that were asked for again: the provider gave its first answer, and our books have them. */
  readonly refundsAskedAgain: number
  readonly arrived: Arrived
  /** What callers were told while they used the restored installation. */
  readonly afterwards: number
  readonly losses: readonly Loss[]
}

export async function drillRestore(drill: RestoreDrill): Promise<RestoreReport> {
  const house = await openHouse()
  const running: Postgres[] = []
  try {
    return await play(setStage(house, drill), running)
  } finally {
    await Promise.all(running.map((postgres) => postgres.stop('immediate')))
    await house.clear()
  }
}

async function play(stage: Stage, running: Postgres[]): Promise<RestoreReport> {
  const { house, drill, archive } = stage
  const first = await startArchiving(stage.dataDir, archive, drill.settings)
  running.push(first)
  const lost = await untilTheDisaster(stage, first)
  const target: Target = { is: 'instant', at: lost.instant }
  const second = await stage.time('restore to the instant', () => restoreTo(stage, 'restored', target))
  running.push(second)
  const environment = house.environment(second.url)
  await stage.time('migrate', () => migrate(second.url))
  await house.replaceNats()
  await stage.time('start the server with an empty NATS', () =>
    house.start('all', { ...environment, TEST_LISTEN: `127.0.0.1:${house.port}` }),
  )
  const judged = await asOwner(second.url, (client) => judge(stage, client, lost))
  const [doctor, audit] = await Promise.all([
    runCommand(['doctor'], environment),
    runCommand(['verify-audit'], environment),
  ])
  const commands = [doctor, audit].filter(({ code }) => code !== 0).map(({ out }) => out)
  const losses = drill.otherWays ? await measureLosses(stage, lost.acknowledged) : []
  const { faults, ...found } = judged
  return {
    ...found,
    ...{ steps: stage.steps, doctor: doctor.out, losses, faults: [...faults, ...commands] },
  }
}

type Lost = {
  readonly instant: Date
  readonly acknowledged: readonly Acknowledged[]
  readonly token: string
}

/** Everything up to the moment in which the server is gone. */
async function untilTheDisaster(stage: Stage, postgres: Postgres): Promise<Lost> {
  const { house, drill, archive } = stage
  await migrate(postgres.url)
  const environment = house.environment(postgres.url)
  const token = await newWorkspace(environment)
  const server = await house.start('all', { ...environment, TEST_LISTEN: `127.0.0.1:${house.port}` })
  await addReceiver(house, token)
  const crowd = await gatherCrowd({ ...drill, address: house.address, token })
  await sleep(drill.seconds.before * 1000)
  await stage.time(
    'base backup under load',
    () => backUp(postgres.url, stage.dataDir, stage.backup),
    (size) => size,
  )
  await sleep(drill.seconds.between * 1000)
  const refund = await payAhead(house, token)
  const instant = await markInstant(postgres.url)
  await refund()
  await sleep(drill.seconds.after * 1000)
  await stage.time(
    'wait for the archive',
    () => archivedBeyond(postgres.url, archive, 120_000),
    archive.bytes,
  )
  await asOwner(postgres.url, (client) => client.query(theMistake))
  await sleep(500)
  await postgres.stop('immediate')
  await server.kill('SIGKILL')
  await crowd.stop()
  return { instant, token, acknowledged: crowd.acknowledged }
}

/** Whoever was answered before this moment has to find it again. */
function markInstant(url: string): Promise<Date> {
  return asOwner(url, async (client) => {
    await client.query(`select pg_create_restore_point('${restorePoint}')`)
    const { rows } = await client.query('select clock_timestamp() as at')
    return rows[0].at
  })
}

/** As a person at a prompt makes it, who is above all policies and triggers. */
const theMistake = 'set session_replication_role = replica; delete from refunds'

/** Hours pass before anybody restores: whoever was at something then is long gone. */
const leasesOver = `set session_replication_role = replica;
  update operations set lease_until = now() - interval '1 second', due_at = now() - interval '1 second'
  where status = 'sending';
  update idempotency_keys set lease_until = now() - interval '1 second' where state = 'running';
  set session_replication_role = origin`

const underWay = `select count(*)::int as count from operations
  where status in ('sending', 'pending', 'unknown', 'awaiting_customer')`

async function judge(stage: Stage, client: Client, { instant, acknowledged, token }: Lost) {
  const { house, drill } = stage
  const before = acknowledged.filter(({ at }) => at < instant)
  const gone = await forgotten(client, before)
  const rows = await countRows(client)
  await client.query(leasesOver)
  const isIdle = async () => (await client.query(underWay)).rows[0].count === 0
  await stage.time('finish what was under way', () => until('nothing is open', isIdle, { withinMs: 30_000 }))
  const facts = await factsAt(house.simulatorUrl, client)
  const compared = await compareBooks(client, facts)
  const askedAgain = await askAgain(house, client, token, compared.unknownHere)
  const early = compared.unknownHere.filter(({ at }) => new Date(at) < instant)
  const crowd = await stage.time('use it again', () => useAgain(house, drill, token))
  const arrived = await stage.time('webhooks arrive', () => allArrived(house, client, 30_000))
  const all = await factsAt(house.simulatorUrl, client)
  return {
    rows,
    acknowledged: { before: before.length, after: acknowledged.length - before.length },
    unknownHere: compared.unknownHere,
    refundsAskedAgain: askedAgain.count,
    arrived,
    afterwards: crowd.acknowledged.length,
    faults: [
      ...gone.map(({ fault }) => fault),
      ...early.map(({ fact, reference }) => `${fact} ${reference} is older than the instant, and unknown`),
      ...compared.unknownThere.map((reference) => `${reference} is in our books alone`),
      ...compared.unlike,
      ...askedAgain.faults,
      ...crowd.failures,
      ...(await forgotten(client, crowd.acknowledged)).map(({ fault }) => fault),
      ...(await contradictionsIn(client)),
      ...chargedTwice(all),
      ...arrived.missing,
      ...arrived.refused,
    ],
  }
}

const againSeconds = 2

async function useAgain(house: House, drill: RestoreDrill, token: string): Promise<Crowd> {
  const crowd = await gatherCrowd({ ...drill, address: house.address, token })
  await sleep(againSeconds * 1000)
  await crowd.stop()
  return crowd
}
