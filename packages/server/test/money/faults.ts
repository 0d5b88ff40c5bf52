// The faults of a stage, put around the real parts: a commit whose answer is lost, a sender that freezes before it
// sends, a process that dies before or after it has asked a provider.

import type { Deps } from '../../src/deps.ts'
import type { Id } from '../../src/kernel/id.ts'
import type { Connection, Databases, Shard } from '../../src/platform/db/databases.ts'
import type { Outbound } from '../../src/platform/outbound/outbound.ts'
import type { Performer } from '../../src/providers/perform.ts'
import { type Actor, actorNow } from './actor.ts'
import type { StoryClock } from './story-clock.ts'

/** A provider that is silent is not waited for longer than this; the code believes that its time was over. */
const silenceMs = 150

/** Longer than the lease: whoever sends then sends what somebody else may be asking about. */
const leaseMs = 70_000

/** `onLost` runs before it is known to the sender. */
type OnLost = (workspaceId: Id<'workspace'>) => Promise<void>

export function losingCommits(databases: Databases, onLost: OnLost): Databases {
  const losing = (shard: Shard, workspaceId: Id<'workspace'>): Shard => ({
    ...shard,
    connect: async () => {
      const connection = await shard.connect()
      const actor = actorNow()
      if (actor?.fate?.is !== 'loses_commit') return connection
      return withLoss(connection, actor, () => onLost(workspaceId))
    },
  })
  return { ...databases, of: (workspaceId) => losing(databases.of(workspaceId), workspaceId) }
}

/** The commit happens, and who sent it hears that the connection was lost. */
function withLoss(connection: Connection, actor: Actor, onLost: () => Promise<void>): Connection {
  const { client } = connection
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
  const lossy = async (...given: unknown[]) => {
    const isLost = given[0] === 'commit' && actor.losesThisCommit()
    const answer = await query(...given)
    if (!isLost) return answer
    await onLost()
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  }
  const proxy = new Proxy(client, {
    get: (target, name) => {
      if (name === 'query') return lossy
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...connection, client: proxy }
}

/** Silence is short here. `onLate` hears of an operation that leaves after the lease of its sender. */
export function hurried(
  outbound: Outbound,
  clock: StoryClock,
  onLate: (reference: string) => void,
): Outbound {
  return {
    ...outbound,
    send: (request) => {
      const actor = actorNow()
      // What prepares a story has nothing to fear.
      if (actor === undefined) return outbound.send(request)
      const since = actor.askingSinceMs
      const isOperation = request.method === 'PUT' && request.url.includes('/operations/')
      if (isOperation && since !== null && clock.nowMs() - since >= leaseMs)
        onLate(request.url.slice(request.url.lastIndexOf('/') + 1))
      return outbound.send({ ...request, timeoutMs: Math.min(request.timeoutMs, silenceMs) })
    },
  }
}

export type Freezer = {
  /** Stands still until `thaw`. */
  freeze(actor: Actor): Promise<void>
  thaw(): void
}

export function newFreezer(): Freezer {
  let waiting: (() => void)[] = []
  return {
    async freeze(actor) {
      actor.isFrozen = true
      actor.noteFrozen()
      await new Promise<void>((resolve) => waiting.push(resolve))
      actor.isFrozen = false
    },
    thaw() {
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
  }
}

export function mortal(performer: Performer, clock: StoryClock, freezer: Freezer): Performer {
  const perform: Performer['perform'] = async (task) => {
    const actor = actorNow()
    if (actor === undefined) return performer.perform(task)
    const begunMs = clock.nowMs()
    actor.askingSinceMs = begunMs
    actor.reaches(actor.fate?.is === 'dies_before_sending')
    if (actor.takesFreeze()) await freezer.freeze(actor)
    // The time that the story let pass has passed for it as well, though the machine did not wait.
    const passedMs = clock.nowMs() - begunMs
    const performed = await performer.perform({ ...task, deadlineMs: task.deadlineMs - passedMs })
    actor.askingSinceMs = null
    actor.reaches(actor.fate?.is === 'dies_after_answer')
    return performed
  }
  return { ...performer, perform }
}

/** How long is waited: as in production for the provider, and for the request as its story says. */
export const limits: Deps['limits'] = {
  providerMs: 65_000,
  get requestMs() {
    return actorNow()?.impatient === true ? 1 : 20_000
  },
}
