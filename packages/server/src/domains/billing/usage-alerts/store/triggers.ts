/**
 * Finds the alerts that events may trigger, and triggers those whose threshold is reached. The number of statements does
 * not depend on the number of alerts or events.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { UsageAlertTrigger } from '../usage-alert.ts'
import { fromTriggerRow, type TriggerRow, triggerColumns } from './trigger-rows.ts'

/** The numbers of events that were added to the usage: after `from`, up to and including `to`. */
export type CountedEvents = { readonly from: bigint; readonly to: bigint }

/** An alert that has not triggered for this customer and period. */
export type Candidate = {
  readonly usage_alert_id: string
  readonly meter_id: string
  readonly aggregation: string
  readonly customer_id: string
  readonly start_at: Date
  readonly end_at: Date
  readonly threshold: string
}

/**
 * The period of an event is the usage period in which it is billed, or else the calendar month. Alerts do not
 * trigger for periods that ended before they were created. An event after the end of a period whose subscription has
 * not been renewed yet has no period: it is evaluated when the usage of that period is billed.
 */
export async function findCandidates(tx: Tx, { from, to }: CountedEvents): Promise<readonly Candidate[]> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const { rows } = await sql<Candidate>`
    with counted as (
      select distinct event.meter_id, event.customer_id,
        coalesce(lower(period.during), date_trunc('month', event.occurred_at, 'UTC')) as start_at,
        case when period.id is null then date_add(date_trunc('month', event.occurred_at, 'UTC'), '1 month', 'UTC')
          else coalesce(upper(period.during), subscription.period_end_at) end as end_at
      from meter_events as event
        left join usage_periods as period on period.workspace_id = ${workspace}
          and period.customer_id = event.customer_id and period.meter_id = event.meter_id
          and period.during @> event.occurred_at
        left join subscriptions as subscription on subscription.workspace_id = ${workspace}
          and subscription.id = period.subscription_id
      where event.workspace_id = ${workspace} and event.seq > ${String(from)}::int8
        and event.seq <= ${String(to)}::int8 and event.cancelled_at is null
        and (period.id is null or event.occurred_at < coalesce(upper(period.during), subscription.period_end_at))
        and exists (select from usage_alerts as alert
          where alert.workspace_id = ${workspace} and alert.meter_id = event.meter_id and alert.active))
    ${candidatesOf(workspace)}`.execute(tx.db)
  return rows
}

/** The alerts that the usage of the current periods of a subscription, and of those not billed yet, may trigger. */
export async function findCandidatesOf(
  tx: Tx,
  subscriptionId: Id<'subscription'>,
): Promise<readonly Candidate[]> {
  const workspace = sql`${uuidOf(tx.caller.workspaceId)}::uuid`
  const { rows } = await sql<Candidate>`
    with counted as (
      select period.meter_id, period.customer_id, lower(period.during) as start_at,
        coalesce(upper(period.during), subscription.period_end_at) as end_at
      from usage_periods as period
        join subscriptions as subscription on subscription.workspace_id = ${workspace}
          and subscription.id = period.subscription_id
      where period.workspace_id = ${workspace} and period.subscription_id = ${uuidOf(subscriptionId)}::uuid
        and period.status in ('open', 'ended'))
    ${candidatesOf(workspace)}`.execute(tx.db)
  return rows
}

