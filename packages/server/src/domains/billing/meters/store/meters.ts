/** Rows of meters. The first meter of a workspace also creates the stream and the cursor of its events. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../../kernel/errors.ts'
import { idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { Meters } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Aggregation, Meter, MeterTerms } from '../meter.ts'

const columns = ['id', 'event_name', 'aggregation', 'value_key', 'dimensions', 'created_at'] as const
type MeterRow = Pick<Selectable<Meters>, (typeof columns)[number]>

/** Null if another meter has the event name. Also creates the stream of the workspace. */
export async function insertMeter(tx: Tx, terms: MeterTerms): Promise<Meter | null> {
  const workspaceUuid = uuidOf(tx.caller.workspaceId)
  const row = await tx.db
    .insertInto('meters')
    .values({
      workspace_id: workspaceUuid,
      id: uuidOf(tx.newId('meter')),
      event_name: terms.eventName,
      aggregation: terms.aggregation,
      value_key: terms.valueKey,
      dimensions: [...terms.dimensions],
      created_at: tx.now,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'event_name']).doNothing())
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) return null
  await sql`insert into meter_streams (workspace_id, id) values (${workspaceUuid}, ${workspaceUuid})
    on conflict do nothing`.execute(tx.db)
  await sql`insert into meter_cursors (workspace_id) values (${workspaceUuid}) on conflict do nothing`.execute(
    tx.db,
  )
  return fromRow(tx.caller.mode, row)
}

export async function findMeter(view: View, text: string): Promise<Meter> {
  return (await findMeterOrNull(view, text)) ?? refuse('not_found', { detail: 'There is no such meter.' })
}

export async function findMeterOrNull(view: View, text: string): Promise<Meter | null> {
  const uuid = uuidFromText('meter', view.caller.mode, text)
  const row = uuid === null ? undefined : await inWorkspace(view).where('id', '=', uuid).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : null
}

/** The meters of these event names. */
export async function findMetersByName(
  view: View,
  eventNames: readonly string[],
): Promise<ReadonlyMap<string, Meter>> {
  const rows = await inWorkspace(view)
    .where('event_name', 'in', [...eventNames])
    .execute()
  return new Map(rows.map((row) => [row.event_name, fromRow(view.caller.mode, row)]))
}

function inWorkspace(view: View) {
  return view.db
    .selectFrom('meters')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
}

export function listMeters(view: View, range: IdRange) {
  return listRows(view, range, { table: 'meters', columns, fromRow })
}

function fromRow(mode: Mode, row: MeterRow): Meter {
  return {
    id: idFromUuid('meter', mode, row.id),
    eventName: row.event_name,
    aggregation: row.aggregation as Aggregation,
    valueKey: row.value_key,
    dimensions: row.dimensions,
    createdAt: row.created_at,
  }
}
