/**
 * Counts the backlog of all workspaces, for operators. The database role can read only the columns that these
 * queries need, such as states and times.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../../../kernel/clock.ts'
import type { Mode } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { instantOf } from '../../../../platform/db/due.ts'
import type { BacklogKind } from '../backlog.ts'
import { disputeDueHours } from '../concern.ts'

export type BacklogCount = { readonly mode: Mode; readonly count: number; readonly oldestSeconds: number }

type BacklogQuery = {
  readonly table: string
  readonly since: string
  readonly condition: (now: RawBuilder<Date>) => RawBuilder<unknown>
}

const dueHours = sql.raw(`interval '${disputeDueHours} hours'`)

// Each query reads a whole partial index, or a table with a row per endpoint. Objects on test clocks are
// excluded.
// biome-ignore format: a table.
const queries: { readonly [K in BacklogKind]: BacklogQuery } = {
  payments_unknown:       { table: 'payments', since: 'unresolved_since_at',
    condition: () => sql`row.unresolved_since_at is not null and row.test_clock_id is null` },
  payments_in_review:     { table: 'payments', since: 'updated_at',
    condition: () => sql`row.review is not null and row.test_clock_id is null` },
  refunds_in_review:      { table: 'refunds', since: 'updated_at', condition: () => sql`row.review is not null` },
  // Needs a response, including the next two kinds.
  disputes_open:          { table: 'disputes', since: 'created_at', condition: () => sql`row.status = 'needs_response'` },
  disputes_due:           { table: 'disputes', since: 'created_at',
    condition: (now) => sql`row.status = 'needs_response' and row.respond_by_at > ${now} and row.respond_by_at <= ${now} + ${dueHours}` },
  disputes_overdue:       { table: 'disputes', since: 'overdue_since_at', condition: () => sql`row.status = 'needs_response' and row.overdue_since_at is not null` },
  disputes_responding:    { table: 'disputes', since: 'responding_since_at', condition: () => sql`row.respond_at is not null` },
  deliveries_due:         { table: 'deliveries', since: 'due_at',
    condition: (now) => sql`row.state = 'pending' and row.due_at <= ${now}` },
  endpoints_failing:      { table: 'webhook_lanes', since: 'failing_since_at',
    condition: () => sql`row.health <> 'healthy' and exists (
      select from webhook_endpoints as endpoint
      where endpoint.workspace_id = row.workspace_id and endpoint.id = row.id and endpoint.deleted_at is null
        and endpoint.status = 'enabled')` },
  endpoints_disabled:     { table: 'webhook_endpoints', since: 'disabled_at',
    condition: () => sql`row.deleted_at is null and row.disabled_reason in ('failing', 'gone')` },
  subscriptions_past_due: { table: 'subscriptions', since: 'updated_at',
    condition: () => sql`row.collection_status <> 'current' and row.test_clock_id is null` },
  dunning_running:        { table: 'dunning_campaigns', since: 'failed_at',
    condition: () => sql`row.due_at is not null and row.test_clock_id is null` },
}

/**
 * Counts up to the limit for each mode separately, so that test data never hides live data. The oldest are
 * counted first, so that the age is correct even above the limit.
 */
export async function countWaiting(
  db: Db,
  kind: BacklogKind,
  now: Reading,
  limit: number,
): Promise<readonly BacklogCount[]> {
  const { table, since, condition } = queries[kind]
  const at = instantOf(now)
  const { rows } = await sql<BacklogCount>`
    select modes.mode, counted.count,
      coalesce(greatest(extract(epoch from ${at} - counted.oldest), 0), 0)::float8 as "oldestSeconds"
    from (values ('live'), ('test')) as modes (mode)
    cross join lateral (
      select count(found.workspace_id)::int as count, min(found.since) as oldest
      from (
        select row.workspace_id, ${sql.ref(`row.${since}`)} as since
        from ${sql.table(table)} as row join workspaces on workspaces.workspace_id = row.workspace_id
        where workspaces.mode = modes.mode and ${condition(at)}
        order by ${sql.ref(`row.${since}`)} limit ${limit}) as found) as counted`.execute(db)
  return rows
}
