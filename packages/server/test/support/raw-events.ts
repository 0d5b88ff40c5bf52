// Inserts events directly into the database, in transactions that a test begins and commits.

import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { type Id, idMaker, slotOf, uuidOf } from '../../src/kernel/id.ts'
import { databaseUrlOf } from './owner.ts'

export type RawEvent = {
  readonly object: string
  readonly sequence: number
  /** The creation time. The default is the time at which the transaction began. */
  readonly at?: Date
  readonly type?: string
  /** The length of the content. */
  readonly length?: number
}

/** Begins a transaction, which stays open until the test commits it or ends. */
export async function beginTransaction(databaseUrl: string, workspaceId: string) {
  const client = new Client({ connectionString: databaseUrlOf(databaseUrl, workspaceId) })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  const startedAt: Date = (await client.query('select now() as at')).rows[0].at
  const workspace = workspaceId as Id<'workspace'>
  return {
    startedAt,
    insert: (events: readonly RawEvent[]) =>
      client.query(
        `insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
         select $1, * from unnest($2::uuid[], $3::text[], $4::uuid[], $5::int[], $6::text[], $7::timestamptz[], $8::text[])`,
        toColumns(workspace, startedAt, events),
      ),
    commit: () => client.query('commit'),
  }
}

/** Inserts events in one transaction. */
export async function writeEvents(databaseUrl: string, workspaceId: string, events: readonly RawEvent[]) {
  const transaction = await beginTransaction(databaseUrl, workspaceId)
  await transaction.insert(events)
  await transaction.commit()
}

function toColumns(workspace: Id<'workspace'>, startedAt: Date, events: readonly RawEvent[]) {
  const column = <T>(pick: (event: RawEvent) => T) => events.map(pick)
  const createdAt = (event: RawEvent) => event.at ?? startedAt
  return [
    uuidOf(workspace),
    column((event) => idMaker(createdAt(event), slotOf(workspace))()),
    column(({ type = 'customer.updated' }) => type),
    column(({ object }) => object),
    column(({ sequence }) => sequence),
    column(() => '2026-11-14'),
    column(createdAt),
    column(({ object, sequence, length = 0 }) =>
      JSON.stringify({ object, sequence, filler: 'x'.repeat(length) }),
    ),
  ]
}
