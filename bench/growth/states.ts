/**
 * Databases of different sizes. Each starts as a copy of the small one, with ten thousand rows per table in the open
 * partition, and grows in one dimension. Half of the added rows belong to the measured workspace, the other half to a
 * thousand others.
 */
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { uuidOf } from '../../packages/server/src/kernel/id.ts'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import { ensurePartitions, partitionRangeOf } from '../../packages/server/src/platform/db/partitions.ts'
import { startApiServer, type WorkspaceCredentials } from '../counters/api-server.ts'
import { type Filling, fillCustomers, fillEvents } from '../fill.ts'
import { fillPaymentEvents, fillPayments, fillPostings, paymentTables } from '../fill-payments.ts'
import { disableSimulatorWebhooks } from '../payer.ts'
import { fillPartitions, tableNamed, withoutIndexes } from './partition.ts'

/** A database with the credentials of the measured workspace. */
export type GrownDatabase = {
  readonly url: string
  readonly credentials: WorkspaceCredentials
  readonly simulatorUrl: string
}

export const smallRows = 10_000
const otherWorkspaces = 1_000
const monthsOfHistory = 3
const dayMs = 24 * 60 * 60 * 1000

/** The smallest database, which the others are compared with. */
export async function createSmallDatabase(url: string, simulatorUrl: string): Promise<GrownDatabase> {
  const api = await startApiServer(url, { simulatorUrl })
  const { workspaceId, token } = api
  await api.close()
  const workspaces = [uuidOf(workspaceId)]
  await grow(url, async (client) => {
    const historyStart = new Date(Date.now() - 31 * monthsOfHistory * dayMs)
    await ensurePartitions((text) => client.query(text), historyStart)
    await fillCustomers(client, { rows: smallRows, workspaces, ...lastHourInOpenPartition() })
    await fillEvents(client, { rows: smallRows, workspaces, ...lastHourInOpenPartition() })
    await fillPayments(client, { rows: smallRows, workspaces, ...lastHourInOpenPartition() })
    await fillPostings(client, { rows: smallRows, workspaces, ...lastHourInOpenPartition() })
  })
  await disableSimulatorWebhooks(simulatorUrl, url, uuidOf(workspaceId))
  return { url, credentials: { workspaceId, token }, simulatorUrl }
}

export async function copyDatabase({ url, ...rest }: GrownDatabase, name: string): Promise<GrownDatabase> {
  const copyUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href
  const from = new URL(url).pathname.slice(1)
  const adminUrl = Object.assign(new URL(url), { pathname: '/postgres' }).href
  await asOwner(adminUrl, (client) => client.query(`create database ${name} template ${from}`))
  return { url: copyUrl, ...rest }
}

/** Frees disk space for the next database. */
export async function dropDatabase({ url }: GrownDatabase): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const adminUrl = Object.assign(new URL(url), { pathname: '/postgres' }).href
  await asOwner(adminUrl, (client) => client.query(`drop database ${name} with (force)`))
}

export function sizeOf({ url }: GrownDatabase): Promise<string> {
  return asOwner(url, async (client) => {
    const { rows } = await client.query('select pg_size_pretty(pg_database_size(current_database())) as size')
    return rows[0].size
  })
}

/** Adds a thousand other workspaces with one row each, so that the number of rows hardly changes. */
export function addWorkspaces({ url }: GrownDatabase): Promise<void> {
  const workspaces = Array.from({ length: otherWorkspaces }, () => randomUUID())
  return grow(url, async (client) => {
    await fillCustomers(client, { rows: otherWorkspaces, workspaces, ...lastHourInOpenPartition() })
    await fillEvents(client, { rows: otherWorkspaces, workspaces, ...lastHourInOpenPartition() })
  })
}

/** Adds events in closed partitions. */
export function addHistory({ url, credentials }: GrownDatabase, rows: number): Promise<void> {
  return grow(url, async (client) => {
    for (const { filling, at } of closedMonths(credentials, rows))
      await fillPartitions(client, ['events'], at, (into) => fillEvents(client, filling, into('events')))
  })
}

/** Adds rows to the open partition that are older than the rows of the small database. */
export function addToOpen({ url, credentials }: GrownDatabase, rows: number): Promise<void> {
  return grow(url, async (client) => {
    const filling = openMonth(credentials, rows)
    await fillPartitions(client, ['events'], filling.from, (into) =>
      fillEvents(client, filling, into('events')),
    )
  })
}

/** Adds payments with their related rows in closed partitions. */
export function addPayments({ url, credentials }: GrownDatabase, rows: number): Promise<void> {
  return grow(url, async (client) => {
    for (const { filling, at } of closedMonths(credentials, rows)) await addPaymentsOf(client, filling, at)
  })
}

export function addPaymentsToOpenPartition({ url, credentials }: GrownDatabase, rows: number): Promise<void> {
  const filling = openMonth(credentials, rows)
  return grow(url, (client) => addPaymentsOf(client, filling, filling.from))
}

function addPaymentsOf(client: Client, filling: Filling, at: Date): Promise<void> {
  return fillPartitions(client, [...paymentTables, 'events', 'ledger_postings'], at, async (into) => {
    await fillPayments(client, filling, into)
    await fillPostings(client, filling, into('ledger_postings'))
    await fillPaymentEvents(client, filling, into('events'))
  })
}

function closedMonths(
  credentials: WorkspaceCredentials,
  rows: number,
): { readonly filling: Filling; readonly at: Date }[] {
  return Array.from({ length: monthsOfHistory }, (_, month) => {
    const { from, to } = partitionRangeOf(tableNamed('events'), new Date(), -month - 1)
    const share = Math.round(rows / monthsOfHistory)
    return { at: from, filling: { rows: share, from, to, workspaces: alternatingWorkspaces(credentials) } }
  })
}

function openMonth(credentials: WorkspaceCredentials, rows: number): Filling {
  const { from } = partitionRangeOf(tableNamed('events'), new Date())
  return { rows, from, to: lastHourInOpenPartition().from, workspaces: alternatingWorkspaces(credentials) }
}

export function addCustomers({ url, credentials }: GrownDatabase, rows: number): Promise<void> {
  const { from: to } = lastHourInOpenPartition()
  const from = new Date(to.getTime() - 300 * dayMs)
  return grow(url, (client) =>
    withoutIndexes(client, 'customers', () =>
      fillCustomers(client, { rows, from, to, workspaces: alternatingWorkspaces(credentials) }),
    ),
  )
}

/** The part of the last hour that is in the current month. */
function lastHourInOpenPartition(): Pick<Filling, 'from' | 'to'> {
  const to = new Date()
  const { from: month } = partitionRangeOf(tableNamed('events'), to)
  return { from: new Date(Math.max(month.getTime() + 1, to.getTime() - 3_600_000)), to }
}

/** Every second row belongs to the measured workspace. */
function alternatingWorkspaces({ workspaceId }: WorkspaceCredentials): string[] {
  return Array.from({ length: otherWorkspaces }, () => [uuidOf(workspaceId), randomUUID()]).flat()
}

async function grow(url: string, fill: (client: Client) => Promise<void>): Promise<void> {
  await asOwner(url, async (client) => {
    await fill(client)
    await client.query('vacuum analyze')
  })
}
