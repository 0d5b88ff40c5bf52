/**
 * Databases of different sizes. Each begins as a copy of the small one, ten thousand rows a table in the open
 * partition, and grows in one direction. Half of what is added belongs to the workspace that asks, the other
 * half to a thousand others.
 */
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { uuidFloor, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import {
  ensurePartitions,
  partitionedTables,
  stretchOf,
} from '../../packages/server/src/platform/db/partitions.ts'
import { type Key, openFrontDoor } from '../counters/front-door.ts'
import { type Filling, fillCustomers, fillEvents } from '../fill.ts'

/** A database and the way into it. */
export type State = { readonly url: string; readonly key: Key }

export const smallRows = 10_000
const otherWorkspaces = 1_000
const monthsOfHistory = 3
const dayMs = 24 * 60 * 60 * 1000

/** The smallest: what every other one is compared with. */
export async function makeSmall(url: string): Promise<State> {
  const door = await openFrontDoor(url)
  const { workspaceId, token } = door
  await door.close()
  const workspaces = [uuidOf(workspaceId)]
  await grow(url, async (client) => {
    const begin = new Date(Date.now() - 31 * monthsOfHistory * dayMs)
    await ensurePartitions((text) => client.query(text), begin)
    await fillCustomers(client, { rows: smallRows, workspaces, ...openTime() })
    await fillEvents(client, { rows: smallRows, workspaces, ...openTime() })
  })
  return { url, key: { workspaceId, token } }
}

export async function copyOf({ url, key }: State, name: string): Promise<State> {
  const copied = Object.assign(new URL(url), { pathname: `/${name}` }).href
  const from = new URL(url).pathname.slice(1)
  const root = Object.assign(new URL(url), { pathname: '/postgres' }).href
  await asOwner(root, (client) => client.query(`create database ${name} template ${from}`))
  return { url: copied, key }
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
    for (let month = 1; month <= monthsOfHistory; month += 1) {
      const { name, from, to } = stretchOf(eventsTable, new Date(), -month)
      const workspaces = mixed(key)
      await fillPartition(client, name, { rows: Math.round(rows / monthsOfHistory), from, to, workspaces })
    }
  })
}

/** Rows that were there before the ten thousand, in the partition that is written to. */
export function addToOpen({ url, key }: State, rows: number): Promise<void> {
  return grow(url, async (client) => {
    const { name, from } = stretchOf(eventsTable, new Date())
    const to = openTime().from
    await fillPartition(client, name, { rows, from, to, workspaces: mixed(key) })
  })
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

const eventsTable = partitionedTables.find(({ table }) => table === 'events') as (typeof partitionedTables)[0]

/** The last hour of the month that is open, or as much of it as there has been. */
function openTime(): Pick<Filling, 'from' | 'to'> {
  const to = new Date()
  const { from: month } = stretchOf(eventsTable, to)
  return { from: new Date(Math.max(month.getTime() + 1, to.getTime() - 3_600_000)), to }
}

/** Every second row for the workspace that asks. */
function mixed({ workspaceId }: Key): string[] {
  return Array.from({ length: otherWorkspaces }, () => [uuidOf(workspaceId), randomUUID()]).flat()
}

/** Filled beside its table, with what it held before: indexes are made faster at once than row by row. */
async function fillPartition(client: Client, name: string, filling: Filling): Promise<void> {
  await client.query(`alter table events detach partition ${name}`)
  await withoutIndexes(client, name, () => fillEvents(client, filling, name))
  const { from, to } = stretchOf(eventsTable, filling.from)
  const bounds = `from ('${uuidFloor(from)}') to ('${uuidFloor(to)}')`
  await client.query(`alter table events attach partition ${name} for values ${bounds}`)
}

async function withoutIndexes(client: Client, table: string, fill: () => Promise<void>): Promise<void> {
  const { rows } = await client.query(
    `select indexrelid::regclass::text as name, indisprimary as is_key, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = $1::regclass`,
    [table],
  )
  for (const { name, is_key } of rows)
    await client.query(is_key ? `alter table ${table} drop constraint ${name}` : `drop index ${name}`)
  await fill()
  for (const { name, is_key, definition } of rows) {
    await client.query(definition)
    if (is_key)
      await client.query(`alter table ${table} add constraint ${name} primary key using index ${name}`)
  }
}

async function grow(url: string, fill: (client: Client) => Promise<void>): Promise<void> {
  await asOwner(url, async (client) => {
    await fill(client)
    await client.query('vacuum analyze')
  })
}
