/** Reads subscriptions and campaigns, and reads and writes their contributions to the totals. */
import { sql } from 'kysely'
import { uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Contribution, ContributionKind, CountedSubscription } from '../billing.ts'

export async function readSubscriptions(
  view: View,
  ids: readonly string[],
): Promise<readonly CountedSubscription[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<CountedSubscription>`
    select subscription.id as uuid, subscription.status, subscription.currency, subscription.interval,
      subscription.interval_count as "intervalCount", array(
        select jsonb_build_object('quantity', item.quantity, 'unitAmountDecimal', price.unit_amount_decimal::text)
          || case when price.pricing is null then '{}' else jsonb_build_object('pricing', price.pricing) end
        from subscription_items as item join prices as price
          on price.workspace_id = item.workspace_id and price.id = item.price_id
        where item.workspace_id = subscription.workspace_id and item.subscription_id = subscription.id
          and price.meter_id is null) as items
    from subscriptions as subscription
    where subscription.workspace_id = ${uuidOf(view.caller.workspaceId)} and subscription.id = any(${ids}::uuid[])`.execute(
    view.db,
  )
  return rows
}

/** The ids of the next subscriptions, in order. Used to count subscriptions that are older than the report data. */
export async function nextSubscriptions(
  view: View,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from subscriptions
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id > ${after}::uuid and test_clock_id is null
    order by id limit ${limit}`.execute(view.db)
  return rows.map(({ id }) => id)
}

/** The ids of the latest objects on test clocks. */
export async function idsOnTestClocks(
  view: View,
  table: 'subscriptions' | 'dunning_campaigns',
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)}
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and test_clock_id is not null
    order by id desc limit ${limit}`.execute(view.db)
  return rows.map(({ id }) => id)
}

export async function readCampaigns(view: View, ids: readonly string[]): Promise<readonly Contribution[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Omit<Contribution, 'kind'>>`
    select campaign.id as uuid, campaign.status, invoice.currency, invoice.amount_due as amount
    from dunning_campaigns as campaign join invoices as invoice
      on invoice.workspace_id = campaign.workspace_id and invoice.id = campaign.invoice_id
    where campaign.workspace_id = ${uuidOf(view.caller.workspaceId)} and campaign.id = any(${ids}::uuid[])`.execute(
    view.db,
  )
  return rows.map((row) => ({ kind: 'dunning_campaign', ...row }))
}

export async function readContributions(
  view: View,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Contribution>> {
  if (ids.length === 0) return new Map()
  const kinds: readonly ContributionKind[] = ['subscription', 'dunning_campaign']
  const { rows } = await sql<Contribution>`
    select kind, id as uuid, status, currency, amount from billing_shares
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and kind = any(${kinds}::text[])
      and id = any(${ids}::uuid[])`.execute(view.db)
  return new Map(rows.map((contribution) => [contribution.uuid, contribution]))
}

export async function writeContributions(tx: Tx, contributions: readonly Contribution[]): Promise<void> {
  if (contributions.length === 0) return
  const column = <T>(pick: (contribution: Contribution) => T) => contributions.map(pick)
  await sql`
    insert into billing_shares (workspace_id, kind, id, status, currency, amount)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, * from unnest(
      ${column((one) => one.kind)}::text[], ${column((one) => one.uuid)}::uuid[],
      ${column((one) => one.status)}::text[], ${column((one) => one.currency)}::text[],
      ${column((one) => String(one.amount))}::int8[])
    on conflict (workspace_id, kind, id) do update
      set status = excluded.status, currency = excluded.currency, amount = excluded.amount`.execute(tx.db)
}
