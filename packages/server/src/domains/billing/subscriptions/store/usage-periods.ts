/** Rows of usage periods. The primary key prevents the usage of a customer on a meter from being billed twice. */
import { sql } from 'kysely'
import type { AttachedDiscount } from '../../../../kernel/discounts.ts'
import { type Id, idFromUuid, idOrNull, type Mode, uuidOf, uuidOrNull } from '../../../../kernel/id.ts'
import type { Pricing } from '../../../../kernel/price-schemes.ts'
import { lockName } from '../../../../platform/db/name-lock.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { closingTimeOf, type EndedUsage, type UsageChange } from '../plan/usage.ts'
import type { Subscription } from '../subscription.ts'

export type UsagePeriod = EndedUsage & {
  readonly id: Id<'usage_period'>
  readonly customerId: Id<'customer'>
  readonly meterId: Id<'meter'>
  readonly status: 'open' | 'ended' | 'closed' | 'settled'
  readonly dueAt: Date | null
  readonly billedQuantity: number | null
  readonly invoiceLineId: Id<'invoice_line'> | null
}

export async function changeUsagePeriods(
  tx: Tx,
  subscription: Subscription,
  changes: readonly UsageChange[],
): Promise<void> {
  for (const change of changes)
    await (change.action === 'begin' ? begin(tx, subscription, change) : end(tx, subscription, change))
}

async function begin(
  tx: Tx,
  { id, customerId, testClockId }: Subscription,
  { item, startAt, periodSeconds }: Extract<UsageChange, { action: 'begin' }>,
): Promise<void> {
  await sql`
    insert into usage_periods (workspace_id, id, subscription_id, subscription_item_id, price_id, product_id,
      customer_id, meter_id, during, period_seconds, status, test_clock_id, created_at)
    values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(tx.newId('usage_period'))}, ${uuidOf(id)}, ${uuidOf(item.id)},
      ${uuidOf(item.priceId)}, ${uuidOf(item.productId)}, ${uuidOf(customerId)}, ${uuidOf(item.meterId)},
      tstzrange(${startAt}::timestamptz, null, '[)'), ${periodSeconds}, 'open', ${uuidOrNull(testClockId)},
      ${tx.now})`.execute(tx.db)
}

/** A period that would be empty is removed. */
async function end(
  tx: Tx,
  { id }: Subscription,
  { item, endAt, discounts }: Extract<UsageChange, { action: 'end' }>,
): Promise<void> {
  const isOpen = sql`workspace_id = ${uuidOf(tx.caller.workspaceId)} and subscription_item_id = ${uuidOf(item.id)}
    and status = 'open'`
  await sql`delete from usage_periods where ${isOpen} and lower(during) >= ${endAt}::timestamptz`.execute(
    tx.db,
  )
  const dueAt = closingTimeOf(endAt)
  const { rows } = await sql`
    update usage_periods set during = tstzrange(lower(during), ${endAt}::timestamptz, '[)'), status = 'ended',
      discounts = ${JSON.stringify(discounts)}::jsonb, due_at = ${dueAt}
    where ${isOpen} returning 1`.execute(tx.db)
  if (rows.length > 0) tx.wake('subscription.bill_usage', id, dueAt)
}

/** Serializes requests that add the meter to a subscription of the customer. */
export function lockMeterOfCustomer(tx: Tx, customerId: Id<'customer'>, meterId: Id<'meter'>): Promise<void> {
  return lockName(tx, `meter ${uuidOf(meterId)} of ${uuidOf(customerId)}`)
}

