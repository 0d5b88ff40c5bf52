// What happens by itself in a story: works that are due, in its own time, and how it comes to rest. The works are
// the real ones; that they are found by `due` among all workspaces is tested elsewhere, and would cost more here
// than all the rest.

import type { Work } from '../../src/deps.ts'
import { expirePayments, resolvePayments } from '../../src/domains/payments/work.ts'
import { processProviderEvents } from '../../src/domains/provider-webhooks/work.ts'
import { idFromUuid, uuidOf } from '../../src/kernel/id.ts'
import { Actor, asActor, Died } from './actor.ts'
import { letPass, type Playing, restOf } from './playing.ts'
import { isLostCommit, noteLoose } from './stage.ts'
import type { Fate } from './story.ts'

const works: Readonly<Record<string, Work>> = {
  resolve: resolvePayments as Work,
  expire: expirePayments as Work,
  hear: processProviderEvents as Work,
}

type Due = {
  readonly work: string
  readonly id: string
  readonly atMs: number
  /** It holds money, and waits for nothing but the end of that. */
  readonly isHold: boolean
}

async function duesOf({ stage, ground, floor }: Playing): Promise<Due[]> {
  const { rows } = await stage.house.owner.query({
    name: 'dues',
    text: `select 'resolve' as work, payment_id as id, min(due_at) as at, false as hold from operations
       where workspace_id = $1 and payment_id >= $2 and due_at is not null group by payment_id
     union all select 'expire', id, due_at, status = 'requires_capture' from payments
       where workspace_id = $1 and id >= $2 and due_at is not null
     union all select 'hear', id, due_at, false from provider_events
       where workspace_id = $1 and id >= $2 and due_at is not null
     order by 3`,
    values: [uuidOf(ground.workspaceId), floor],
  })
  return rows.map((row) => ({ work: row.work, id: row.id, atMs: row.at.getTime(), isHold: row.hold }))
}

/** A story that needs more does not come to rest. */
const maxRounds = 40

type Hands = { readonly beside: boolean; readonly fate: Fate }

export async function work(playing: Playing, hands: Hands): Promise<string> {
  return (await workOff(playing, hands)).told
}

type WorkedOff = {
  readonly told: string
  /** What is due later; null if the worker ended before it knew. */
  readonly later: readonly Due[] | null
}

async function workOff(playing: Playing, { beside, fate }: Hands): Promise<WorkedOff> {
  await flushWebhooks(playing)
  const actor = new Actor(fate)
  let done = 0
  for (let round = 0; round < maxRounds; round += 1) {
    const all = await duesOf(playing)
    const dues = all.filter(({ atMs }) => atMs <= playing.stage.clock.nowMs())
    if (dues.length === 0) return { told: `${done} done`, later: all }
    const ended = await handleEach(playing, dues, () => (beside ? [actor, new Actor(null)] : [actor]))
    if (!ended)
      return { told: `the worker ${actor.isDead ? 'died' : 'stopped'} after ${done} done`, later: null }
    done += dues.length
  }
  playing.wrongs.push('still due after many rounds of work')
  return { told: `${done} done, and more is due`, later: null }
}

/** False if the worker ended before all was done. */
async function handleEach(playing: Playing, dues: readonly Due[], hands: () => Actor[]): Promise<boolean> {
  for (const due of dues) {
    const ended = await Promise.all(hands().map((hand) => handle(playing, due, hand)))
    if (ended.includes('over')) return false
  }
  return true
}

async function handle(playing: Playing, { work: name, id }: Due, actor: Actor): Promise<'done' | 'over'> {
  const { stage, ground } = playing
  const real = works[name] as Work
  const ref = { workspaceId: ground.workspaceId, id: idFromUuid(real.key, 'test', id) }
  const handling = asActor(actor, () => real.handle(stage.deps, ref)).then(
    () => 'done' as const,
    (error: unknown) => {
      if (!(error instanceof Died) && !isLostCommit(error))
        playing.wrongs.push(`the work ${real.name} failed: ${error instanceof Error ? error.stack : error}`)
      return 'over' as const
    },
  )
  noteLoose(stage, handling, actor)
  return Promise.race([handling, actor.frozen.then(() => 'over' as const)])
}

async function flushWebhooks({ stage, ground }: Playing): Promise<void> {
  for (const account of ground.accounts) await stage.simulator.control('POST', `${account}/webhooks/flush`)
}

const maxTurns = 120
/** A hold that its provider does not let go of is tried again for ever. */
const maxHolds = 4

/** The story is over: what was frozen wakes, the providers recover unless they shall not, and time goes on. */
export async function settleAll(playing: Playing): Promise<void> {
  const { stage, ground, story } = playing
  const troubled = story.ends === 'in_outage'
  const trouble = troubled ? { outage: true, outage_manner: 'plain' } : { outage: false, latency_ms: 0 }
  for (const account of ground.accounts) await stage.simulator.control('PUT', `${account}/config`, trouble)
  stage.freezer.thaw()
  await restOf(stage)
  let holdsEnded = 0
  for (let turn = 0; turn < maxTurns && playing.wrongs.length === 0; turn += 1) {
    const { later } = await workOff(playing, { beside: false, fate: null })
    const waitsForHolds = story.ends === 'after_the_hold' && holdsEnded < maxHolds
    // On a machine that is very busy the database may not answer in time, as in any other story.
    if (later === null) continue
    const [next] = later.filter(({ isHold }) => !isHold || waitsForHolds)
    if (next === undefined) return
    if (next.isHold) holdsEnded += 1
    await letPass(playing, Math.max(0, next.atMs - stage.clock.nowMs()))
  }
  if (playing.wrongs.length === 0) playing.wrongs.push('it never comes to rest')
}
