/**
 * Rows of subscriptions with their items. Reads and writes are in bulk, because many subscriptions renew at
 * the same time.
 */

import { type RawBuilder, sql } from 'kysely'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { Metadata } from '../../../../kernel/metadata.ts'
import type { Pricing } from '../../../../kernel/price-schemes.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { Item, Subscription } from '../subscription.ts'
import {
  columns,
  fromRow,
  isRenewalOnly,
  renewalColumns,
  type SubscriptionRow,
  toRecord,
  toRenewalRecord,
} from './rows.ts'

const missing = 'There is no such subscription.'
const names = columns.map(([name]) => sql.ref(name))
const definitions = columns.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`)
const selected = sql.join(names)
const renewal = {
  names: renewalColumns.map(([name]) => sql.ref(name)),
  definitions: renewalColumns.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`),
}

export async function insertSubscription(tx: Tx, subscription: Subscription): Promise<Subscription> {
  await sql`
    insert into subscriptions (workspace_id, ${sql.join(names)})
    select ${uuidOf(tx.caller.workspaceId)}::uuid, ${sql.join(names)}
    from jsonb_to_recordset(${JSON.stringify([toRecord(subscription)])}::jsonb) as new_row (${sql.join(definitions)})`.execute(
    tx.db,
  )
  await insertItems(tx, [subscription])
  tx.wake('subscription.advance', subscription.id, subscription.nextActionAt)
  return subscription
}

export type Update = {
  readonly before: Subscription
  readonly after: Subscription
  readonly emitsEvent: boolean
}

/**
 * Updates all rows in one statement, and returns them in the same order. Each update is a new version;
 * `emitsEvent` also increments the event sequence.
 */
export async function updateSubscriptions(tx: Tx, updates: readonly Update[]): Promise<Subscription[]> {
  if (updates.length === 0) return []
  const after = updates.map(({ before, after, emitsEvent }) => ({
    ...after,
    version: before.version + 1,
    sequence: before.sequence + (emitsEvent ? 1 : 0),
    updatedAt: emitsEvent ? tx.now : before.updatedAt,
  }))
  const areRenewalsOnly = updates.every(({ before, after }) => isRenewalOnly(before, after))
  const updatedCount = await (areRenewalsOnly ? writeRenewals(tx, after) : writeAll(tx, after))
  if (updatedCount !== after.length) throw new ConcurrentChange((after[0] as Subscription).id)
  await replaceItems(tx, updates)
  for (const { id, nextActionAt } of after) tx.wake('subscription.advance', id, nextActionAt)
  return after
}

/** Returns how many rows still had the version that was read. */
async function writeAll(tx: Tx, after: readonly Subscription[]): Promise<number> {
  return write(tx, JSON.stringify(after.map(toRecord)), { names, definitions })
}

/** Writes only the columns that change when a subscription enters its next period. */
async function writeRenewals(tx: Tx, after: readonly Subscription[]): Promise<number> {
  return write(tx, JSON.stringify(after.map(toRenewalRecord)), renewal)
}

type WrittenColumns = {
  readonly names: readonly RawBuilder<unknown>[]
  readonly definitions: readonly RawBuilder<unknown>[]
}

async function write(
  tx: Tx,
  records: string,
  { names: allNames, definitions: columnDefinitions }: WrittenColumns,
): Promise<number> {
  const { rows } = await sql`
    update subscriptions set ${sql.join(allNames.slice(1).map((name) => sql`${name} = changed.${name}`))}
    from jsonb_to_recordset(${records}::jsonb) as changed (${sql.join(columnDefinitions)})
    where subscriptions.workspace_id = ${uuidOf(tx.caller.workspaceId)} and subscriptions.id = changed.id
      and subscriptions.version = changed.version - 1
    returning 1`.execute(tx.db)
  return rows.length
}

async function replaceItems(tx: Tx, updates: readonly Update[]): Promise<void> {
  const changed = updates.filter(({ before, after }) => before.items !== after.items)
  if (changed.length === 0) return
  await sql`
    delete from subscription_items
    where workspace_id = ${uuidOf(tx.caller.workspaceId)}
      and subscription_id = any(${changed.map(({ after }) => uuidOf(after.id))}::uuid[])`.execute(tx.db)
  await insertItems(
    tx,
    changed.map(({ after }) => after),
  )
}

async function insertItems(tx: Tx, subscriptions: readonly Subscription[]): Promise<void> {
  await tx.db
    .insertInto('subscription_items')
    .values(
      subscriptions.flatMap(({ id, items, currency, interval }) =>
        items.map((item, position) => ({
          workspace_id: uuidOf(tx.caller.workspaceId),
          subscription_id: uuidOf(id),
          id: uuidOf(item.id),
          position,
          price_id: uuidOf(item.priceId),
          product_id: uuidOf(item.productId),
          currency,
          interval: interval.unit,
          interval_count: interval.count,
          quantity: item.quantity,
          metadata: JSON.stringify(item.metadata),
        })),
      ),
    )
    .execute()
}

export async function findSubscription(view: View, text: string): Promise<Subscription> {
  return (await findSubscriptionOrNull(view, text)) ?? refuse('not_found', { detail: missing })
}