/** Whether another subscription of the customer bills the meter, or will after its scheduled change. */
export async function billsMeter(
  view: View,
  { id, customerId }: { readonly id: Id<'subscription'> | null; readonly customerId: Id<'customer'> },
  meterId: Id<'meter'>,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from subscriptions
        left join subscription_items as item on item.workspace_id = subscriptions.workspace_id
          and item.subscription_id = subscriptions.id
        left join prices on prices.workspace_id = item.workspace_id and prices.id = item.price_id
      where subscriptions.workspace_id = ${uuidOf(view.caller.workspaceId)}
        and subscriptions.customer_id = ${uuidOf(customerId)} and subscriptions.status <> 'cancelled'
        and subscriptions.id is distinct from ${uuidOrNull(id)}::uuid
        and (prices.meter_id = ${uuidOf(meterId)}
          or subscriptions.scheduled_change @> ${JSON.stringify({ payload: { items: [{ meterId }] } })}::jsonb)) as found`.execute(
    view.db,
  )
  return rows[0]?.found ?? false
}

type Row = {
  id: string
  subscription_item_id: string
  price_id: string
  product_id: string
  customer_id: string
  meter_id: string
  start_at: Date
  end_at: Date | null
  period_seconds: bigint
  discounts: AttachedDiscount[] | null
  status: UsagePeriod['status']
  due_at: Date | null
  billed_quantity: bigint | null
  invoice_line_id: string | null
  unit_amount_decimal: string | null
  pricing: Pricing | null
}

const selected = sql`period.id, period.subscription_item_id, period.price_id, period.product_id, period.customer_id,
  period.meter_id, lower(period.during) as start_at, upper(period.during) as end_at, period.period_seconds,
  period.discounts, period.status, period.due_at, period.billed_quantity, period.invoice_line_id,
  prices.unit_amount_decimal::text, prices.pricing
  from usage_periods as period
    join prices on prices.workspace_id = period.workspace_id and prices.id = period.price_id`

/** The periods that are not settled, oldest first. Only the worker that bills them locks them. */
export async function unsettledPeriods(
  view: View,
  { id, currentPeriod }: Pick<Subscription, 'id' | 'currentPeriod'>,
): Promise<UsagePeriod[]> {
  const { rows } = await sql<Row>`
    select ${selected}
    where period.workspace_id = ${uuidOf(view.caller.workspaceId)} and period.subscription_id = ${uuidOf(id)}
      and period.status <> 'settled'
    order by lower(period.during), period.id`.execute(view.db)
  return rows.map((row) => fromRow(view.caller.mode, row, currentPeriod?.endAt ?? row.start_at))
}

export type BilledUsage = Pick<UsagePeriod, 'id' | 'status' | 'dueAt' | 'invoiceLineId'> & {
  readonly quantity: number
  readonly seq: bigint
}

/** Stores what was billed. The caller holds the lock on the subscription. */
export async function storeBilledUsage(
  tx: Tx,
  subscriptionId: Id<'subscription'>,
  billed: readonly BilledUsage[],
): Promise<void> {
  for (const { id, status, dueAt, invoiceLineId, quantity, seq } of billed) {
    await sql`
      update usage_periods set status = ${status}, due_at = ${dueAt}, billed_quantity = ${quantity},
        billed_seq = greatest(billed_seq, ${String(seq)}::int8), invoice_line_id = ${uuidOrNull(invoiceLineId)}
      where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}`.execute(tx.db)
    tx.wake('subscription.bill_usage', subscriptionId, dueAt)
  }
}

/** Leaves the last correction to the next usage invoice of the subscription. */
export async function postponeSettling(tx: Tx, ids: readonly Id<'usage_period'>[]): Promise<void> {
  await sql`
    update usage_periods set due_at = null
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = any(${ids.map(uuidOf)}::uuid[])`.execute(
    tx.db,
  )
}

/** An open usage period ends no later than the current period of the subscription. */
function fromRow(mode: Mode, row: Row, endAt: Date): UsagePeriod {
  return {
    id: idFromUuid('usage_period', mode, row.id),
    itemId: idFromUuid('subscription_item', mode, row.subscription_item_id),
    priceId: idFromUuid('price', mode, row.price_id),
    productId: idFromUuid('product', mode, row.product_id),
    customerId: idFromUuid('customer', mode, row.customer_id),
    meterId: idFromUuid('meter', mode, row.meter_id),
    startAt: row.start_at,
    endAt: row.end_at ?? endAt,
    periodSeconds: Number(row.period_seconds),
    discounts: row.discounts ?? [],
    status: row.status,
    dueAt: row.due_at,
    billedQuantity: row.billed_quantity === null ? null : Number(row.billed_quantity),
    invoiceLineId: idOrNull('invoice_line', mode, row.invoice_line_id),
    unitAmountDecimal: row.unit_amount_decimal,
    ...(row.pricing === null ? {} : { pricing: row.pricing }),
  }
}
