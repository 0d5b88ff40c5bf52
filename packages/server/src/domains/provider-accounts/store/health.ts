/** Breakers of accounts, and what was counted of their calls. */
import { type RawBuilder, sql } from 'kysely'
import { addSeconds, type Reading } from '../../../kernel/clock.ts'
import { type Id, idFromUuid, type Mode, uuidFloor, uuidOf } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { instantOf, mayBeHandedOut } from '../../../platform/db/due.ts'
import { Overtaken, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import { type Breaker, closedBreaker } from '../breaker.ts'
import { type Counts, type Lane, latencyBounds } from '../health.ts'

type Account = Id<'provider_account'>

/** The version is 0 while there is no row. */
export type StoredBreaker = Breaker & {
  readonly accountId: Account
  readonly lane: Lane
  readonly credentialsRefusedAt: Date | null
  readonly version: number
}

/** Two processes that saw the same take turns; the second finds what the first has made of it. */
export async function lockBreaker(tx: Tx, accountId: Account, lane: Lane): Promise<StoredBreaker> {
  const row = await tx.db
    .selectFrom('provider_health')
    .select(['state', 'opened_at', 'open_until_at', 'next_probe_at', 'closed_at'])
    .select(['trips', 'good', 'credentials_refused_at', 'version'])
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('provider_account_id', '=', uuidOf(accountId))
    .where('lane', '=', lane)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return { ...closedBreaker, accountId, lane, credentialsRefusedAt: null, version: 0 }
  return {
    ...{ accountId, lane, trips: row.trips, good: row.good, version: row.version },
    state: row.state as Breaker['state'],
    openedAt: row.opened_at,
    openUntilAt: row.open_until_at,
    nextProbeAt: row.next_probe_at,
    closedAt: row.closed_at,
    credentialsRefusedAt: row.credentials_refused_at,
  }
}

/** A compare-and-set: if somebody else was faster, the unit runs again and looks again. */
export async function writeBreaker(tx: Tx, before: StoredBreaker, after: StoredBreaker): Promise<void> {
  const key = {
    workspace_id: uuidOf(tx.caller.workspaceId),
    provider_account_id: uuidOf(before.accountId),
    lane: before.lane,
  }
  const values = {
    state: after.state,
    opened_at: after.openedAt,
    open_until_at: after.openUntilAt,
    next_probe_at: after.nextProbeAt,
    closed_at: after.closedAt,
    trips: after.trips,
    good: after.good,
    credentials_refused_at: after.credentialsRefusedAt,
    version: before.version + 1,
  }
  const row = await tx.db
    .insertInto('provider_health')
    .values({ ...key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'provider_account_id', 'lane'])
        .doUpdateSet(values)
        .where('provider_health.version', '=', before.version),
    )
    .returning('version')
    .executeTakeFirst()
  if (row === undefined) throw new Overtaken(before.accountId)
  // Whoever writes the time of the next probe rings, so no service can forget to.
  tx.wake('provider_account.probe', before.accountId, after.nextProbeAt)
}

export type OpenBreaker = {
  readonly accountId: Account
  readonly lane: Lane
  /** How long until it is probed. Not above 0: it is. */
  readonly opensForMs: number
}

/** All of them, of all workspaces: there are few, or something is very wrong. */
export async function listOpenBreakers(db: Db, now: Reading, limit: number): Promise<readonly OpenBreaker[]> {
  const { rows } = await sql<{ id: string; mode: Mode; lane: Lane; opens_for_ms: number }>`
    select health.provider_account_id as id, workspaces.mode, health.lane,
      (extract(epoch from health.open_until_at - ${instantOf(now)}) * 1000)::float8 as opens_for_ms
    from provider_health as health join workspaces on workspaces.workspace_id = health.workspace_id
    where health.state = 'open' order by health.next_probe_at limit ${limit}`.execute(db)
  return rows.map(({ id, mode, lane, opens_for_ms: opensForMs }) => ({
    ...{ accountId: idFromUuid('provider_account', mode, id), lane, opensForMs },
  }))
}

/** Of each account, the lanes that are not closed. */
export async function listBreakers(view: View, ids: readonly Account[], now: Reading) {
  const { rows } = await sql<{ id: string; lane: Lane; is_over: boolean; next_probe_at: Date }>`
    select provider_account_id as id, lane, open_until_at <= ${instantOf(now)} as is_over, next_probe_at
    from provider_health
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and provider_account_id = any(${ids.map(uuidOf)})
      and state = 'open'`.execute(view.db)
  return rows.map(({ id, lane, is_over, next_probe_at: nextProbeAt }) => ({
    accountId: idFromUuid('provider_account', view.caller.mode, id),
    lane,
    phase: is_over ? ('probing' as const) : ('open' as const),
    nextProbeAt,
  }))
}

export type Minute = {
  readonly workspaceId: Id<'workspace'>
  readonly accountId: Account
  readonly lane: Lane
  readonly at: Date
  readonly counts: Counts
}

