/**
 * Databases of different sizes. Each begins as a copy of the small one, ten thousand rows a table in the open
 * partition, and grows in one direction. Half of what is added belongs to the workspace that asks, the other
 * half to a thousand others.
 */
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { uuidOf } from '../../packages/server/src/kernel/id.ts'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import { ensurePartitions, stretchOf } from '../../packages/server/src/platform/db/partitions.ts'
import { type Key, openFrontDoor } from '../counters/front-door.ts'
import { type Filling, fillCustomers, fillEvents } from '../fill.ts'
import { fillPaymentEvents, fillPayments, paymentTables } from '../fill-payments.ts'
import { silence } from '../payer.ts'
import { fillPartitions, tableNamed, withoutIndexes } from './partition.ts'

/** A database and the way into it. */
export type State = { readonly url: string; readonly key: Key; readonly simulatorUrl: string }

export const smallRows = 10_000
const otherWorkspaces = 1_000
const monthsOfHistory = 3
const dayMs = 24 * 60 * 60 * 1000

/** The smallest: what every other one is compared with. */
export async function makeSmall(url: string, simulatorUrl: string): Promise<State> {
  const door = await openFrontDoor(url, { simulatorUrl })
  const { workspaceId, token } = door
  await door.close()
  const workspaces = [uuidOf(workspaceId)]
  await grow(url, async (client) => {
    const begin = new Date(Date.now() - 31 * monthsOfHistory * dayMs)
    await ensurePartitions((text) => client.query(text), begin)
    await fillCustomers(client, { rows: smallRows, workspaces, ...openTime() })
    await fillEvents(client, { rows: smallRows, workspaces, ...openTime() })
    await fillPayments(client, { rows: smallRows, workspaces, ...openTime() })
  })
  await silence(simulatorUrl, url, uuidOf(workspaceId))
  return { url, key: { workspaceId, token }, simulatorUrl }
}

export async function copyOf({ url, ...rest }: State, name: string): Promise<State> {
  const copied = Object.assign(new URL(url), { pathname: `/${name}` }).href
  const from = new URL(url).pathname.slice(1)
  const root = Object.assign(new URL(url), { pathname: '/postgres' }).href
  await asOwner(root, (client) => client.query(`create database ${name} template ${from}`))
  return { url: copied, ...rest }
}

/** Its disk is for the next one. */
export async function drop({ url }: State): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const root = Object.assign(new URL(url), { pathname: '/postgres' }).href
  await asOwner(root, (client) => client.query(`drop database ${name} with (force)`))
}

export function sizeOf({ url }: State): Promise<string> {
  return asOwner(url, async (client) => {
    const { rows } = await client.query('select pg_size_pretty(pg_database_size(current_database())) as size')
    return rows[0].size
  })
}

/** A thousand other workspaces. A row each, so that there are not many more rows than before. */
export function addWorkspaces({ url }: State): Promise<void> {
  const workspaces = Array.from({ length: otherWorkspaces }, () => randomUUID())
  return grow(url, async (client) => {
    await fillCustomers(client, { rows: otherWorkspaces, workspaces, ...openTime() })
    await fillEvents(client, { rows: otherWorkspaces, workspaces, ...openTime() })
  })
}

/** Closed partitions that hold so many events. */
export function addHistory({ url, key }: State, rows: number): Promise<void> {
  return grow(url, async (client) => {
    for (const { filling, at } of closedMonths(key, rows))
      await fillPartitions(client, ['events'], at, (into) => fillEvents(client, filling, into('events')))
  })
}

/** Rows that were there before the ten thousand, in the partition that is written to. */
export function addToOpen({ url, key }: State, rows: number): Promise<void> {
  return grow(url, async (client) => {
    const filling = openMonth(key, rows)
    await fillPartitions(client, ['events'], filling.from, (into) =>
      fillEvents(client, filling, into('events')),
    )
  })
}

/** Closed partitions that hold so many payments, with all that belongs to them. */
export function addPayments({ url, key }: State, rows: number): Promise<void> {
  return grow(url, async (client) => {
    for (const { filling, at } of closedMonths(key, rows)) await addPaymentsOf(client, filling, at)
  })
}

export function addOpenPayments({ url, key }: State, rows: number): Promise<void> {
  const filling = openMonth(key, rows)
  return grow(url, (client) => addPaymentsOf(client, filling, filling.from))
}

function addPaymentsOf(client: Client, filling: Filling, at: Date): Promise<void> {
  return fillPartitions(client, [...paymentTables, 'events'], at, async (into) => {
    await fillPayments(client, filling, into)
    await fillPaymentEvents(client, filling, into('events'))
  })
}

function closedMonths(key: Key, rows: number): { readonly filling: Filling; readonly at: Date }[] {
  return Array.from({ length: monthsOfHistory }, (_, month) => {
    const { from, to } = stretchOf(tableNamed('events'), new Date(), -month - 1)
    const share = Math.round(rows / monthsOfHistory)
    return { at: from, filling: { rows: share, from, to, workspaces: mixed(key) } }
  })
}

function openMonth(key: Key, rows: number): Filling {
  const { from } = stretchOf(tableNamed('events'), new Date())
  return { rows, from, to: openTime().from, workspaces: mixed(key) }
}

export function addCustomers({ url, key }: State, rows: number): Promise<void> {
  const { from: to } = openTime()
  const from = new Date(to.getTime() - 300 * dayMs)
  return grow(url, (client) =>
    withoutIndexes(client, 'customers', () =>
      fillCustomers(client, { rows, from, to, workspaces: mixed(key) }),
    ),
  )
}

/** The last hour of the month that is open, or as much of it as there has been. */
function openTime(): Pick<Filling, 'from' | 'to'> {
  const to = new Date()
  const { from: month } = stretchOf(tableNamed('events'), to)
  return { from: new Date(Math.max(month.getTime() + 1, to.getTime() - 3_600_000)), to }
}

/** Every second row for the workspace that asks. */
function mixed({ workspaceId }: Key): string[] {
  return Array.from({ length: otherWorkspaces }, () => [uuidOf(workspaceId), randomUUID()]).flat()
}

async function grow(url: string, fill: (client: Client) => Promise<void>): Promise<void> {
  await asOwner(url, async (client) => {
    await fill(client)
    await client.query('vacuum analyze')
  })
}
