// Inserts subscriptions directly into the database. All of them renew at the same time. Creating a hundred
// thousand of them through the API and waiting for a month would take too long.

import type { Client } from 'pg'
import { spreadOffsetSeconds } from '../../../src/domains/billing/invoices/invoice.ts'
import { type Anchor, boundary } from '../../../src/kernel/calendar.ts'
import { type Id, idFromUuid, idMaker, modeOf, slotOf, uuidOf } from '../../../src/kernel/id.ts'

export type SubscriptionBatch = {
  readonly workspaceId: Id<'workspace'>
  readonly subscriptions: number
  /** The end of the first period, which is the start of the second. */
  readonly dueAt: Date
  /** The payment method that is copied for every customer. If null, nothing is collected. */
  readonly card: Id<'payment_method'> | null
}

/** The monthly price of each subscription. */
export const price = 2999

/**
 * In live mode first attempts are spread over an hour. Uuids are chosen so that no attempt is scheduled in these
 * first seconds.
 */
const noAttemptSeconds = 900
const spreadSeconds = 3_600

const month = { unit: 'month', count: 1 } as const

/**
 * Each subscription is in its first month, which is invoiced and paid. It has its own customer, item and
 * invoice, which have the same uuid as the subscription.
 */
export async function insertSubscriptions(client: Client, batch: SubscriptionBatch): Promise<void> {
  const workspace = uuidOf(batch.workspaceId)
  const anchor = anchorEnding(batch.dueAt)
  const startAt = boundary(anchor, month, 0)
  const newUuid = idMaker(startAt, slotOf(batch.workspaceId))
  const sharedUuid = newUuid()
  const uuids = createUuids(batch, newUuid)
  // Disable the triggers that require an event for each change, because these rows have no events.
  await client.query('set session_replication_role = replica')
  for (const text of sharedRows)
    await client.query(text, [workspace, sharedUuid, startAt, price, seriesPrefix(batch)])
  const values = [workspace, sharedUuid, startAt, batch.dueAt, uuids, price, JSON.stringify(anchor)]
  const card = batch.card === null ? null : uuidOf(batch.card)
  for (const text of [customers, invoices, lines, spans]) await client.query(text, values.slice(0, 6))
  await client.query(subscriptions, [...values, card])
  await client.query(items, values.slice(0, 6))
  if (card !== null) await client.query(methods, [...values.slice(0, 6), card])
  await client.query('set session_replication_role = origin')
}

/** The billing anchor one month before `dueAt`, on the same day or on the last day of a shorter month. */
function anchorEnding(dueAt: Date): Anchor {
  const day = dueAt.getUTCDate()
  const last = new Date(Date.UTC(dueAt.getUTCFullYear(), dueAt.getUTCMonth(), 0))
  const date = new Date(Math.min(last.getTime(), last.getTime() + (day - last.getUTCDate()) * 86_400_000))
  const [time = ''] = dueAt.toISOString().slice(11).split('.')
  return { date: date.toISOString().slice(0, 10), day, time, timeZone: 'UTC', epoch: 0 }
}

function createUuids(
  { workspaceId, subscriptions: count }: SubscriptionBatch,
  newUuid: () => string,
): string[] {
  const mode = modeOf(workspaceId)
  const uuids: string[] = []
  while (uuids.length < count) {
    const uuid = newUuid()
    const isAfterQuietTime =
      spreadOffsetSeconds(spreadSeconds, idFromUuid('subscription', mode, uuid)) >= noAttemptSeconds
    if (isAfterQuietTime || mode === 'test') uuids.push(uuid)
  }
  return uuids
}

const seriesPrefix = ({ workspaceId }: SubscriptionBatch) => (modeOf(workspaceId) === 'live' ? 'INV' : 'TEST')

/** The rows that all subscriptions share: $1 workspace, $2 uuid, $3 time, $4 price, $5 prefix. */
const sharedRows = [
  `insert into products (workspace_id, id, name, active, created_at, updated_at)
   values ($1, $2, 'Team plan', true, $3, $3)`,
  `insert into prices (workspace_id, id, product_id, active, currency, type, scheme, unit_amount_decimal, "interval",
     interval_count, created_at, updated_at)
   values ($1, $2, $2, true, 'usd', 'recurring', 'per_unit', $4, 'month', 1, $3, $3)`,
  'insert into price_uses (workspace_id, price_id, created_at) values ($1, $2, $3)',
  `insert into invoice_series (workspace_id, id, prefix, created_at) values ($1, $2, $5, $3)`,
].map(useAllParameters)

