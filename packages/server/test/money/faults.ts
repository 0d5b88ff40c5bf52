// Injects faults into the real components: a lost commit response, a process that freezes before it sends,
// and a process that crashes before or after a provider call.

import type { Deps } from '../../src/deps.ts'
import type { Id } from '../../src/kernel/id.ts'
import type { Connection, Databases, Shard } from '../../src/platform/db/databases.ts'
import type { Outbound } from '../../src/platform/outbound/outbound.ts'
import type { Performer } from '../../src/providers/perform.ts'
import type { ScenarioClock } from './scenario-clock.ts'
import { currentProcess, type SimulatedProcess } from './simulated-process.ts'

/** The timeout in real time for a provider that does not respond. In scenario time, the production timeout applies. */
const shortTimeoutMs = 150

/**
 * The lease of an operation. A request that is sent after it has expired may conflict with a lookup by another
 * process.
 */
const leaseMs = 70_000

/** Called before the sender receives the error. */
type OnLost = (workspaceId: Id<'workspace'>) => Promise<void>

export function loseCommitResponses(databases: Databases, onLost: OnLost): Databases {
  const wrapShard = (shard: Shard, workspaceId: Id<'workspace'>): Shard => ({
    ...shard,
    connect: async () => {
      const connection = await shard.connect()
      const simulated = currentProcess()
      if (simulated?.fault?.kind !== 'loses_commit_response') return connection
      return withLostCommit(connection, simulated, () => onLost(workspaceId))
    },
  })
  return { ...databases, of: (workspaceId) => wrapShard(databases.of(workspaceId), workspaceId) }
}

/** The commit succeeds, but the sender receives a connection error. */
function withLostCommit(
  connection: Connection,
  simulated: SimulatedProcess,
  onLost: () => Promise<void>,
): Connection {
  const { client } = connection
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
  const queryWithLoss = async (...args: unknown[]) => {
    const isLost = args[0] === 'commit' && simulated.losesNextCommitResponse()
    const response = await query(...args)
    if (!isLost) return response
    await onLost()
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  }
  const proxy = new Proxy(client, {
    get: (target, name) => {
      if (name === 'query') return queryWithLoss
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...connection, client: proxy }
}

/**
 * Blocks a process before a statement until others have finished, so that every interleaving of two units of work
 * can be tested.
 */
export type StatementStall = {
  /** Resolves when the process is blocked. */
  readonly reached: Promise<void>
  wait(): Promise<void>
  release(): void
}

export function newStatementStall(): StatementStall {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    wait: () => {
      reached.resolve()
      return released.promise
    },
    release: () => released.resolve(),
  }
}

/** `stallNow` returns the stall of the current step, or null. */
export function stallStatements(databases: Databases, stallNow: () => StatementStall | null): Databases {
  const wrapShard = (shard: Shard): Shard => ({
    ...shard,
    connect: async () => {
      const connection = await shard.connect()
      const simulated = currentProcess()
      return simulated?.fault?.kind === 'stalls' ? withStall(connection, simulated, stallNow) : connection
    },
  })
  return { ...databases, of: (workspaceId) => wrapShard(databases.of(workspaceId)) }
}

/** Statements after the blocked one are sent after it, in their order. */
function withStall(
  connection: Connection,
  simulated: SimulatedProcess,
  stallNow: () => StatementStall | null,
): Connection {
  const { client } = connection
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
  let waiting: Promise<void> | null = null
  const queryWithStall = (...args: unknown[]) => {
    if (simulated.stallsBeforeNextStatement()) waiting = stallNow()?.wait() ?? null
    return waiting === null ? query(...args) : waiting.then(() => query(...args))
  }
  Object.assign(client, { query: queryWithStall })
  const release = (broken?: boolean) => {
    // Deleting the override restores the method of the class.
    Reflect.deleteProperty(client, 'query')
    connection.release(broken)
  }
  return { ...connection, release }
}

/**
 * Shortens timeouts. Calls `onLate` for an operation that is sent after the lease of its sender has expired.
 */
export function withShortTimeouts(
  outbound: Outbound,
  clock: ScenarioClock,
  onLate: (reference: string) => void,
): Outbound {
  return {
    ...outbound,
    send: (request) => {
      const simulated = currentProcess()
      // Outside a simulated process, the scenario is being prepared, and no faults are injected.
      if (simulated === undefined) return outbound.send(request)
      const { call } = simulated
      // Every provider gets our reference as the idempotency key of an operation.
      const isOperation = call !== null && request.method !== 'GET' && hasKey(request, call.reference)
      if (isOperation && clock.nowMs() - call.startedMs >= leaseMs) onLate(call.reference)
      return outbound.send({ ...request, timeoutMs: Math.min(request.timeoutMs, shortTimeoutMs) })
    },
  }
}

function hasKey({ headers }: Parameters<Outbound['send']>[0], reference: string): boolean {
  return Object.values(headers).includes(reference)
}

export type Freezer = {
  /** Blocks until `thaw`. */
  freeze(simulated: SimulatedProcess): Promise<void>
  thaw(): void
}

export function newFreezer(): Freezer {
  let waiting: (() => void)[] = []
  return {
    async freeze(simulated) {
      simulated.isFrozen = true
      simulated.resolveFrozen()
      await new Promise<void>((resolve) => waiting.push(resolve))
      simulated.isFrozen = false
    },
    thaw() {
      const frozen = waiting
      waiting = []
      for (const resume of frozen) resume()
    },
  }
}

export function withProviderFaults(performer: Performer, clock: ScenarioClock, freezer: Freezer): Performer {
  const perform: Performer['perform'] = async (task) => {
    const simulated = currentProcess()
    if (simulated === undefined) return performer.perform(task)
    const startedMs = clock.nowMs()
    simulated.call = { reference: task.input.reference, startedMs }
    simulated.crashIf(simulated.fault?.kind === 'crashes_before_sending')
    if (simulated.shouldFreeze()) await freezer.freeze(simulated)
    // Subtract the simulated time that passed while the process was frozen.
    const passedMs = clock.nowMs() - startedMs
    const result = await performer.perform({ ...task, deadlineMs: task.deadlineMs - passedMs })
    simulated.call = null
    simulated.crashIf(simulated.fault?.kind === 'crashes_after_response')
    return result
  }
  return { ...performer, perform }
}

/** Timeouts as in production. An impatient request does not wait for the provider. */
export const limits: Deps['limits'] = {
  providerMs: 65_000,
  get requestMs() {
    return currentProcess()?.impatient === true ? 1 : 20_000
  },
}
