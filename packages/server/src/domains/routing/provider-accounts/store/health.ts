/** Rows of breakers, and of counted results. */
import { type RawBuilder, sql } from 'kysely'
import { addSeconds, type Reading } from '../../../../kernel/clock.ts'
import { type Id, idFromUuid, type Mode, uuidFloor, uuidOf } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { canBeDispatched, instantOf } from '../../../../platform/db/due.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import { type Breaker, closedBreaker, type Phase } from '../breaker.ts'
import { type Counts, type Lane, latencyBounds } from '../health.ts'

type Account = Id<'provider_account'>

/** The version is 0 while there is no row. */
export type StoredBreaker = Breaker & {
  readonly accountId: Account
  readonly lane: Lane
  /** When the provider began to reject our credentials; null: it accepts them. */
  readonly credentialsRefusedSince: Date | null
  /** When the `credentials_refused` event was last emitted. */
  readonly credentialsRefusedAt: Date | null
  readonly version: number
}

/** Concurrent processes are serialized; the second one sees the change of the first. */
export async function lockBreaker(tx: Tx, accountId: Account, lane: Lane): Promise<StoredBreaker> {
  const row = await tx.db
    .selectFrom('provider_health')
    .select(['state', 'opened_at', 'open_until_at', 'next_probe_at', 'closed_at'])
    .select(['trips', 'good', 'credentials_refused_since', 'credentials_refused_at', 'version'])
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('provider_account_id', '=', uuidOf(accountId))
    .where('lane', '=', lane)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined)
    return {
      ...closedBreaker,
      accountId,
      lane,
      credentialsRefusedSince: null,
      credentialsRefusedAt: null,
      version: 0,
    }
  return {
    accountId,
    lane,
    trips: row.trips,
    goodInARow: row.good,
    version: row.version,
    state: row.state as Breaker['state'],
    openedAt: row.opened_at,
    openUntilAt: row.open_until_at,
    nextProbeAt: row.next_probe_at,
    closedAt: row.closed_at,
    credentialsRefusedSince: row.credentials_refused_since,
    credentialsRefusedAt: row.credentials_refused_at,
  }
}

/** A compare-and-set: after a concurrent change the transaction runs again. */
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
    good: after.goodInARow,
    credentials_refused_since: after.credentialsRefusedSince,
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
  if (row === undefined) throw new ConcurrentChange(before.accountId)
  // Every write schedules the next probe, so that no service function can forget it.
  tx.wake('provider_account.probe', before.accountId, after.nextProbeAt)
}

/** A lane whose breaker is open, or whose credentials are rejected. */
export type UnhealthyLane = {
  readonly accountId: Account
  readonly lane: Lane
  /** The remaining open time; 0 or less: the account is being probed. Null: the breaker is closed. */
  readonly opensForMs: number | null
  readonly isRefused: boolean
}

/** Reads the unhealthy lanes of all workspaces. There are few unless many providers fail. */
export async function listUnhealthyLanes(
  db: Db,
  now: Reading,
  limit: number,
): Promise<readonly UnhealthyLane[]> {
  const { rows } = await sql<Omit<UnhealthyLane, 'accountId'> & { id: string; mode: Mode }>`
    select health.provider_account_id as id, workspaces.mode, health.lane,
      case when health.state = 'open'
        then (extract(epoch from health.open_until_at - ${instantOf(now)}) * 1000)::float8 end as "opensForMs",
      health.credentials_refused_since is not null as "isRefused"
    from provider_health as health join workspaces on workspaces.workspace_id = health.workspace_id
    where health.state = 'open' or health.credentials_refused_since is not null
    order by health.next_probe_at limit ${limit}`.execute(db)
  return rows.map(({ id, mode, ...lane }) => ({
    ...lane,
    accountId: idFromUuid('provider_account', mode, id),
  }))
}

type LaneRow = {
  readonly id: string
  readonly lane: Lane
  readonly state: Breaker['state']
  readonly is_probing: boolean
  readonly next_probe_at: Date | null
  readonly refused_since: Date | null
}

/** The unhealthy lanes of each account. */
export async function listBreakers(view: View, ids: readonly Account[], now: Reading) {
  const { rows } = await sql<LaneRow>`
    select provider_account_id as id, lane, state, open_until_at <= ${instantOf(now)} as is_probing, next_probe_at,
      credentials_refused_since as refused_since
    from provider_health
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and provider_account_id = any(${ids.map(uuidOf)})
      and (state = 'open' or credentials_refused_since is not null)`.execute(view.db)
  return rows.map(({ id, lane, state, is_probing, next_probe_at: nextProbeAt, refused_since }) => ({
    accountId: idFromUuid('provider_account', view.caller.mode, id),
    lane,
    phase: phaseIn(state, is_probing),
    nextProbeAt,
    credentialsRefusedSince: refused_since,
  }))
}

