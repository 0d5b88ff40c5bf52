/** Rows of products. */
import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../../kernel/errors.ts'
import { idFromUuid, idOrNull, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { Products } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { Product, ProductDetails } from '../product.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'name',
  'description',
  'active',
  'unit_label',
  'tax_code',
  'features',
  'default_price_id',
  'metadata',
  'created_at',
  'updated_at',
  'deleted_at',
  'version',
  'sequence',
] as const
type ProductRow = Pick<Selectable<Products>, (typeof columns)[number]>

const missing = 'There is no such product.'
const missingReference = 'is not the id of an existing product'

export async function insertProduct(tx: Tx, details: ProductDetails): Promise<Product> {
  const row = await tx.db
    .insertInto('products')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('product')),
      ...toRow(details),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

/** Writes a change that emits an event: increments the version and the event sequence. */
export async function updateProduct(
  tx: Tx,
  before: Product,
  changes: Partial<ProductDetails> & { readonly deletedAt?: Date },
): Promise<Product> {
  const row = await tx.db
    .updateTable('products')
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

/** A deleted product is not found. */
export async function findProduct(view: View, text: string): Promise<Product> {
  const row = await byId(view, text)?.where('deleted_at', 'is', null).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Locks the row for a write that follows. Also finds deleted products. */
export async function lockProduct(tx: Tx, text: string): Promise<Product> {
  const row = await byId(tx, text)?.forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** For a reference in a request body. Prevents deletion of the product until the transaction ends. */
export async function requireProduct(tx: Tx, text: string, pointer = '/product_id'): Promise<Product> {
  const row = await byId(tx, text)?.where('deleted_at', 'is', null).forShare().executeTakeFirst()
  if (row !== undefined) return fromRow(tx.caller.mode, row)
  const errors = [{ pointer, code: 'not_found', detail: missingReference } as const]
  return refuse('reference_not_found', { errors })
}

function byId(view: View, text: string) {
  const uuid = uuidFromText('product', view.caller.mode, text)
  if (uuid === null) return undefined
  return view.db
    .selectFrom('products')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listProducts(view: View, range: IdRange, active: boolean | null) {
  const filter = active === null ? sql`` : sql`and active = ${active}`
  return listRows(view, range, {
    table: 'products',
    columns,
    only: sql`and deleted_at is null ${filter}`,
    fromRow,
  })
}

function toRow(details: ProductDetails) {
  return {
    name: details.name,
    description: details.description,
    active: details.active,
    unit_label: details.unitLabel,
    tax_code: details.taxCode,
    features: [...details.features],
    default_price_id: details.defaultPriceId === null ? null : uuidOf(details.defaultPriceId),
    metadata: JSON.stringify(details.metadata),
  }
}

function fromRow(mode: Mode, row: ProductRow): Product {
  return {
    id: idFromUuid('product', mode, row.id),
    name: row.name,
    description: row.description,
    active: row.active,
    unitLabel: row.unit_label,
    taxCode: row.tax_code,
    features: row.features,
    defaultPriceId: idOrNull('price', mode, row.default_price_id),
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    version: row.version,
    sequence: row.sequence,
  }
}