/** PostgreSQL requires a statement to use every parameter. */
function useAllParameters(text: string): string {
  return `with given as (select $1::uuid, $2::uuid, $3::timestamptz, $4::int8, $5::text) ${text}`
}

/** $1 workspace, $2 the shared uuid, $3 start and $4 end of the first month, $5 uuids of the rows, $6 price. */
const newRows = `(select $1::uuid as workspace_id, uuid, place, $2::uuid as shared, $3::timestamptz as start_at,
  $4::timestamptz as end_at, $6::int8 as price from unnest($5::uuid[]) with ordinality as new_row (uuid, place)) as new_row`

const customers = `
  insert into customers (workspace_id, id, name, email, created_at, updated_at)
  select workspace_id, uuid, 'Ada Lovelace', 'ada' || place || '@example.com', start_at, start_at from ${newRows}`

const invoices = `
  with numbered as (update invoice_series set next_sequence = cardinality($5::uuid[]) + 1
    where workspace_id = $1 returning prefix)
  insert into invoices (workspace_id, id, status, reason, series_id, sequence_number, number, customer_id,
    subscription_id, currency, epoch, period_index, period_start_at, period_end_at, subtotal, total, amount_due,
    amount_paid, collect, paid_out_of_band, due_at, finalized_at, paid_at, created_at, updated_at, version, sequence)
  select workspace_id, uuid, 'paid', 'start', shared, place, prefix || '-' || lpad(place::text, 6, '0'), uuid,
    uuid, 'usd', 0, 0, start_at, end_at, price, price, price, price, 'now', true, start_at, start_at, start_at,
    start_at, start_at, 3, 3
  from ${newRows} cross join numbered`

const lines = `
  insert into invoice_lines (workspace_id, id, invoice_id, subscription_id, position, description, kind, amount,
    currency, quantity, price_id, subscription_item_id, service_start_at, service_end_at, explanation, created_at)
  select workspace_id, uuid, uuid, uuid, 0, 'Team plan', 'cycle', price, 'usd', 1, shared, uuid, start_at, end_at,
    jsonb_build_object('rule', 'full_period', 'unitAmountDecimal', price::text, 'quantity', 1, 'base', price::text,
      'numeratorSeconds', 1, 'denominatorSeconds', 1, 'rounding', 'half_away', 'changeId', null, 'text', ''),
    start_at
  from ${newRows}`

const spans = `
  insert into billing_spans (workspace_id, subscription_id, during, kind, invoice_id)
  select workspace_id, uuid, tstzrange(start_at, end_at, '[)'), 'cycle', uuid from ${newRows}`

const subscriptions = `
  insert into subscriptions (workspace_id, id, status, customer_id, payment_method_id, currency, "interval",
    interval_count, activation_policy, anchor_wish, anchor, period_epoch, period_index, period_start_at,
    period_end_at, period_nominal_start_at, period_invoice_id, latest_invoice_id, accounted_at, started_at,
    next_action_at, created_at, updated_at, version, sequence)
  select workspace_id, uuid, 'active', uuid, case when $8::uuid is null then null else uuid end, 'usd', 'month', 1,
    'on_payment', '{"dayOfMonth": null, "timeZone": "UTC", "stub": "prorate"}', $7::jsonb, 0, 0, start_at, end_at,
    start_at, uuid, uuid, start_at, start_at, end_at, start_at, start_at, 3, 3
  from ${newRows}`

const items = `
  insert into subscription_items (workspace_id, subscription_id, id, position, price_id, product_id, currency,
    "interval", interval_count, quantity)
  select workspace_id, uuid, uuid, 0, shared, shared, 'usd', 'month', 1, 1 from ${newRows}`

const methods = `
  insert into payment_methods (workspace_id, id, status, type, customer_id, card, fingerprint, vault_card_id, usage,
    verified_by_payment_id, verified_at, provider_account_id, network_transaction_id, created_at, updated_at)
  select new_row.workspace_id, uuid, 'attached', type, uuid, card, md5(uuid::text), vault_card_id, usage,
    verified_by_payment_id, verified_at, provider_account_id, network_transaction_id, start_at, start_at
  from ${newRows} join payment_methods as template on template.workspace_id = new_row.workspace_id and template.id = $7::uuid`
