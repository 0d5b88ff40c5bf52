// Moves a workspace between two shards while callers pay, subscriptions renew and webhooks are sent, and checks that nothing
// was lost, done twice, or different.

import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import { fillKeys } from '../../../../bench/fill.ts'
import { fillPaymentEvents, fillPayments } from '../../../../bench/fill-payments.ts'
import { findMovedTables } from '../../src/platform/db/moves/tables.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'
import {
  compareWithLedger,
  fetchLedger,
  findDoubleCharges,
  findInconsistencies,
  findLostObjects,
  isIdle,
} from './database-checks.ts'
import { type Acknowledged, type LoadGenerator, startLoad } from './load-generator.ts'
import type {
  CommandResult,
  DatabaseName,
  MovableWorkspace,
  MoveInstallation,
  ShardName,
} from './move-installation.ts'
import { registerReceiver } from './receiver.ts'

export type MoveLoad = {
  readonly moving: LoadGenerator
  readonly other: LoadGenerator
  /** What was created before the load. */
  readonly earlier: readonly Acknowledged[]
  /**
   * Sends the requests from before the move again, with the same idempotency keys. Returns the differences.
   */
  repeatRequests(): Promise<readonly string[]>
  stop(): Promise<void>
}

export type LoadOptions = {
  readonly perSecond: number
  readonly subscriptions: number
  /** How many objects to create with API requests before the load. */
  readonly objects?: number
}

export async function startMoveLoad(
  { installation, moving, other }: MoveInstallation,
  { perSecond, subscriptions, objects = 0 }: LoadOptions,
): Promise<MoveLoad> {
  const { address } = installation
  await registerReceiver(installation, moving.token)
  const earlier = objects === 0 ? [] : await createObjects(address, moving, objects)
  const requests = await payWithKeys(address, moving)
  const load = await startLoad({ address, token: moving.token, perSecond, subscriptions, maxRetries: 8 })
  const others = await startLoad({
    address,
    token: other.token,
    perSecond: 5,
    subscriptions: 0,
    maxRetries: 8,
  })
  return {
    moving: load,
    other: others,
    earlier,
    repeatRequests: async () => {
      const again = await Promise.all(requests.map(({ send }) => send()))
      return requests.flatMap(({ answer }, index) =>
        answer === again[index]
          ? []
          : [`A repeated request got ${again[index]}, but the first request got ${answer}.`],
      )
    },
    stop: async () => {
      await Promise.all([load.stop(), others.stop()])
    },
  }
}

/** As fast as possible. */
async function createObjects(
  address: string,
  { token }: MovableWorkspace,
  count: number,
): Promise<readonly Acknowledged[]> {
  const load = await startLoad({ address, token, perSecond: 1_000, subscriptions: 0, maxRetries: 8 })
  const isDone = () => load.acknowledged.length >= count
  await until(`${count} objects exist`, isDone, { withinMs: 120_000, everyMs: 50 })
  await load.stop()
  return load.acknowledged
}

const keyedRequests = 5

/** Payments whose requests can be repeated. */
async function payWithKeys(address: string, { token }: MovableWorkspace) {
  const client = new Switchyard({ token, baseUrl: address, maxRetries: 8 })
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const prepare = async (_: unknown, index: number) => {
    const { id } = await client.tokens.create({ type: 'card', card })
    const send = async () => {
      const response = await fetch(`${address}/payments`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': `before-the-move-${index}`,
        },
        body: JSON.stringify({ amount: 1_299, currency: 'eur', token: id }),
      })
      return `${response.status} ${await response.text()}`
    }
    return { send, answer: await send() }
  }
  return Promise.all(Array.from({ length: keyedRequests }, prepare))
}

/** Fills the workspace with payments from the last hours, directly in the database. */
export async function fillWorkspace({ urlOf, moving }: MoveInstallation, rows: number): Promise<void> {
  const now = Date.now()
  const filling = {
    rows,
    from: new Date(now - 6 * 3_600_000),
    to: new Date(now - 120_000),
    workspaces: [moving.uuid],
  }
  await asOwner(urlOf('a'), async (client) => {
    await fillPayments(client, filling)
    await fillPaymentEvents(client, filling)
    await fillKeys(client, filling)
    await client.query('vacuum analyze')
  })
}

export type MoveReport = {
  readonly violations: readonly string[]
  readonly payments: number
  readonly acknowledged: number
  readonly failures: readonly string[]
  readonly failedAttempts: Readonly<Record<string, number>>
  readonly received: number
  readonly repeated: number
  readonly checksum: string
}

