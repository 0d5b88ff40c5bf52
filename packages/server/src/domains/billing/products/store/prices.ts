/** Rows of prices, and records of which prices were used. */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { refuse } from '../../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import { type Pricing, perUnit, withPricing } from '../../../../kernel/price-schemes.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import { lockName } from '../../../../platform/db/name-lock.ts'
import type { Prices } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import {
  normalizeDecimal,
  type Price,
  type PriceDetails,
  type PriceTerms,
  parseLookupKey,
  type Recurring,
} from '../price.ts'

const columns = [
  'id',
  'product_id',
  'active',
  'currency',
  'type',
  'scheme',
  'unit_amount_decimal',
  'tax_behavior',
  'pricing',
  'interval',
  'interval_count',
  'meter_id',
  'lookup_key',
  'nickname',
  'metadata',
  'created_at',
  'updated_at',
  'deleted_at',
  'version',
  'sequence',
] as const
type PriceRow = Pick<Selectable<Prices>, (typeof columns)[number]>

export const missing = 'There is no such price.'
export const missingReference = 'is not the id of an existing price'

export async function insertPrice(tx: Tx, terms: PriceTerms, details: PriceDetails): Promise<Price> {
  const { recurring } = terms
  const { pricing } = withPricing(terms.pricing)
  const row = await tx.db
    .insertInto('prices')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('price')),
      product_id: uuidOf(terms.productId),
      currency: terms.currency,
      type: recurring === null ? 'one_time' : 'recurring',
      scheme: terms.pricing.scheme,
      unit_amount_decimal: terms.unitAmountDecimal,
      tax_behavior: terms.taxBehavior,
      pricing: pricing === undefined ? null : JSON.stringify(pricing),
      interval: recurring?.interval ?? null,
      interval_count: recurring?.intervalCount ?? null,
      meter_id: uuidOrNull(terms.meterId),
      ...toRow(details),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