function phaseIn(state: Breaker['state'], isProbing: boolean): Phase {
  if (state === 'closed') return 'closed'
  return isProbing ? 'probing' : 'open'
}

/** Called when credentials are accepted or replaced. */
export async function clearCredentialsRefusal(tx: Tx, accountId: Account): Promise<void> {
  await sql`
    update provider_health
    set credentials_refused_since = null, credentials_refused_at = null, version = version + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and provider_account_id = ${uuidOf(accountId)}
      and credentials_refused_since is not null`.execute(tx.db)
}

export type Minute = {
  readonly workspaceId: Id<'workspace'>
  readonly accountId: Account
  readonly lane: Lane
  readonly at: Date
  readonly counts: Counts
}

/**
 * Adds the counts of this process to those of others, in a fixed order, so that processes do not deadlock.
 */
export async function addMinutes(db: Db, minutes: readonly Minute[]): Promise<void> {
  const keyOf = (minute: Minute) => `${uuidOf(minute.accountId)} ${minute.lane} ${minute.at.toISOString()}`
  const sorted = minutes.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const column = <T>(pick: (minute: Minute) => T) => sorted.map(pick)
  await sql`
    insert into provider_health_minutes as minute (workspace_id, provider_account_id, lane, id, at, attempts,
      approved, declined, technical, unknown, latency)
    select workspace_id, provider_account_id, lane, id, at, attempts, approved, declined, technical, unknown,
      array(select jsonb_array_elements_text(latency)::int)
    from unnest(
      ${column((minute) => uuidOf(minute.workspaceId))}::uuid[], ${column((minute) => uuidOf(minute.accountId))}::uuid[],
      ${column((minute) => minute.lane)}::text[], ${column((minute) => uuidFloor(minute.at))}::uuid[],
      ${column((minute) => minute.at)}::timestamptz[], ${column((minute) => minute.counts.attempts)}::int[],
      ${column((minute) => minute.counts.approved)}::int[], ${column((minute) => minute.counts.declined)}::int[],
      ${column((minute) => minute.counts.technical)}::int[], ${column((minute) => minute.counts.unknown)}::int[],
      ${column((minute) => JSON.stringify(minute.counts.latency))}::jsonb[])
      as added (workspace_id, provider_account_id, lane, id, at, attempts, approved, declined, technical, unknown, latency)
    on conflict (workspace_id, provider_account_id, lane, id) do update set
      attempts = minute.attempts + excluded.attempts, approved = minute.approved + excluded.approved,
      declined = minute.declined + excluded.declined, technical = minute.technical + excluded.technical,
      unknown = minute.unknown + excluded.unknown,
      latency = array(select coalesce(existing, 0) + coalesce(added, 0)
        from unnest(minute.latency, excluded.latency) with ordinality as counts (existing, added, bucket) order by bucket)`.execute(
    db,
  )
}

const sums = sql`sum(attempts)::int as attempts, sum(approved)::int as approved, sum(declined)::int as declined,
  sum(technical)::int as technical, sum(unknown)::int as unknown,
  array[${sql.join([...latencyBounds, null].map((_, index) => sql`sum(latency[${sql.raw(String(index + 1))}])::int`))}] as latency`

/** The counts of each account in the last hour. Accounts without calls are omitted. */
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

/** Authorization attempts of each account by day, the last 24 hours first. */
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
  const byAccount = Map.groupBy(rows, ({ id }) => idFromUuid('provider_account', tx.caller.mode, id))
  return new Map(
    [...byAccount].map(([id, sums]) => {
      const attempts = new Map(sums.map((sum) => [sum.day, sum.attempts]))
      return [id, Array.from({ length: days }, (_, day) => attempts.get(day) ?? 0)]
    }),
  )
}

export type SeriesRange = {
  readonly accountId: Account
  readonly lane: Lane
  readonly from: Date
  readonly to: Date
}
export type Point = Counts & { readonly at: Date }

/** Sums the counts in steps of `stepSeconds`, oldest first. Steps without a call are omitted. */
export async function sumSteps(
  view: View,
  { accountId, lane, from, to }: SeriesRange,
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

/** Accounts with a breaker that is due for a probe. Both lanes share one probe. */
export async function listDueProbes(db: Db, work: string, now: Reading, limit: number) {
  const at = instantOf(now)
  const { rows } = await sql<{ workspace_id: string; id: string; due_at: Date; mode: Mode }>`
    select health.workspace_id, health.provider_account_id as id, min(health.next_probe_at) as due_at,
      workspaces.mode
    from (
      select row.workspace_id, row.provider_account_id, row.next_probe_at from provider_health as row
      where row.state = 'open' and row.next_probe_at <= ${at}
        and ${canBeDispatched(work, at, { workspace: 'row.workspace_id', object: 'row.provider_account_id' })}
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
