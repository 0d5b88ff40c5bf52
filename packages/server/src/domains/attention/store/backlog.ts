/** What waits in all workspaces, for operators: numbers and ages, as the role that sees states and times alone. */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../../kernel/clock.ts'
import type { Mode } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf } from '../../../platform/db/due.ts'
import type { BacklogKind } from '../backlog.ts'

export type Waiting = { readonly mode: Mode; readonly count: number; readonly oldestSeconds: number }

type Look = {
  readonly table: string
  readonly since: string
  readonly only: (now: RawBuilder<Date>) => RawBuilder<unknown>
}

// Each is all of a partial index, or of a table with a row per endpoint. What lives on a test clock waits for nobody.
// biome-ignore format: a table.
const looks: { readonly [K in BacklogKind]: Look } = {
  payments_unknown:       { table: 'payments', since: 'unresolved_since_at',
    only: () => sql`row.unresolved_since_at is not null and row.test_clock_id is null` },
  payments_in_review:     { table: 'payments', since: 'updated_at', only: () => sql`row.review is not null` },
  refunds_in_review:      { table: 'refunds', since: 'updated_at', only: () => sql`row.review is not null` },
  deliveries_due:         { table: 'deliveries', since: 'due_at',
    only: (now) => sql`row.state = 'pending' and row.due_at <= ${now}` },
  endpoints_failing:      { table: 'webhook_lanes', since: 'failing_since_at',
    only: () => sql`row.health <> 'healthy' and exists (
      select from webhook_endpoints as endpoint
      where endpoint.workspace_id = row.workspace_id and endpoint.id = row.id and endpoint.deleted_at is null
        and endpoint.status = 'enabled')` },
  endpoints_disabled:     { table: 'webhook_endpoints', since: 'disabled_at',
    only: () => sql`row.deleted_at is null and row.disabled_reason in ('failing', 'gone')` },
  subscriptions_past_due: { table: 'subscriptions', since: 'updated_at',
    only: () => sql`row.collection_status <> 'current' and row.test_clock_id is null` },
  dunning_running:        { table: 'dunning_campaigns', since: 'failed_at',
    only: () => sql`row.due_at is not null and row.test_clock_id is null` },
}

/**
 * Counted up to the limit, each mode by itself, so that a mass of test data never hides what is live. The oldest come
 * first, so that the age is right also beyond the limit.
 */
export async function findWaiting(
  db: Db,
  kind: BacklogKind,
  now: Reading,
  limit: number,
): Promise<readonly Waiting[]> {
  const { table, since, only } = looks[kind]
  const at = instantOf(now)
  const { rows } = await sql<Waiting>`
    select modes.mode, counted.count,
      coalesce(greatest(extract(epoch from ${at} - counted.oldest), 0), 0)::float8 as "oldestSeconds"
    from (values ('live'), ('test')) as modes (mode)
    cross join lateral (
      select count(found.workspace_id)::int as count, min(found.since) as oldest
      from (
        select row.workspace_id, ${sql.ref(`row.${since}`)} as since
        from ${sql.table(table)} as row join workspaces on workspaces.workspace_id = row.workspace_id
        where workspaces.mode = modes.mode and ${only(at)}
        order by ${sql.ref(`row.${since}`)} limit ${limit}) as found) as counted`.execute(db)
  return rows
}