/** Stops the load, waits until all work is done, and checks everything on the shard that serves the workspace. */
export async function checkMove(
  { installation, urlOf, moving, findOpenShards, run }: MoveInstallation,
  load: MoveLoad,
  { on, isFilled = false }: { readonly on: ShardName; readonly isFilled?: boolean },
): Promise<MoveReport> {
  await load.stop()
  const differing = await load.repeatRequests()
  const open = await findOpenShards()
  return asOwner(urlOf(on), async (client) => {
    // The lease of an operation whose sender was killed expires after 70 seconds.
    await until('no outcome is open', () => isIdle(client), { withinMs: 100_000, everyMs: 250 })
    const own = [...load.earlier, ...load.moving.acknowledged]
    const lost = await findLostObjects(client, own)
    const entries = await fetchLedger(installation.simulatorUrl, client)
    const { missingInDatabase, different } = await compareWithLedger(client, entries)
    const deliveries = await countDeliveries(installation, client, moving.uuid)
    const ledger = isFilled ? { ending: 0, out: '' } : await run(['verify-ledger'])
    const violations = [
      ...differing,
      ...(open.join() === on
        ? []
        : [`The workspace is open on ${open.join(' and ') || 'no shard'}, not on ${on}.`]),
      ...lost.map(({ violation }) => violation),
      ...missingInDatabase.map(({ reference }) => `${reference} was charged, and is not in the database`),
      ...different,
      ...findDoubleCharges(entries),
      ...deliveries.missing,
      ...deliveries.rejected,
      ...(isFilled ? [] : await findInconsistencies(client)),
      ...(ledger.ending === 0 ? [] : [ledger.out]),
    ]
    return {
      violations,
      payments: await count(client, moving.uuid),
      acknowledged: own.length,
      failures: load.moving.failures,
      failedAttempts: Object.fromEntries(load.moving.failedAttempts),
      received: deliveries.received,
      repeated: deliveries.repeated,
      checksum: await checksumOf(client, moving.uuid),
    }
  })
}

/**
 * The delivery of an event is created in the same transaction as the event, so all events have arrived when
 * no delivery is pending.
 */
async function countDeliveries(
  { sink }: MoveInstallation['installation'],
  client: Client,
  workspace: string,
): Promise<{ received: number; repeated: number; missing: string[]; rejected: readonly string[] }> {
  const countIn = async (condition: string) => {
    const { rows } = await client.query(
      `select count(*)::int as count from deliveries where workspace_id = $1 and ${condition}`,
      [workspace],
    )
    return rows[0].count as number
  }
  await until('nothing is to be delivered', async () => (await countIn("state = 'pending'")) === 0, {
    withinMs: 120_000,
    everyMs: 500,
  })
  const { paths, refusals } = await sink.summary()
  const { receipts = 0, received = 0 } = paths['/drill'] ?? {}
  const delivered = await countIn("state = 'delivered'")
  const missing =
    delivered === received ? [] : [`${delivered} events were delivered, and ${received} received`]
  return { received, repeated: receipts - received, missing, rejected: refusals }
}

async function count(client: Client, workspace: string): Promise<number> {
  const { rows } = await client.query('select count(*)::int as count from payments where workspace_id = $1', [
    workspace,
  ])
  return rows[0].count
}

/** Tables whose rows are not the same on both shards, by design. */
const notCompared = ['public.request_log', 'public.workspace_moves']

/** Compares every table of the workspace on both shards, until nothing differs. Call it while a move watches. */
export async function compareShards({ urlOf, moving }: MoveInstallation): Promise<void> {
  let different: readonly string[] = []
  const compare = async () => {
    const [a, b] = await Promise.all([hashTables(urlOf('a'), moving), hashTables(urlOf('b'), moving)])
    different = [...a].filter(([table, rows]) => b.get(table) !== rows).map(([table]) => table)
    return different.length === 0
  }
  await until('the shards are equal', compare, { withinMs: 60_000, everyMs: 500 }).catch((error) => {
    throw new Error(`The shards differ in ${different.join(', ')}.`, { cause: error })
  })
}

/** The number of rows and a hash of each table. */
function hashTables(url: string, { uuid }: MovableWorkspace): Promise<ReadonlyMap<string, string>> {
  return asOwner(url, async (client) => {
    const hashes = new Map<string, string>()
    for (const { name, columns } of await findMovedTables(client)) {
      if (notCompared.includes(name)) continue
      const { rows } = await client.query(
        `select count(*) || ':' || coalesce(md5(string_agg(row(${columns.join(', ')})::text, ';' order by row(${columns.join(', ')})::text)), '') as hash
         from ${name} where workspace_id = $1`,
        [uuid],
      )
      hashes.set(name, rows[0].hash)
    }
    return hashes
  })
}

