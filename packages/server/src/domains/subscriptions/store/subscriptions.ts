/** Rows of subscriptions with their items. Many are read and written at once, because many renew at once. */
import { type RawBuilder, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { Metadata } from '../../../kernel/metadata.ts'
import { type IdRange, keysetOf, pageOf } from '../../../platform/db/keyset.ts'
import { Overtaken, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { Item, Subscription } from '../subscription.ts'
import { fromRow, isMove, moved, type SubscriptionRow, toMove, toRecord, written } from './rows.ts'

const missing = 'There is no such subscription.'
const names = written.map(([name]) => sql.ref(name))
const shapes = written.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`)
const selected = sql.join(names)
const moving = {
  names: moved.map(([name]) => sql.ref(name)),
  shapes: moved.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`),
}

export async function insertSubscription(tx: Tx, subscription: Subscription): Promise<Subscription> {
  await sql`
    insert into subscriptions (workspace_id, ${sql.join(names)})
    select ${uuidOf(tx.caller.workspaceId)}::uuid, ${sql.join(names)}
    from jsonb_to_recordset(${JSON.stringify([toRecord(subscription)])}::jsonb) as made (${sql.join(shapes)})`.execute(
    tx.db,
  )
  await insertItems(tx, [subscription])
  tx.wake('subscription.advance', subscription.id, subscription.nextActionAt)
  return subscription
}

export type Update = { readonly before: Subscription; readonly after: Subscription; readonly told: boolean }

/** In one statement. Each is one version; what is told is one step of the event sequence. In the same order. */
export async function updateSubscriptions(tx: Tx, updates: readonly Update[]): Promise<Subscription[]> {
  if (updates.length === 0) return []
  const after = updates.map(({ before, after, told }) => ({
    ...after,
    version: before.version + 1,
    sequence: before.sequence + (told ? 1 : 0),
    updatedAt: told ? tx.now : before.updatedAt,
  }))
  const onlyMoves = updates.every(({ before, after }) => isMove(before, after))
  const written = await (onlyMoves ? writeMoves(tx, after) : writeAll(tx, after))
  if (written !== after.length) throw new Overtaken((after[0] as Subscription).id)
  await replaceItems(tx, updates)
  for (const { id, nextActionAt } of after) tx.wake('subscription.advance', id, nextActionAt)
  return after
}

/** Gives how many rows had the version that was read. */
async function writeAll(tx: Tx, after: readonly Subscription[]): Promise<number> {
  return write(tx, JSON.stringify(after.map(toRecord)), { names, shapes })
}

/** The same for those that only go on to their next period: most columns of most rows stay as they are. */
async function writeMoves(tx: Tx, after: readonly Subscription[]): Promise<number> {
  return write(tx, JSON.stringify(after.map(toMove)), moving)
}

type Written = {
  readonly names: readonly RawBuilder<unknown>[]
  readonly shapes: readonly RawBuilder<unknown>[]
}

async function write(tx: Tx, records: string, { names: all, shapes: shaped }: Written): Promise<number> {
  const { rows } = await sql`
    update subscriptions set ${sql.join(all.slice(1).map((name) => sql`${name} = changed.${name}`))}
    from jsonb_to_recordset(${records}::jsonb) as changed (${sql.join(shaped)})
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
  const [found] = await select(view, sql`and id = ${uuidIn(view, text)}::uuid`)
  return found ?? refuse('not_found', { detail: missing })
}

/** A read that a write follows takes the lock: commands, workers and payments take turns. */
export async function lockSubscription(tx: Tx, text: string): Promise<Subscription> {
  const [found] = await select(tx, sql`and id = ${uuidIn(tx, text)}::uuid for update`)
  return found ?? refuse('not_found', { detail: missing })
}

/** In the order of their ids, so that two who lock several never wait for each other. */
export function lockSubscriptions(tx: Tx, ids: readonly Id<'subscription'>[]): Promise<Subscription[]> {
  return select(tx, sql`and id = any(${ids.map(uuidOf)}::uuid[]) order by id for update`)
}

export function subscriptionsOf(view: View, customerId: Id<'customer'>): Promise<Subscription[]> {
  const limit = 100
  return select(view, sql`and customer_id = ${uuidOf(customerId)}::uuid order by id desc limit ${limit}`)
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

/** What a customer pays with if nothing else is said: what was attached last. */
export async function latestMethodOf(
  view: View,
  customerId: Id<'customer'>,
): Promise<Id<'payment_method'> | null> {
  const row = await view.db
    .selectFrom('payment_methods')
    .select('id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('customer_id', '=', uuidOf(customerId))
    .where('status', '=', 'attached')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : idFromUuid('payment_method', view.caller.mode, row.id)
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
  unit_amount_decimal: string
  quantity: number
  metadata: Metadata
}

/** With the money of their prices, which never changes. */
async function itemsOf(view: View, uuids: readonly string[]): Promise<ReadonlyMap<string, readonly Item[]>> {
  if (uuids.length === 0) return new Map()
  const { rows } = await sql<ItemRow>`
    select item.subscription_id, item.id, item.price_id, item.product_id, item.quantity, item.metadata,
      prices.unit_amount_decimal::text
    from subscription_items as item
      join prices on prices.workspace_id = item.workspace_id and prices.id = item.price_id
    where item.workspace_id = ${uuidOf(view.caller.workspaceId)} and item.subscription_id = any(${[...uuids]}::uuid[])
    order by item.subscription_id, item.position`.execute(view.db)
  const bySubscription = Map.groupBy(rows, ({ subscription_id }) => subscription_id)
  return new Map(
    [...bySubscription].map(([uuid, own]) => [uuid, own.map((row) => itemFromRow(view.caller.mode, row))]),
  )
}

function itemFromRow(mode: Mode, row: ItemRow): Item {
  return {
    id: idFromUuid('subscription_item', mode, row.id),
    priceId: idFromUuid('price', mode, row.price_id),
    productId: idFromUuid('product', mode, row.product_id),
    unitAmountDecimal: row.unit_amount_decimal,
    quantity: row.quantity,
    metadata: row.metadata,
  }
}
