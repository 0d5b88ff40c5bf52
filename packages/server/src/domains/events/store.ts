import { type CompiledQuery, type Selectable, sql } from 'kysely'
import { refuse } from '../../kernel/errors.ts'
import { idFromUuid, type Mode, uuidFromText, uuidOf } from '../../kernel/id.ts'
import type { EventRecord } from '../../platform/db/events.ts'
import { type IdRange, keysetOf, pageOf } from '../../platform/db/keyset.ts'
import type { Events } from '../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../platform/db/unit-of-work.ts'
import type { Event } from './event.ts'

/** All events of a unit in one statement, for the unit of work to send before its commit. */
export function insertEvents(tx: Tx, events: readonly EventRecord[]): CompiledQuery {
  const [only] = events
  // Most units tell of one thing, and plain values cost Postgres less than arrays.
  if (only !== undefined && events.length === 1) {
    return sql`
      insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
      values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(only.id)}, ${only.type}, ${uuidOf(only.objectId)},
        ${only.sequence}, ${only.apiVersion}, ${only.createdAt}, ${only.data})`.compile(tx.db)
  }
  const column = <T>(pick: (event: EventRecord) => T) => events.map(pick)
  return sql`
    insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, * from unnest(
      ${column((event) => uuidOf(event.id))}::uuid[], ${column((event) => event.type)}::text[],
      ${column((event) => uuidOf(event.objectId))}::uuid[], ${column((event) => event.sequence)}::int[],
      ${column((event) => event.apiVersion)}::text[], ${column((event) => event.createdAt)}::timestamptz[],
      ${column((event) => event.data)}::text[])`.compile(tx.db)
}

type EventRow = Pick<Selectable<Events>, 'id' | 'type' | 'api_version' | 'created_at' | 'data'>

export async function findEvent(view: View, text: string): Promise<Event> {
  const uuid = uuidFromText('event', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const { rows } = await sql<EventRow>`
    select id, type, api_version, created_at, data from events
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = ${uuid}`.execute(view.db)
  const [row] = rows
  return row === undefined ? refuse('not_found', { detail: missing }) : fromRow(view.caller.mode, row)
}

const missing = 'There is no such event. Events are kept for 90 days.'

export type EventFilter = { readonly type?: string | undefined; readonly objectUuid?: string | undefined }

export async function listEvents(view: View, range: IdRange, filter: EventFilter) {
  const type = filter.type === undefined ? sql`` : sql`and type = ${filter.type}`
  const object = filter.objectUuid === undefined ? sql`` : sql`and object_id = ${filter.objectUuid}::uuid`
  const { rows } = await sql<EventRow>`
    select id, type, api_version, created_at, data from events
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${type} ${object} ${keysetOf(range)}`.execute(
    view.db,
  )
  return pageOf(
    rows.map((row) => fromRow(view.caller.mode, row)),
    range,
  )
}

function fromRow(mode: Mode, row: EventRow): Event {
  return {
    id: idFromUuid('event', mode, row.id),
    type: row.type,
    apiVersion: row.api_version,
    createdAt: row.created_at,
    data: row.data,
  }
}
