// Measures how long work is interrupted when one node of a three-node JetStream cluster is lost, depending on
// the role of the node, or when two are lost at the same time. Nodes are killed with SIGKILL while jobs are
// added. No job may be lost.

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
import { consumerName } from '../../src/platform/engine/streams.ts'
import { onlyStream } from '../../src/platform/engine/subjects.ts'
import { createJobs, type Jobs, runJobs } from './support/jobs.ts'
import { startTestWorker, type TestWorker, withManager } from './support/test-worker.ts'
import { until } from './support/wait.ts'

const consumer = consumerName(runJobs.name)
const jobsPerRound = 3
const roundMs = 20
/** Work continues this long before and after a node is killed, so that the whole interruption is measured. */
const beforeMs = 2_000
const afterMs = 14_000
const maxInterruptionSeconds = 15

let dir: string
let jobs: Jobs
let cluster: NatsCluster
let worker: TestWorker

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'switchyard-test-cluster-'))
  jobs = await createJobs(inject('postgresUrl'))
  cluster = await startNatsCluster({ dir, size: 3 })
  // The production settings, so that the measured times match a real installation.
  worker = startTestWorker(jobs, { natsUrl: cluster.url, settings: { replicas: 3 } })
})
afterAll(async () => {
  await worker.stop()
  await cluster.stop()
  await jobs.drop()
  rmSync(dir, { recursive: true, force: true })
})

type Leaders = { readonly stream: string; readonly consumer: string }

/** The leaders, once all replicas are up to date; null until then. */
async function readLeaders(manager: JetStreamManager): Promise<Leaders | null> {
  const [streamInfo, consumerInfo] = [
    await manager.streams.info(onlyStream.name),
    await manager.consumers.info(onlyStream.name, consumer),
  ]
  const groups = [streamInfo.cluster, consumerInfo.cluster]
  const isInSync = groups.every(
    (group) =>
      group?.leader && group.replicas?.length === 2 && group.replicas.every(({ current }) => current),
  )
  return isInSync
    ? { stream: streamInfo.cluster?.leader ?? '', consumer: consumerInfo.cluster?.leader ?? '' }
    : null
}

/**
 * Waits until the leaders of stream and consumer are different nodes, so that each can be killed on its own.
 */
async function waitForDistinctLeaders(): Promise<Leaders> {
  let leaders: Leaders | null = null
  await until(
    'the cluster is in sync and its leaders differ',
    async () => {
      leaders = await withManager(cluster.url, readLeaders).catch(() => null)
      if (leaders !== null && leaders.stream === leaders.consumer) await moveConsumerLeader()
      return leaders !== null && leaders.stream !== leaders.consumer
    },
    { withinMs: 40_000, everyMs: 300 },
  )
  return leaders as unknown as Leaders
}

async function moveConsumerLeader(): Promise<void> {
  const connection = await connect({ servers: cluster.url.split(',') })
  await connection.request(`$JS.API.CONSUMER.LEADER.STEPDOWN.${onlyStream.name}.${consumer}`).catch(() => {})
  await connection.close()
}

/** The cluster also has a meta leader, which is only visible in its log. */
function wasMetaLeader(node: NatsNode): boolean {
  const log = readFileSync(join(dir, node.name, 'nats-server.log'), 'utf8')
  return (
    log.lastIndexOf('Self is new JetStream cluster metadata leader') >
    log.lastIndexOf('JetStream cluster new metadata leader')
  )
}

const nodeByRole = {
  'neither stream nor consumer': ({ stream, consumer }: Leaders) =>
    cluster.nodes.find(({ name }) => name !== stream && name !== consumer),
  'the consumer': ({ consumer }: Leaders) => cluster.nodes.find(({ name }) => name === consumer),
  'the stream': ({ stream }: Leaders) => cluster.nodes.find(({ name }) => name === stream),
}
type Role = keyof typeof nodeByRole

/** Adds jobs and publishes them, as after a commit, until the signal aborts. */
async function addJobsContinuously(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    worker.publish(await jobs.add(jobsPerRound))
    await sleep(roundMs)
  }
}

async function databaseTime(): Promise<string> {
  const [row] = await jobs.query<{ at: string }>('select clock_timestamp()::text as at')
  return row?.at ?? ''
}

async function killAndMeasure(role: Role): Promise<{ interruption: number; count: number }> {
  const victim = nodeByRole[role](await waitForDistinctLeaders()) as NatsNode
  const metaLeaderNote = wasMetaLeader(victim) ? ', and was the meta leader' : ''
  const from = await databaseTime()
  await sleep(beforeMs)
  await victim.kill()
  await sleep(afterMs)
  const to = await databaseTime()
  await victim.start()
  const [row] = await jobs.query<{ interruption: number; wait: number; count: number }>(`
    select max(extract(epoch from gap))::float8 as interruption, max(wait)::float8 as wait, count(*)::int as count
    from (select handled_at - lag(handled_at) over (order by handled_at) as gap,
            extract(epoch from handled_at - added_at) as wait
          from test_jobs where handled_at between '${from}' and '${to}')`)
  const { interruption = 0, wait = 0, count = 0 } = row ?? {}
  const figures = `longest interruption ${interruption.toFixed(2)} s, longest wait ${wait.toFixed(2)} s, ${count} handled`
  console.log(`cluster: killed the node that led ${role}${metaLeaderNote}: ${figures}`)
  return { interruption, count }
}

/** Without a majority JetStream does not respond at all, until the second node is back. The reconciler does the work. */
async function loseTwoNodesAndMeasure(): Promise<void> {
  await waitForDistinctLeaders()
  const lost = cluster.nodes.slice(0, 2)
  await Promise.all(lost.map((node) => node.kill()))
  const lostAt = await databaseTime()
  await until(
    'work is done without JetStream',
    async () =>
      (await jobs.query(`select from test_jobs where added_at > '${lostAt}' and handled = 1`)).length > 500,
    { withinMs: maxInterruptionSeconds * 1000, everyMs: 200 },
  )
  await Promise.all(lost.map((node) => node.start()))
}

test('losing one or two of three nodes loses no work and interrupts it only briefly, whatever role the node has', {
  timeout: 150_000,
}, async () => {
  await waitForDistinctLeaders()
  const stop = new AbortController()
  const adding = addJobsContinuously(stop.signal)
  for (const role of Object.keys(nodeByRole) as Role[]) {
    const { interruption, count } = await killAndMeasure(role)
    expect(count).toBeGreaterThan(500)
    expect(interruption).toBeLessThan(maxInterruptionSeconds)
  }
  await loseTwoNodesAndMeasure()
  stop.abort()
  await adding
  const readUnhandled = () => jobs.query('select from test_jobs where handled <> 1')
  await until('all are handled', async () => (await readUnhandled()).length === 0, {
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
