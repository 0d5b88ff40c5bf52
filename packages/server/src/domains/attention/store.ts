/** Looks for what is wrong now: each is a range of an index that holds that and nothing else, and has an end. */
import { type RawBuilder, sql } from 'kysely'
import type { Reading } from '../../kernel/clock.ts'
import { idFromUuid, type Kind, uuidOf } from '../../kernel/id.ts'
import { instantOf } from '../../platform/db/due.ts'
import type { View } from '../../platform/db/unit-of-work.ts'
import {
  type Account,
  type Endpoint,
  endingDays,
  mostLookedAt,
  type Several,
  type SeveralKind,
  unknownMinutes,
} from './concern.ts'

type EndpointRow = Omit<Endpoint, 'id'> & { readonly id: string }

/** Those that we have disabled, and those that do not answer as they should. A workspace has few. */
export async function failingEndpoints(view: View): Promise<readonly Endpoint[]> {
  const { rows } = await sql<EndpointRow>`
    select endpoint.id, endpoint.name, endpoint.url, endpoint.disabled_reason as "disabledReason",
      endpoint.disabled_at as "disabledAt", lane.failing_since_at as "failingSinceAt"
    from webhook_endpoints as endpoint join webhook_lanes as lane
      on lane.workspace_id = endpoint.workspace_id and lane.id = endpoint.id
    where endpoint.workspace_id = ${uuidOf(view.caller.workspaceId)} and endpoint.deleted_at is null
      and (endpoint.disabled_reason in ('failing', 'gone')
        or (endpoint.status = 'enabled' and lane.health <> 'healthy'))`.execute(view.db)
  return rows.map((row) => ({ ...row, id: idFromUuid('webhook_endpoint', view.caller.mode, row.id) }))
}

type AccountRow = Omit<Account, 'id'> & { readonly id: string }

export async function troubledAccounts(view: View): Promise<readonly Account[]> {
  const { rows } = await sql<AccountRow>`
    select account.id, account.display_name as name, account.hold_reason as "holdReason",
      account.hold_until_at as "holdUntilAt", account.updated_at as "updatedAt", (
        select min(health.opened_at) from provider_health as health
        where health.workspace_id = account.workspace_id and health.provider_account_id = account.id
          and health.state = 'open') as "openedAt"
    from provider_accounts as account
    where account.workspace_id = ${uuidOf(view.caller.workspaceId)} and account.status = 'active'
      and (account.hold_reason is not null or exists (
        select from provider_health as health
        where health.workspace_id = account.workspace_id and health.provider_account_id = account.id
          and health.state = 'open'))`.execute(view.db)
  return rows.map((row) => ({ ...row, id: idFromUuid('provider_account', view.caller.mode, row.id) }))
}

type Looked = {
  readonly object: Kind
  readonly table: string
  /** Since when it is so; of those for which nobody wrote that down, when they last changed. */
  readonly since: string
  readonly order: string
  readonly only: (now: RawBuilder<Date>) => RawBuilder<unknown>
}

const minutes = sql.raw(`interval '${unknownMinutes} minutes'`)
const days = sql.raw(`interval '${endingDays} days'`)

// biome-ignore format: a table.
const looks: { readonly [K in SeveralKind]: Looked } = {
  payments_unknown:     { object: 'payment', table: 'payments', since: 'unresolved_since_at', order: 'unresolved_since_at',
    only: (now) => sql`unresolved_since_at <= ${now} - ${minutes} and test_clock_id is null` },
  payments_in_review:   { object: 'payment', table: 'payments', since: 'updated_at', order: 'review, id',
    only: () => sql`review in ('needs_review', 'conflict')` },
  refunds_in_review:    { object: 'refund', table: 'refunds', since: 'updated_at', order: 'id',
    only: () => sql`review is not null` },
  subscriptions_parked: { object: 'subscription', table: 'subscriptions', since: 'updated_at', order: 'id',
    only: () => sql`parked is not null` },
  // They live in their own time on a test clock, where nobody waits.
  dunning_ending:       { object: 'dunning_campaign', table: 'dunning_campaigns', since: 'failed_at', order: 'ends_at',
    only: (now) => sql`status = 'running' and test_clock_id is null and ends_at <= ${now} + ${days}` },
}

/** How many there are, as far as that is worth knowing, and the first of them. */
export async function lookFor(view: View, kind: SeveralKind, now: Reading): Promise<Several | null> {
  const { object, table, since, order, only } = looks[kind]
  const { rows } = await sql<{ id: string; since: Date; count: number }>`
    with found as materialized (
      select id, ${sql.ref(since)} as since, row_number() over (order by ${sql.raw(order)}) as place
      from ${sql.table(table)}
      where workspace_id = ${uuidOf(view.caller.workspaceId)} and ${only(instantOf(now))}
      order by ${sql.raw(order)} limit ${mostLookedAt + 1})
    select id, since, (select count(id)::int from found) as count from found where place = 1`.execute(view.db)
  const [first] = rows
  if (first === undefined) return null
  return {
    objectId: idFromUuid(object, view.caller.mode, first.id),
    since: first.since,
    count: Math.min(first.count, mostLookedAt),
    hasMore: first.count > mostLookedAt,
  }
}