/** The alerts for the usage in `counted` that have not triggered. */
function candidatesOf(workspace: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select alert.id as usage_alert_id, counted.meter_id, meters.aggregation, counted.customer_id, counted.start_at,
      counted.end_at, alert.threshold
    from counted
      join usage_alerts as alert on alert.workspace_id = ${workspace} and alert.meter_id = counted.meter_id
        and alert.active and (alert.customer_id is null or alert.customer_id = counted.customer_id)
        and alert.created_at < counted.end_at
      join meters on meters.workspace_id = ${workspace} and meters.id = counted.meter_id
    where counted.start_at < counted.end_at and not exists (select from usage_alert_triggers as stored
      where stored.workspace_id = ${workspace} and stored.usage_alert_id = alert.id
        and stored.customer_id = counted.customer_id and stored.period_start_at = counted.start_at)
    order by counted.meter_id, counted.customer_id, counted.start_at, alert.threshold, alert.id`
}

/** Adds up the usage of the customers and periods, and stores the triggers of those that reached the threshold. */
export async function insertReached(
  tx: Tx,
  candidates: readonly Candidate[],
  to: CountedEvents['to'],
): Promise<UsageAlertTrigger[]> {
  const { workspaceId, mode } = tx.caller
  const workspace = sql`${uuidOf(workspaceId)}::uuid`
  const column = <T>(pick: (candidate: Candidate) => T) => candidates.map(pick)
  const { rows } = await sql<TriggerRow>`
    with candidate as materialized (
      select * from unnest(${column(() => uuidOf(tx.newId('usage_alert_trigger')))}::uuid[],
        ${column((one) => one.usage_alert_id)}::uuid[], ${column((one) => one.meter_id)}::uuid[],
        ${column((one) => one.aggregation)}::text[], ${column((one) => one.customer_id)}::uuid[],
        ${column((one) => one.start_at)}::timestamptz[], ${column((one) => one.end_at)}::timestamptz[],
        ${column((one) => one.threshold)}::numeric[])
        as input (id, usage_alert_id, meter_id, aggregation, customer_id, start_at, end_at, threshold)),
    span as (
      select distinct meter_id, aggregation, customer_id, start_at, end_at,
        date_trunc('hour', start_at + interval '1 hour' - interval '1 microsecond', 'UTC') as first_hour_at,
        date_trunc('hour', end_at, 'UTC') as last_hour_at
      from candidate),
    used as (
      select span.*, usage.value from span cross join lateral (${usageOfSpan(workspace, to)}) as usage)
    insert into usage_alert_triggers (workspace_id, id, usage_alert_id, meter_id, customer_id, period_start_at,
      period_end_at, threshold, usage, created_at)
    select ${workspace}, candidate.id, candidate.usage_alert_id, candidate.meter_id, candidate.customer_id,
      candidate.start_at, candidate.end_at, candidate.threshold, trim_scale(used.value), ${tx.now}
    from candidate join used using (meter_id, customer_id, start_at, end_at)
    where used.value >= candidate.threshold
    on conflict on constraint one_trigger_per_period do nothing
    returning ${sql.join(triggerColumns.map((name) => sql.ref(`usage_alert_triggers.${name}`)))}`.execute(
    tx.db,
  )
  return rows.map((row) => fromTriggerRow(mode, row)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** As when the period is billed: the sums of its whole hours, and the single events of its first and last hour. */
function usageOfSpan(workspace: RawBuilder<unknown>, to: bigint): RawBuilder<{ value: string }> {
  const isHour = sql`stored.workspace_id = ${workspace} and stored.meter_id = span.meter_id
    and stored.customer_id = span.customer_id and stored.hour_at >= span.first_hour_at
    and stored.hour_at < span.last_hour_at`
  const firstEndAt = sql`least(span.first_hour_at, span.end_at)`
  const edges = [
    eventsOf(workspace, to, sql`span.start_at`, firstEndAt),
    eventsOf(workspace, to, sql`greatest(span.last_hour_at, ${firstEndAt})`, sql`span.end_at`),
  ]
  return sql`
    select case span.aggregation
        when 'sum' then coalesce(sum(value_sum), 0)
        when 'count' then coalesce(sum(events), 0)
        when 'max' then coalesce(max(value_max), 0)
        when 'last' then coalesce((array_agg(last_value order by last_at desc, last_event_id desc)
          filter (where span.aggregation = 'last'))[1], 0)
        else count(distinct distinct_key) end as value
    from (
      select events, value_sum, value_max, last_at, last_event_id, last_value, null as distinct_key
      from meter_buckets as stored where ${isHour} and span.aggregation <> 'unique'
      union all
      select 0, 0, null, null, null, null, value from meter_unique_values as stored
      where ${isHour} and span.aggregation = 'unique'
      union all
      ${sql.join(edges, sql` union all `)}) as counted`
}

/** The first bits of the id are the time, so that only the partitions of that time are read. */
function eventsOf(
  workspace: RawBuilder<unknown>,
  to: bigint,
  startAt: RawBuilder<unknown>,
  endAt: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select 1, coalesce(value, 0), value, occurred_at, event_id, value, distinct_key from meter_events as event
    where event.workspace_id = ${workspace} and event.meter_id = span.meter_id
      and event.customer_id = span.customer_id and event.occurred_at >= ${startAt} and event.occurred_at < ${endAt}
      and event.id >= uuid_floor(${startAt}) and event.id < uuid_floor(${endAt} + interval '1 second')
      and event.cancelled_at is null and event.seq <= ${String(to)}::int8`
}