export async function findSubscriptionOrNull(view: View, text: string): Promise<Subscription | null> {
  const uuid = uuidFromText('subscription', view.caller.mode, text)
  if (uuid === null) return null
  const [subscription] = await select(view, sql`and id = ${uuid}::uuid`)
  return subscription ?? null
}

/** Every read that precedes a write takes this lock, so commands, workers and payments are serialized. */
export async function lockSubscription(tx: Tx, text: string): Promise<Subscription> {
  const [subscription] = await select(tx, sql`and id = ${uuidIn(tx, text)}::uuid for update`)
  return subscription ?? refuse('not_found', { detail: missing })
}

/** Locks in the order of ids, so that concurrent transactions do not deadlock. */
export function lockSubscriptions(tx: Tx, ids: readonly Id<'subscription'>[]): Promise<Subscription[]> {
  return select(tx, sql`and id = any(${ids.map(uuidOf)}::uuid[]) order by id for update`)
}

export function subscriptionsOf(view: View, customerId: Id<'customer'>): Promise<Subscription[]> {
  const limit = 100
  return select(view, sql`and customer_id = ${uuidOf(customerId)}::uuid order by id desc limit ${limit}`)
}

/** Locks the subscriptions of a customer that are not cancelled. */
export function lockUncancelledOf(tx: Tx, customerId: Id<'customer'>): Promise<Subscription[]> {
  return select(
    tx,
    sql`and customer_id = ${uuidOf(customerId)}::uuid and status <> 'cancelled' order by id for update`,
  )
}

export type SubscriptionFilter = {
  readonly customerUuid: string | null
  readonly priceUuid: string | null
  readonly testClockUuid: string | null
  readonly status: string | null
  readonly collectionStatus: string | null
}

export async function listSubscriptions(view: View, range: IdRange, filter: SubscriptionFilter) {
  const { customerUuid, priceUuid, testClockUuid, status, collectionStatus } = filter
  const conditions = [
    ...(customerUuid === null ? [] : [sql`and customer_id = ${customerUuid}::uuid`]),
    ...(testClockUuid === null ? [] : [sql`and test_clock_id = ${testClockUuid}::uuid`]),
    ...(status === null ? [] : [sql`and status = ${status}`]),
    ...(collectionStatus === null ? [] : [sql`and collection_status = ${collectionStatus}`]),
    ...(priceUuid === null
      ? []
      : [
          sql`and exists (select from subscription_items as item where item.workspace_id = subscriptions.workspace_id
            and item.subscription_id = subscriptions.id and item.price_id = ${priceUuid}::uuid)`,
        ]),
  ]
  const rows = await select(view, sql`${sql.join(conditions, sql` `)} ${keysetOf(range)}`)
  return pageOf(rows, range)
}

function uuidIn(view: View, text: string): string {
  return uuidFromText('subscription', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
}

async function select(view: View, conditions: RawBuilder<unknown>): Promise<Subscription[]> {
  const { rows } = await sql<SubscriptionRow>`
    select ${selected} from subscriptions
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${conditions}`.execute(view.db)
  const items = await itemsOf(
    view,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => fromRow(view.caller.mode, row, items.get(row.id) ?? []))
}

type ItemRow = {
  subscription_id: string
  id: string
  price_id: string
  product_id: string
  unit_amount_decimal: string | null
  pricing: Pricing | null
  meter_id: string | null
  quantity: number
  metadata: Metadata
}

/** Items by subscription, with the terms of their prices, which never change. */
async function itemsOf(view: View, uuids: readonly string[]): Promise<ReadonlyMap<string, readonly Item[]>> {
  if (uuids.length === 0) return new Map()
  const { rows } = await sql<ItemRow>`
    select item.subscription_id, item.id, item.price_id, item.product_id, item.quantity, item.metadata,
      prices.unit_amount_decimal::text, prices.pricing, prices.meter_id
    from subscription_items as item
      join prices on prices.workspace_id = item.workspace_id and prices.id = item.price_id
    where item.workspace_id = ${uuidOf(view.caller.workspaceId)} and item.subscription_id = any(${[...uuids]}::uuid[])
    order by item.subscription_id, item.position`.execute(view.db)
  const bySubscription = Map.groupBy(rows, ({ subscription_id }) => subscription_id)
  return new Map(
    [...bySubscription].map(([uuid, itemRows]) => [
      uuid,
      itemRows.map((row) => itemFromRow(view.caller.mode, row)),
    ]),
  )
}

function itemFromRow(mode: Mode, row: ItemRow): Item {
  return {
    id: idFromUuid('subscription_item', mode, row.id),
    priceId: idFromUuid('price', mode, row.price_id),
    productId: idFromUuid('product', mode, row.product_id),
    unitAmountDecimal: row.unit_amount_decimal,
    ...(row.pricing === null ? {} : { pricing: row.pricing }),
    ...(row.meter_id === null ? {} : { meterId: idFromUuid('meter', mode, row.meter_id) }),
    quantity: row.quantity,
    metadata: row.metadata,
  }
}