/** Writes a change that emits an event: increments the version and the event sequence. */
export async function updatePrice(
  tx: Tx,
  before: Price,
  changes: Partial<PriceDetails> & { readonly deletedAt?: Date },
): Promise<Price> {
  const row = await tx.db
    .updateTable('prices')
    .set({
      ...toRow({ ...before, ...changes }),
      deleted_at: changes.deletedAt ?? null,
      version: before.version + 1,
      sequence: before.sequence + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(tx.caller.mode, row)
}

/** Finds a price by its id or as `lookup:<key>`. A deleted price is not found. */
export async function findPriceByIdOrLookup(view: View, text: string): Promise<Price | null> {
  const key = parseLookupKey(text)
  if (key !== null) return findPriceByLookupKey(view, key)
  const row = await byId(view, text)?.where('deleted_at', 'is', null).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : null
}

/** A deleted price is not found. */
export async function findPrice(view: View, text: string): Promise<Price> {
  const row = await byId(view, text)?.where('deleted_at', 'is', null).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Locks the row for a write that follows. Also finds deleted prices. */
export async function lockPrice(tx: Tx, text: string): Promise<Price> {
  const row = await byId(tx, text)?.forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

function byId(view: View, text: string) {
  const uuid = uuidFromText('price', view.caller.mode, text)
  return uuid === null ? undefined : inWorkspace(view).where('id', '=', uuid)
}

function inWorkspace(view: View) {
  return view.db
    .selectFrom('prices')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
}

/** The product name of each price. */
export async function findProductNames(
  view: View,
  ids: readonly Id<'price'>[],
): Promise<ReadonlyMap<Id<'price'>, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select prices.id, products.name
    from prices join products on products.workspace_id = prices.workspace_id and products.id = prices.product_id
    where prices.workspace_id = ${uuidOf(view.caller.workspaceId)} and prices.id = any(${ids.map(uuidOf)}::uuid[])`.execute(
    view.db,
  )
  return new Map(rows.map(({ id, name }) => [idFromUuid('price', view.caller.mode, id), name]))
}

export async function findProducts(
  view: View,
  ids: readonly Id<'price'>[],
): Promise<ReadonlyMap<Id<'price'>, Id<'product'>>> {
  if (ids.length === 0) return new Map()
  const { mode } = view.caller
  const { rows } = await sql<{ id: string; product_id: string }>`
    select id, product_id from prices
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = any(${ids.map(uuidOf)}::uuid[])`.execute(
    view.db,
  )
  return new Map(
    rows.map((row) => [idFromUuid('price', mode, row.id), idFromUuid('product', mode, row.product_id)]),
  )
}

export async function findPriceByLookupKey(view: View, lookupKey: string): Promise<Price | null> {
  const row = await inWorkspace(view)
    .where('lookup_key', '=', lookupKey)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : null
}

/** An advisory lock until the transaction ends, because there may be no row to lock. */
export async function lockLookupKey(tx: Tx, lookupKey: string): Promise<void> {
  const name = `lookup_key ${lookupKey} of ${uuidOf(tx.caller.workspaceId)}`
  await lockName(tx, name)
}

export async function hasPrices(view: View, productId: Id<'product'>): Promise<boolean> {
  const row = await view.db
    .selectFrom('prices')
    .select('id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('product_id', '=', uuidOf(productId))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function findUsedPrices(view: View, ids: readonly Id<'price'>[]): Promise<Set<Id<'price'>>> {
  const rows = await view.db
    .selectFrom('price_uses')
    .select('price_id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('price_id', 'in', ids.map(uuidOf))
    .execute()
  return new Set(rows.map(({ price_id }) => idFromUuid('price', view.caller.mode, price_id)))
}

/** Prevents deletion of the price until the transaction ends. False if it was deleted, even concurrently. */
export async function preventDeletion(tx: Tx, id: Id<'price'>): Promise<boolean> {
  const row = await byId(tx, id)?.where('deleted_at', 'is', null).forShare().executeTakeFirst()
  return row !== undefined
}

/** Records that the price is used; false if it is deleted. */
export async function insertPriceUse(tx: Tx, id: Id<'price'>): Promise<boolean> {
  if (!(await preventDeletion(tx, id))) return false
  await sql`
    insert into price_uses (workspace_id, price_id, created_at)
    values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(id)}, ${tx.now})
    on conflict do nothing`.execute(tx.db)
  return true
}

export type PriceFilter = { readonly productUuid: string | null; readonly lookupKey: string | null }

export function listPrices(view: View, range: IdRange, { productUuid, lookupKey }: PriceFilter) {
  const filters = [
    ...(productUuid === null ? [] : [sql`and product_id = ${productUuid}::uuid`]),
    ...(lookupKey === null ? [] : [sql`and lookup_key = ${lookupKey}`]),
  ]
  return listRows(view, range, {
    table: 'prices',
    columns,
    only: sql`and deleted_at is null ${sql.join(filters, sql` `)}`,
    fromRow,
  })
}

function toRow(details: PriceDetails) {
  return {
    active: details.active,
    lookup_key: details.lookupKey,
    nickname: details.nickname,
    metadata: JSON.stringify(details.metadata),
  }
}

function fromRow(mode: Mode, row: PriceRow): Price {
  const { interval, interval_count: intervalCount } = row
  return {
    id: idFromUuid('price', mode, row.id),
    productId: idFromUuid('product', mode, row.product_id),
    active: row.active,
    currency: row.currency as Currency,
    unitAmountDecimal: row.unit_amount_decimal === null ? null : normalizeDecimal(row.unit_amount_decimal),
    pricing: (row.pricing as Pricing | null) ?? perUnit,
    taxBehavior: row.tax_behavior as Price['taxBehavior'],
    recurring:
      interval === null || intervalCount === null
        ? null
        : { interval: interval as Recurring['interval'], intervalCount },
    meterId: idOrNull('meter', mode, row.meter_id),
    lookupKey: row.lookup_key,
    nickname: row.nickname,
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    version: row.version,
    sequence: row.sequence,
  }
}