/** Checks repeatedly that not both shards accept changes. */
export function watchOpenShards({ isOpenOn }: MoveInstallation): { stop(): Promise<readonly string[]> } {
  const violations: string[] = []
  let isStopped = false
  const watch = async () => {
    while (!isStopped) {
      // A database may be stopped by the drill, and is not open then.
      const check = async (name: ShardName) => isOpenOn(name).catch(() => false)
      const before = await check('a')
      const onB = await check('b')
      // The workspace is not moved forth and back between three queries, so it was open on both at the same time.
      if (before && onB && (await check('a'))) violations.push('The workspace was open on both shards.')
      await sleep(50)
    }
  }
  const watching = watch()
  return {
    async stop() {
      isStopped = true
      await watching
      return violations
    },
  }
}

/** A checksum of all payments, operations and events of the workspace. */
async function checksumOf(client: Client, workspace: string): Promise<string> {
  const sums: string[] = []
  for (const [table, columns] of [
    ['payments', 'payments'],
    ['operations', 'operations'],
    ['events', '(id, type, object_id, sequence, data)'],
  ] as const) {
    const { rows } = await client.query(
      `select md5(coalesce(sum(hashtextextended(${columns}::text, 0)::numeric), 0)::text) as sum
       from ${table} where workspace_id = $1`,
      [workspace],
    )
    sums.push(`${table} ${rows[0].sum}`)
  }
  return sums.join(', ')
}

export type Phase = { readonly calls: number; readonly p99Ms: number; readonly maxMs: number }

/** Durations of the attempts since the last call. */
export function phasesOf({ durationsMs }: LoadGenerator): () => Phase {
  let from = durationsMs.length
  return () => {
    const sorted = durationsMs.slice(from).toSorted((x, y) => x - y)
    from = durationsMs.length
    const at = (share: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
    return { calls: sorted.length, p99Ms: at(0.99), maxMs: at(1) }
  }
}

/** How long writes waited, as the command printed it. */
export function pauseOf(out: string): number | null {
  const [, pause] = /Writes waited for (\d+) ms/.exec(out) ?? []
  return pause === undefined ? null : Number(pause)
}

export const machineLoad = () => Math.round((loadavg()[0] ?? 0) * 10) / 10

/** The crash points of a move, in their order. */
export const crashPoints = {
  beforeFlip: [
    'registered',
    'copying',
    'subscribed',
    'copied',
    'linked',
    'compared',
    'lanes_taken',
    'fenced',
    'drained',
    'verified',
    'prepared',
  ],
  afterFlip: ['flipped', 'opened_target', 'opened'],
  cleanUp: ['disconnected', 'cleaned'],
} as const

export const victims = {
  mover: null,
  source: 'a',
  target: 'b',
  control: 'control',
} as const satisfies Record<string, DatabaseName | null>
export type Victim = keyof typeof victims

export const moveTo = ({ run, moving }: MoveInstallation, shard: ShardName, crashpoint?: string) =>
  run(['cells', 'move', moving.id, '--to', shard], crashpoint)

/**
 * Moves to shard `b`, kills the mover at the step, and then kills and restarts the database, unless the mover is the only
 * victim. Returns after how many milliseconds writes are accepted again.
 */
export async function killAt(
  installation: MoveInstallation,
  { victim, step }: { readonly victim: Victim; readonly step: string },
): Promise<number> {
  const result = await moveTo(installation, 'b', `move.step:${step}`)
  if (result.ending !== 'SIGKILL') throw new Error(`The mover was not killed at ${step}: ${result.out}`)
  const database = victims[victim]
  if (database !== null) await installation.restart(database)
  return waitUntilServed(installation, 90_000)
}

/** How many times a command is tried while a database is starting. */
const maxRuns = 5

/** Runs the command again if it fails because a database is still starting, as an operator would. */
export async function repeatUntilDone(
  { run }: MoveInstallation,
  args: readonly string[],
): Promise<CommandResult> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await run(args)
    if (result.ending === 0) return result
    if (attempt === maxRuns) throw new Error(`${args.join(' ')} failed ${maxRuns} times: ${result.out}`)
    await sleep(2_000)
  }
}

/** Payments are accepted again within this time after the mover, or a database, was killed. */
export async function waitUntilServed(
  { installation, moving }: MoveInstallation,
  withinMs: number,
): Promise<number> {
  const client = new Switchyard({ token: moving.token, baseUrl: installation.address, maxRetries: 0 })
  const startedMs = performance.now()
  for (;;) {
    const served = await client.customers.create({}).then(
      () => true,
      () => false,
    )
    if (served) return performance.now() - startedMs
    if (performance.now() - startedMs > withinMs) throw new Error(`Not served within ${withinMs} ms.`)
    await sleep(100)
  }
}
