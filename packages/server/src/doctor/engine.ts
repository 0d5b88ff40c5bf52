/** Whether what has to happen by itself happens, and in time. */
import type { Work } from '../deps.ts'
import { type NatsFacts, natsFacts, streamFacts } from '../platform/engine/inspect.ts'
import { listParked } from '../platform/engine/parking.ts'
import { fewAtOnce } from '../platform/few-at-once.ts'
import { type Check, fail, instantOf, ok, someOf, type Tools, type Verdict, warn } from './check.ts'

const nats: Check = {
  id: 'nats',
  title: 'NATS',
  async look({ config, engine }) {
    if (config.natsUrl === null)
      return warn(
        'NATS_URL is not set: one process does all work.',
        'Set NATS_URL to spread it over several.',
      )
    const awayMs = engine.awayForMs()
    const facts = awayMs === 0 ? natsFacts(engine.connection) : null
    if (facts !== null) return judgeNats(facts)
    return warn(
      `It has been away for ${Math.round(awayMs / 1000)} s. Work goes on, more slowly.`,
      'Look whether it runs, and whether NATS_URL leads there.',
    )
  },
}

/** Older ones refuse a stream that may be told when to hand something out. */
const leastNats = [2, 12] as const

export function judgeNats({ version, hasJetStream }: NatsFacts): Verdict {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const isOld = major < leastNats[0] || (major === leastNats[0] && minor < leastNats[1])
  if (isOld)
    return fail(
      `It is NATS ${version}, which cannot hold the stream of work. The reconciler does all work, more slowly.`,
      `Replace it by NATS ${leastNats.join('.')} or newer. Its store may be wiped.`,
    )
  if (!hasJetStream)
    return fail(
      'It runs without JetStream. The reconciler does all work, more slowly.',
      'Start it with --jetstream and a folder for its store.',
    )
  return ok(`NATS ${version} is connected.`)
}

const stream: Check = {
  id: 'stream',
  title: 'Stream of work',
  async look({ config, engine, works }) {
    if (config.natsUrl === null) return ok('Without NATS there is none.')
    const facts = await streamFacts(
      engine.connection,
      works.map(({ name }) => name),
    )
    if (facts === null) return warn('NATS is away, so it cannot be looked at.', 'See the check of NATS.')
    if (facts.missing.length > 0)
      return warn(
        facts.isThere
          ? `Nobody takes ${someOf(facts.missing)} from the stream WORK.`
          : 'The stream WORK is not there.',
        'A worker makes what is missing within seconds. Start one of this version, and give the user of NATS the rights to manage streams.',
      )
    return ok(`It holds ${facts.messages} messages.`)
  },
}

/** The pool is that of requests, and a look must leave it to them. */
const transactionsAtOnce = 3

/** How late the oldest of each work is. */
export type Lag = { readonly work: string; readonly seconds: number }

async function lagsOf({ databases, clock }: Tools, works: readonly Work[]): Promise<readonly Lag[]> {
  const [reading, now] = [clock.read(), instantOf(clock)]
  return fewAtOnce(transactionsAtOnce, works, async (work) => {
    const oldest = await Promise.all(
      databases.shards.map((shard) => shard.as('switchyard_due', (db) => work.due(db, reading, 1))),
    )
    const ages = oldest.flat().map(({ dueAt }) => (now.getTime() - dueAt.getTime()) / 1000)
    return { work: work.name, seconds: Math.max(0, ...ages) }
  })
}

/** The reconciler looks every five seconds; what waits for much longer is behind. */
const [noticedSeconds, toleratedSeconds] = [60, 600]

export function judgeLags(lags: readonly Lag[]): Verdict {
  const late = lags
    .filter(({ seconds }) => seconds > noticedSeconds)
    .toSorted((a, b) => b.seconds - a.seconds)
  const [worst] = late
  if (worst === undefined) return ok('Nothing waits for longer than it should.')
  const detail = `Behind: ${someOf(late.map(({ work, seconds }) => `${work} by ${Math.round(seconds)} s`))}.`
  const advice =
    'See that a worker runs, look into its log for what fails, and start more of them if it keeps up its pace.'
  return worst.seconds > toleratedSeconds ? fail(detail, advice) : warn(detail, advice)
}

const isDelivery = ({ name }: Work) => name === 'webhook_endpoint.deliver'

const work: Check = {
  id: 'work',
  title: 'Work that is due',
  look: async (tools) =>
    judgeLags(
      await lagsOf(
        tools,
        tools.works.filter((one) => !isDelivery(one)),
      ),
    ),
}

const webhooks: Check = {
  id: 'webhooks',
  title: 'Webhooks',
  look: async (tools) => judgeLags(await lagsOf(tools, tools.works.filter(isDelivery))),
}

const shownAtMost = 100

const parked: Check = {
  id: 'parked',
  title: 'Parked work',
  async look({ databases, works }) {
    const found = await Promise.all(databases.shards.map((shard) => listParked(shard, works, shownAtMost)))
    const names = [...new Set(found.flat().map((one) => one.work))]
    if (names.length === 0) return ok('Nothing is parked.')
    const count = found.flat().length
    return warn(
      `${count < shownAtMost ? count : `${shownAtMost} or more`} failed ten times and wait for a person: ${someOf(names)}.`,
      'See why with the command parked, mend it, and release them.',
    )
  },
}

export const engineChecks = [nats, stream, work, webhooks, parked]
