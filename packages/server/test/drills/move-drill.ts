// Moves a workspace between two shards while callers pay, subscriptions renew and webhooks are sent, and checks that nothing
// was lost, done twice, or different.

import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import { fillKeys } from '../../../../bench/fill.ts'
import { fillPaymentEvents, fillPayments } from '../../../../bench/fill-payments.ts'
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
import { type LoadGenerator, startLoad } from './load-generator.ts'
import type { MovableWorkspace, MoveInstallation, ShardName } from './move-installation.ts'
import { registerReceiver } from './receiver.ts'

export type MoveLoad = {
  readonly moving: LoadGenerator
  readonly other: LoadGenerator
  /**
   * Sends the requests from before the move again, with the same idempotency keys. Returns the differences.
   */
  repeatRequests(): Promise<readonly string[]>
  stop(): Promise<void>
}

export type LoadOptions = { readonly perSecond: number; readonly subscriptions: number }

export async function startMoveLoad(
  { installation, moving, other }: MoveInstallation,
  { perSecond, subscriptions }: LoadOptions,
): Promise<MoveLoad> {
  const { address } = installation
  await registerReceiver(installation, moving.token)
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
    await until('no outcome is open', () => isIdle(client), { withinMs: 60_000, everyMs: 250 })
    const own = load.moving.acknowledged
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