/** Adds what this process has counted to what others have. In one order, so that two never wait for each other. */
export async function addMinutes(db: Db, minutes: readonly Minute[]): Promise<void> {
  const keyOf = (one: Minute) => `${uuidOf(one.accountId)} ${one.lane} ${one.at.toISOString()}`
  const sorted = minutes.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const column = <T>(pick: (minute: Minute) => T) => sorted.map(pick)
  await sql`
    insert into provider_health_minutes as minute (workspace_id, provider_account_id, lane, id, at, attempts,
      approved, declined, technical, unknown, latency)
    select workspace_id, provider_account_id, lane, id, at, attempts, approved, declined, technical, unknown,
      array(select jsonb_array_elements_text(latency)::int)
    from unnest(
      ${column((one) => uuidOf(one.workspaceId))}::uuid[], ${column((one) => uuidOf(one.accountId))}::uuid[],
      ${column((one) => one.lane)}::text[], ${column((one) => uuidFloor(one.at))}::uuid[],
      ${column((one) => one.at)}::timestamptz[], ${column((one) => one.counts.attempts)}::int[],
      ${column((one) => one.counts.approved)}::int[], ${column((one) => one.counts.declined)}::int[],
      ${column((one) => one.counts.technical)}::int[], ${column((one) => one.counts.unknown)}::int[],
      ${column((one) => JSON.stringify(one.counts.latency))}::jsonb[])
      as new (workspace_id, provider_account_id, lane, id, at, attempts, approved, declined, technical, unknown, latency)
    on conflict (workspace_id, provider_account_id, lane, id) do update set
      attempts = minute.attempts + excluded.attempts, approved = minute.approved + excluded.approved,
      declined = minute.declined + excluded.declined, technical = minute.technical + excluded.technical,
      unknown = minute.unknown + excluded.unknown,
      latency = array(select coalesce(was, 0) + coalesce(more, 0)
        from unnest(minute.latency, excluded.latency) with ordinality as both_of (was, more, place) order by place)`.execute(
    db,
  )
}

const sums = sql`sum(attempts)::int as attempts, sum(approved)::int as approved, sum(declined)::int as declined,
  sum(technical)::int as technical, sum(unknown)::int as unknown,
  array[${sql.join([...latencyBounds, null].map((_, place) => sql`sum(latency[${sql.raw(String(place + 1))}])::int`))}] as latency`

/** What was counted of each account in the last hour. Those of which nothing was are left out. */
export async function sumLastHour(
  view: View,
  ids: readonly Account[],
  now: Reading,
): Promise<ReadonlyMap<Account, Counts>> {
  const { rows } = await sql<Counts & { provider_account_id: string }>`
    select provider_account_id, ${sums} from provider_health_minutes
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and provider_account_id = any(${ids.map(uuidOf)})
      and lane = 'authorize' and id > uuid_floor(${instantOf(now)} - interval '1 hour')
    group by provider_account_id`.execute(view.db)
  return new Map(
    rows.map(({ provider_account_id: id, ...counts }) => [
      idFromUuid('provider_account', view.caller.mode, id),
      counts,
    ]),
  )
}

/** How often each account was asked for an authorization, by days: the last 24 hours first. */
export async function sumDays(
  tx: Tx,
  ids: readonly Account[],
  days: number,
): Promise<ReadonlyMap<Account, readonly number[]>> {
  const { rows } = await sql<{ id: string; day: number; attempts: number }>`
    select provider_account_id as id, greatest(floor(extract(epoch from ${tx.now}::timestamptz - at) / 86400), 0)::int as day,
      sum(attempts)::int as attempts
    from provider_health_minutes
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and provider_account_id = any(${ids.map(uuidOf)})
      and lane = 'authorize' and id >= ${uuidFloor(addSeconds(tx.now, -days * 86_400))}
    group by 1, 2`.execute(tx.db)
  const found = Map.groupBy(rows, ({ id }) => idFromUuid('provider_account', tx.caller.mode, id))
  return new Map(
    [...found].map(([id, sums]) => {
      const attempts = new Map(sums.map((sum) => [sum.day, sum.attempts]))
      return [id, Array.from({ length: days }, (_, day) => attempts.get(day) ?? 0)]
    }),
  )
}

export type Stretch = {
  readonly accountId: Account
  readonly lane: Lane
  readonly from: Date
  readonly to: Date
}
export type Point = Counts & { readonly at: Date }

/** By steps of so many seconds, the oldest first. Steps without a call are left out. */
export async function sumSteps(
  view: View,
  { accountId, lane, from, to }: Stretch,
  stepSeconds: number,
): Promise<readonly Point[]> {
  const { rows } = await sql<Point>`
    select ${stepOf(stepSeconds)} as at, ${sums} from provider_health_minutes
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and provider_account_id = ${uuidOf(accountId)}
      and lane = ${lane} and id >= ${uuidFloor(from)} and id < ${uuidFloor(to)}
    group by 1 order by 1`.execute(view.db)
  return rows
}

function stepOf(seconds: number): RawBuilder<Date> {
  return sql<Date>`date_bin(${seconds} * interval '1 second', at, timestamptz 'epoch')`
}

/** What time it is, for those who read outside of a change. */
export async function timeOf(view: View, now: Reading): Promise<Date> {
  if (now.from === 'harness') return now.at
  const { rows } = await sql<{ now: Date }>`select ${instantOf(now)} as now`.execute(view.db)
  return (rows[0] as { now: Date }).now
}

/** Accounts with a breaker that is due to be probed. Two lanes are one question. */
export async function dueForProbing(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<{ workspace_id: string; id: string; due_at: Date; mode: Mode }>`
    select health.workspace_id, health.provider_account_id as id, min(health.next_probe_at) as due_at,
      workspaces.mode
    from (
      select row.workspace_id, row.provider_account_id, row.next_probe_at from provider_health as row
      where row.state = 'open' and row.next_probe_at <= ${at}
        and ${mayBeHandedOut(work, at, { workspace: 'row.workspace_id', object: 'row.provider_account_id' })}
      order by row.next_probe_at limit ${limit}
    ) as health
      join workspaces on workspaces.workspace_id = health.workspace_id
    group by health.workspace_id, health.provider_account_id, workspaces.mode
    order by 3`.execute(db)
  return rows.map(({ workspace_id, id, due_at: dueAt, mode }) => ({
    workspaceId: idFromUuid('workspace', mode, workspace_id),
    id: idFromUuid('provider_account', mode, id),
    dueAt,
  }))
}
