// What a lost node of a three-node JetStream costs, by what it led. Each is killed without a word while work
// keeps coming; nothing is lost, and the longest silence is measured.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JetStreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import {
  type NatsCluster,
  type NatsNode,
  startNatsCluster,
} from '../../../../scripts/services/nats-cluster.ts'
import { consumerName, streamName } from '../../src/platform/engine/streams.ts'
import { createJobs, type Jobs, runJobs } from './support/jobs.ts'
import { type Running, startRunning, withManager } from './support/running.ts'
import { until } from './support/wait.ts'

const consumer = consumerName(runJobs.name)
const jobsPerTurn = 3
const turnMs = 20
/** Work goes on this long before a node is killed and after it, so that the silence is seen whole. */
const beforeMs = 2_000
const afterMs = 14_000
const longestSilenceSeconds = 15

let dir: string
let jobs: Jobs
let cluster: NatsCluster
let running: Running

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'switchyard-test-cluster-'))
  jobs = await createJobs(inject('postgresUrl'))
  cluster = await startNatsCluster({ dir, size: 3 })
  // The product's own settings: what is measured is what an operator gets.
  running = startRunning(jobs, { natsUrl: cluster.url, settings: { replicas: 3 } })
})
afterAll(async () => {
  await running.stop()
  await cluster.stop()
  await jobs.drop()
  rmSync(dir, { recursive: true, force: true })
})

type Leaders = { readonly stream: string; readonly consumer: string }

/** Who leads what, once all copies are up to date; null until then. */
async function leadersOf(manager: JetStreamManager): Promise<Leaders | null> {
  const [stream, of] = [
    await manager.streams.info(streamName),
    await manager.consumers.info(streamName, consumer),
  ]
  const groups = [stream.cluster, of.cluster]
  const settled = groups.every(
    (group) =>
      group?.leader && group.replicas?.length === 2 && group.replicas.every(({ current }) => current),
  )
  return settled ? { stream: stream.cluster?.leader ?? '', consumer: of.cluster?.leader ?? '' } : null
}

/** Waits for a healthy cluster, and for two different leaders: only then one role can be taken alone. */
async function settledLeaders(): Promise<Leaders> {
  let found: Leaders | null = null
  await until(
    'the cluster is whole and its leaders differ',
    async () => {
      found = await withManager(cluster.url, leadersOf).catch(() => null)
      if (found !== null && found.stream === found.consumer) await moveConsumerLeader()
      return found !== null && found.stream !== found.consumer
    },
    { withinMs: 40_000, everyMs: 300 },
  )
  return found as unknown as Leaders
}

async function moveConsumerLeader(): Promise<void> {
  const connection = await connect({ servers: cluster.url.split(',') })
  await connection.request(`$JS.API.CONSUMER.LEADER.STEPDOWN.${streamName}.${consumer}`).catch(() => {})
  await connection.close()
}

/** The cluster as a whole has a leader, too. It says so in its log only. */
function ledTheCluster(node: NatsNode): boolean {
  const log = readFileSync(join(dir, node.name, 'nats-server.log'), 'utf8')
  return (
    log.lastIndexOf('Self is new JetStream cluster metadata leader') >
    log.lastIndexOf('JetStream cluster new metadata leader')
  )
}

const victimOf = {
  nothing: ({ stream, consumer }: Leaders) =>
    cluster.nodes.find(({ name }) => name !== stream && name !== consumer),
  'the consumer': ({ consumer }: Leaders) => cluster.nodes.find(({ name }) => name === consumer),
  'the stream': ({ stream }: Leaders) => cluster.nodes.find(({ name }) => name === stream),
}
type Role = keyof typeof victimOf

/** Work keeps coming until it is told to stop, and is told of as after a commit. */
async function keepComing(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    running.publish(await jobs.add(jobsPerTurn))
    await sleep(turnMs)
  }
}

async function databaseTime(): Promise<string> {
  const [row] = await jobs.query<{ at: string }>('select clock_timestamp()::text as at')
  return row?.at ?? ''
}

async function killAndMeasure(role: Role): Promise<{ silence: number; count: number }> {
  const victim = victimOf[role](await settledLeaders()) as NatsNode
  const alsoCluster = ledTheCluster(victim) ? ', and the cluster' : ''
  const from = await databaseTime()
  await sleep(beforeMs)
  await victim.kill()
  await sleep(afterMs)
  const to = await databaseTime()
  await victim.start()
  const [row] = await jobs.query<{ silence: number; wait: number; count: number }>(`
    select max(extract(epoch from gap))::float8 as silence, max(wait)::float8 as wait, count(*)::int as count
    from (select handled_at - lag(handled_at) over (order by handled_at) as gap,
            extract(epoch from handled_at - added_at) as wait
          from test_jobs where handled_at between '${from}' and '${to}')`)
  const { silence = 0, wait = 0, count = 0 } = row ?? {}
  const figures = `longest silence ${silence.toFixed(2)} s, longest wait ${wait.toFixed(2)} s, ${count} handled`
  console.log(`cluster: killed the node that led ${role}${alsoCluster}: ${figures}`)
  return { silence, count }
}

test('a node of three may die whatever it leads: nothing is lost, and silence is short', {
  timeout: 150_000,
}, async () => {
  await settledLeaders()
  const ending = new AbortController()
  const coming = keepComing(ending.signal)
  for (const role of Object.keys(victimOf) as Role[]) {
    const { silence, count } = await killAndMeasure(role)
    expect(count).toBeGreaterThan(500)
    expect(silence).toBeLessThan(longestSilenceSeconds)
  }
  ending.abort()
  await coming
  const notDone = () => jobs.query('select from test_jobs where handled <> 1')
  await until('all are handled', async () => (await notDone()).length === 0, {
    withinMs: 40_000,
    everyMs: 200,
  })
  const [row] = await jobs.query<{
    total: string
    stale: string
  }>(`select (select count(*) from test_jobs) as total,
    (select count(*) from test_attempts where stale) as stale`)
  console.log(`cluster: all ${row?.total} handled once, ${row?.stale} runs found nothing to do`)
})
