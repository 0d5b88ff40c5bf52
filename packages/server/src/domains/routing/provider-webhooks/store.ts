/** Rows of provider events: stored first, processed later. */
import { sql } from 'kysely'
import { type Id, idFromUuid, uuidOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { type EventOutcome, parseStoredEvent, type StoredEvent, serializeEvent } from './provider-event.ts'

const columns = ['provider_account_id', 'verdict', 'event', 'tries', 'due_at', 'version'] as const

/** Deduplicated by key: repeated events are not stored again. */
export async function insertEvent(
  tx: Tx,
  providerAccountId: Id<'provider_account'>,
  { verdict, event, sealedToken }: Pick<StoredEvent, 'verdict' | 'event' | 'sealedToken'>,
): Promise<void> {
  const id = tx.newId('provider_event')
  const { rows } = await sql`
    insert into provider_events (workspace_id, id, provider_account_id, dedupe_key, verdict, event, due_at, created_at)
    values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(id)}, ${uuidOf(providerAccountId)}, ${event.dedupeKey ?? id},
      ${verdict}, ${serializeEvent({ event, sealedToken })}, ${tx.wallTime}, ${tx.wallTime})
    on conflict do nothing returning 1`.execute(tx.db)
  if (rows.length > 0) tx.wake('provider_event.process', id, tx.wallTime)
}

/** Null if the event was deleted, which happens after three months. */
export async function lockEvent(tx: Tx, id: Id<'provider_event'>): Promise<StoredEvent | null> {
  const row = await tx.db
    .selectFrom('provider_events')
    .select(columns)
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    id,
    providerAccountId: idFromUuid('provider_account', tx.caller.mode, row.provider_account_id),
    verdict: row.verdict as StoredEvent['verdict'],
    ...parseStoredEvent(row.event),
    tries: row.tries,
    dueAt: row.due_at,
    version: row.version,
  }
}

/** An event without an outcome is retried at `dueAt`. */
export async function updateEvent(
  tx: Tx,
  before: StoredEvent,
  { outcome, dueAt }: { readonly outcome: EventOutcome | null; readonly dueAt: Date | null },
): Promise<void> {
  await tx.db
    .updateTable('provider_events')
    .set({ outcome, due_at: dueAt, tries: before.tries + 1, version: before.version + 1 })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .execute()
  tx.wake('provider_event.process', before.id, dueAt)
}
