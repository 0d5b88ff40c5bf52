/** Whether background work runs, and on time. */
import type { WorkType } from '../deps.ts'
import { streamIn } from '../platform/engine/engine.ts'
import { type NatsFacts, natsFacts, type StreamFacts, streamFacts } from '../platform/engine/inspect.ts'
import { listParked } from '../platform/engine/parking.ts'
import { mapConcurrently } from '../platform/map-concurrently.ts'
import {
  type Check,
  type CheckFinding,
  type DoctorTools,
  fail,
  instantOf,
  listSome,
  ok,
  warn,
} from './check.ts'

const nats: Check = {
  id: 'nats',
  title: 'NATS',
  async run({ config, engine }) {
    if (config.natsUrl === null)
      return warn(
        'NATS_URL is not set: one process does all background work.',
        'Set NATS_URL to distribute the work over several processes.',
      )
    const unavailableMs = engine.unavailableForMs()
    const facts = unavailableMs === 0 ? natsFacts(engine.connection) : null
    if (facts !== null) return assessNats(facts)
    return warn(
      `NATS has been unreachable for ${Math.round(unavailableMs / 1000)} s. Work continues, but more slowly.`,
      'Check that NATS is running and that NATS_URL is correct.',
    )
  },
}

/** Older versions do not support streams with scheduled messages. */
const minNatsVersion = [2, 12] as const

export function assessNats({ version, hasJetStream }: NatsFacts): CheckFinding {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const isOld = major < minNatsVersion[0] || (major === minNatsVersion[0] && minor < minNatsVersion[1])
  if (isOld)
    return fail(
      `NATS ${version} is too old for the work stream. The reconciler does all work, but more slowly.`,
      `Upgrade to NATS ${minNatsVersion.join('.')} or newer. There is no need to keep the JetStream store.`,
    )
  if (!hasJetStream)
    return fail(
      'NATS runs without JetStream. The reconciler does all work, but more slowly.',
      'Start NATS with --jetstream and a folder for its store.',
    )
  return ok(`NATS ${version} is connected.`)
}

const stream: Check = {
  id: 'stream',
  title: 'Work stream',
  async run({ config, databases, engine, workTypes }) {
    if (config.natsUrl === null) return ok('NATS_URL is not set, so there is no work stream.')
    const names = workTypes.map(({ name }) => name)
    const streams = databases.shards.map((shard) => streamIn(databases, shard))
    const facts = await Promise.all(
      streams.map(async ({ name, prefix }) => ({
        name,
        facts: await streamFacts(engine.connection, { name, prefix }, names),
      })),
    )
    return assessStreams(facts)
  },
}

type NamedFacts = { readonly name: string; readonly facts: StreamFacts | null }

function assessStreams(streams: readonly NamedFacts[]): CheckFinding {
  let messages = 0
  for (const { name, facts } of streams) {
    if (facts === null)
      return warn('NATS is unreachable, so the work stream cannot be checked.', 'See the NATS check.')
    messages += facts.messages
    if (facts.missing.length > 0)
      return warn(
        facts.exists
          ? `The stream ${name} has no consumer for ${listSome(facts.missing)}.`
          : `The stream ${name} does not exist.`,
        'A worker creates it within seconds. Start a worker of this version, and allow the NATS user to manage streams.',
      )
  }
  return ok(`${messages} messages.`)
}

/** The check uses the connection pool that serves requests, so it takes only a few connections. */
const maxTransactions = 3

/** How late the oldest due item of a work type is. With several shards, `work` includes the shard. */
export type Lag = { readonly work: string; readonly seconds: number }

async function measureLags(
  { databases, clock }: DoctorTools,
  workTypes: readonly WorkType[],
): Promise<readonly Lag[]> {
  const [reading, now] = [clock.read(), instantOf(clock)]
  return mapConcurrently(maxTransactions, workTypes, async (work) => {
    const lags = databases.shards.map(async (shard): Promise<Lag> => {
      const [oldest] = await shard.as('switchyard_due', (db) => work.due(db, reading, 1))
      const seconds = oldest === undefined ? 0 : (now.getTime() - oldest.dueAt.getTime()) / 1000
      return { work: databases.shards.length > 1 ? `${work.name} on ${shard.name}` : work.name, seconds }
    })
    return Promise.all(lags)
  }).then((lags) => lags.flat())
}

/** The reconciler runs every five seconds, so a much longer wait is a backlog. */
const [warnSeconds, failSeconds] = [60, 600]

export function assessLags(lags: readonly Lag[]): CheckFinding {
  const late = lags.filter(({ seconds }) => seconds > warnSeconds).toSorted((a, b) => b.seconds - a.seconds)
  const [worst] = late
  if (worst === undefined) return ok('No work is overdue.')
  const detail = `Overdue: ${listSome(late.map(({ work, seconds }) => `${work} by ${Math.round(seconds)} s`))}.`
  const advice =
    'Check that a worker is running and check its log for failures. If nothing fails, start more workers.'
  return worst.seconds > failSeconds ? fail(detail, advice) : warn(detail, advice)
}

const isDelivery = ({ name }: WorkType) => name === 'webhook_endpoint.deliver'

const work: Check = {
  id: 'work',
  title: 'Due work',
  run: async (tools) =>
    assessLags(
      await measureLags(
        tools,
        tools.workTypes.filter((type) => !isDelivery(type)),
      ),
    ),
}

const webhooks: Check = {
  id: 'webhooks',
  title: 'Webhooks',
  run: async (tools) => assessLags(await measureLags(tools, tools.workTypes.filter(isDelivery))),
}

const maxListed = 100

const parked: Check = {
  id: 'parked',
  title: 'Parked work',
  async run({ databases, workTypes }) {
    const found = await Promise.all(databases.shards.map((shard) => listParked(shard, workTypes, maxListed)))
    const names = [...new Set(found.flat().map(({ work }) => work))]
    if (names.length === 0) return ok('No work is parked.')
    const count = found.flat().length
    return warn(
      `Parked work items: ${count < maxListed ? count : `${maxListed} or more`}. Types: ${listSome(names)}.`,
      'Run `parked` to see why, fix the cause, then release the work.',
    )
  },
}

export const engineChecks = [nats, stream, work, webhooks, parked]
