/**
 * Five hundred endpoints of 25 workspaces, of which one percent hangs, one percent refuses connections and one
 * percent answers 500; beside the same endpoints when all are well, in turns. Only the healthy 97 percent count.
 */
import type { Account, Endpoint } from '../../packages/server/test/flows/support/webhook-account.ts'
import { type Quartiles, quartilesOf } from '../ratios/quartiles.ts'
import { drain } from './backlog.ts'
import { type Effort, endpointsPerWorkspace } from './effort.ts'
import { liveRate, steady } from './latency.ts'
import type { Stage } from './stage.ts'

const workspaces = 25
const eachKind = (workspaces * endpointsPerWorkspace) / 100
const never = 1_000_000_000

export type Health = 'all well' | 'three percent ill'

export type IsolationRound = { readonly perSecond: number; readonly p99Ms: number }

export type Isolation = {
  readonly rounds: Readonly<Record<Health, readonly IsolationRound[]>>
  readonly offered: number
  /** With the ill ones, divided by without. */
  readonly rate: Quartiles
  readonly p99: Quartiles
}

type Ward = {
  readonly accounts: readonly Account[]
  readonly hanging: readonly Endpoint[]
  readonly failing: readonly Endpoint[]
  readonly isHealthy: (path: string) => boolean
}

export async function measureIsolation(stage: Stage, effort: Effort): Promise<Isolation> {
  const ward = await furnish(stage)
  await stage.sink.verify({ every: never })
  const offered = await halfOfMaximum(stage, ward, effort)
  const rounds: Record<Health, IsolationRound[]> = { 'all well': [], 'three percent ill': [] }
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const health of Object.keys(rounds) as Health[])
      rounds[health].push(await playRound(stage, ward, { health, offered, effort }))
  }
  const ratios = (of: keyof IsolationRound) =>
    quartilesOf(
      rounds['three percent ill'].map(
        (ill, round) => ill[of] / (rounds['all well'][round]?.[of] ?? Number.NaN),
      ),
    )
  return { rounds, offered, rate: ratios('perSecond'), p99: ratios('p99Ms') }
}

/** The first endpoint of some workspaces is one that will be ill: nobody's neighbours are all healthy. */
async function furnish({ newAccounts, sink }: Stage): Promise<Ward> {
  const accounts = await newAccounts(workspaces)
  for (const [nth, account] of accounts.entries()) {
    const refuses = nth >= eachKind && nth < 2 * eachKind
    await account.addEndpoints({ count: 1, secrets: false, urlOf: refuses ? sink.secondUrl : sink.url })
    await account.addEndpoints({ count: endpointsPerWorkspace - 1, secrets: false })
  }
  const firsts = accounts.map(({ endpoints }) => endpoints[0] as Endpoint)
  const ill = new Set(firsts.slice(0, 3 * eachKind).map(({ path }) => path))
  return {
    accounts,
    hanging: firsts.slice(0, eachKind),
    failing: firsts.slice(2 * eachKind, 3 * eachKind),
    isHealthy: (path) => !ill.has(path),
  }
}

async function halfOfMaximum(stage: Stage, { accounts }: Ward, effort: Effort): Promise<number> {
  const worker = await stage.startWorker()
  await liveRate(stage, accounts, effort.liveEvents)
  const maximum = await liveRate(stage, accounts, effort.liveEvents)
  await worker.end('SIGTERM')
  return maximum / 2
}

type Play = { readonly health: Health; readonly offered: number; readonly effort: Effort }

async function playRound(
  stage: Stage,
  ward: Ward,
  { health, offered, effort }: Play,
): Promise<IsolationRound> {
  const { accounts, isHealthy } = ward
  await setHealth(stage, ward, health)
  await Promise.all(
    accounts.map((account) => account.publish({ count: effort.isolationEvents, connections: 1 })),
  )
  const healthy = workspaces * endpointsPerWorkspace - 3 * eachKind
  const wanted = { count: healthy * effort.isolationEvents, isCounted: isHealthy }
  const { round, worker } = await drain(stage, { wanted, start: stage.startWorker })
  const { p99Ms } = await steady(stage, accounts, { offered, forMs: effort.steadyMs, isCounted: isHealthy })
  // Requests that hang would keep it from ending well for a quarter of a minute.
  await worker.end('SIGKILL')
  await forgetWhatIsOwed(stage)
  return { perSecond: round.perSecond, p99Ms }
}

async function setHealth({ sink }: Stage, { hanging, failing }: Ward, health: Health): Promise<void> {
  const isIll = health === 'three percent ill'
  const manner = (endpoints: readonly Endpoint[], is: 'hang' | 'fail') =>
    Object.fromEntries(endpoints.map(({ path }) => [path, { is: isIll ? is : 'ok' } as const]))
  await sink.manners({ ...manner(hanging, 'hang'), ...manner(failing, 'fail') })
  await sink.second({ open: !isIll })
}

/** The next round begins as the first did, without retries of this one. */
async function forgetWhatIsOwed({ owner }: Stage): Promise<void> {
  await owner.query(`update deliveries set state = 'deleted', version = version + 1 where state = 'pending'`)
  await owner.query(`update webhook_lanes set owner = null, lease_until = null, rest_until = null,
    health = 'healthy', failing_since_at = null, probe_wait_seconds = 0, failed_deliveries = 0, warnings = 0`)
}
