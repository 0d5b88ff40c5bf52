import { type Selectable, sql } from 'kysely'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, idFromUuid, idOrNull, type Mode, uuidFromText, uuidOf } from '../../../kernel/id.ts'
import type { ElectronicAddress } from '../../../kernel/parties.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { Customers } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { Address, Customer, CustomerDetails, EmailStatus, TaxId } from './customer.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'name',
  'email',
  'email_status',
  'phone',
  'description',
  'locale',
  'address',
  'tax_ids',
  'tax_exempt',
  'electronic_address',
  'buyer_reference',
  'metadata',
  'test_clock_id',
  'created_at',
  'updated_at',
  'deleted_at',
  'version',
  'sequence',
] as const
type CustomerRow = Pick<Selectable<Customers>, (typeof columns)[number]>

export async function insertCustomer(tx: Tx, details: CustomerDetails): Promise<Customer> {
  const id = tx.newId('customer')
  await tx.db
    .insertInto('customers')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(id),
      ...toRow(details),
      test_clock_id: tx.testClockId === null ? null : uuidOf(tx.testClockId),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .execute()
  return {
    ...details,
    id,
    emailStatus: null,
    testClockId: tx.testClockId,
    deletedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
    sequence: 1,
  }
}

/** Writes a change that emits an event: increments the version and the event sequence. */
export async function updateCustomer(
  tx: Tx,
  before: Customer,
  changes: CustomerDetails & { readonly deletedAt?: Date; readonly emailStatus?: EmailStatus | null },
): Promise<Customer> {
  const row = await tx.db
    .updateTable('customers')
    .set({
      ...toRow(changes),
      // The bounce status of an address does not apply to another address.
      email_status: changes.email === before.email ? (changes.emailStatus ?? before.emailStatus) : null,
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

/** A deleted customer is not found. */
export async function findCustomer(view: View, text: string): Promise<Customer> {
  const row = await selectById(view, text).where('deleted_at', 'is', null).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Also finds a deleted customer. */
export async function findAnyCustomer(view: View, id: Id<'customer'>): Promise<Customer> {
  return fromRow(view.caller.mode, await selectByUuid(view, uuidOf(id)).executeTakeFirstOrThrow())
}

export async function findAnyCustomers(view: View, ids: readonly Id<'customer'>[]): Promise<Customer[]> {
  if (ids.length === 0) return []
  const rows = await view.db
    .selectFrom('customers')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', sql<string>`any(${ids.map(uuidOf)}::uuid[])`)
    .execute()
  return rows.map((row) => fromRow(view.caller.mode, row))
}

/**
 * For a customer id in a request body: if there is no such customer, the error points to the member of the
 * body.
 */
export async function requireCustomer(tx: Tx, text: string): Promise<Customer> {
  const uuid = uuidFromText('customer', tx.caller.mode, text)
  const row =
    uuid === null
      ? undefined
      : await selectByUuid(tx, uuid).where('deleted_at', 'is', null).forShare().executeTakeFirst()
  if (row !== undefined) return fromRow(tx.caller.mode, row)
  const errors = [{ pointer: '/customer_id', code: 'not_found', detail: missingReference } as const]
  return refuse('reference_not_found', { errors })
}

/** Whether the customer exists. If so, the customer cannot be deleted until the transaction ends. */
export async function customerExists(tx: Tx, id: Id<'customer'>): Promise<boolean> {
  const row = await selectByUuid(tx, uuidOf(id)).where('deleted_at', 'is', null).forShare().executeTakeFirst()
  return row !== undefined
}

/** Locks the customer, even a deleted one, so that changes to one customer are serialized. */
export async function lockCustomer(tx: Tx, text: string): Promise<Customer> {
  const row = await selectById(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuse('not_found', { detail: missing })
}

export const missing = 'There is no such customer.'
const missingReference = 'is not the id of an existing customer'

function selectById(view: View, text: string) {
  const uuid = uuidFromText('customer', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return selectByUuid(view, uuid)
}

function selectByUuid(view: View, uuid: string) {
  return view.db
    .selectFrom('customers')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export function listCustomers(view: View, range: IdRange, filter: { email?: string | undefined }) {
  const email = filter.email === undefined ? sql`` : sql`and email_key = lower(${filter.email})`
  return listRows(view, range, {
    table: 'customers',
    columns,
    only: sql`and deleted_at is null ${email}`,
    fromRow,
  })
}

function toRow(details: CustomerDetails) {
  return {
    name: details.name,
    email: details.email,
    phone: details.phone,
    description: details.description,
    locale: details.locale,
    address: details.address === null ? null : JSON.stringify(details.address),
    tax_ids: JSON.stringify(details.taxIds),
    tax_exempt: details.taxExempt,
    electronic_address: details.electronicAddress === null ? null : JSON.stringify(details.electronicAddress),
    buyer_reference: details.buyerReference,
    metadata: JSON.stringify(details.metadata),
  }
}

function fromRow(mode: Mode, row: CustomerRow): Customer {
  return {
    id: idFromUuid('customer', mode, row.id),
    name: row.name,
    email: row.email,
    emailStatus: row.email_status as EmailStatus | null,
    phone: row.phone,
    description: row.description,
    locale: row.locale,
    address: row.address as Address | null,
    taxIds: row.tax_ids as TaxId[],
    taxExempt: row.tax_exempt,
    electronicAddress: row.electronic_address as ElectronicAddress | null,
    buyerReference: row.buyer_reference,
    metadata: row.metadata as Record<string, string>,
    testClockId: idOrNull('test_clock', mode, row.test_clock_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    version: row.version,
    sequence: row.sequence,
  }
}

/** The test clock of the customer; null if there is none or the customer does not exist. */
export async function customerClockId(view: View, text: string): Promise<Id<'test_clock'> | null> {
  const uuid = uuidFromText('customer', view.caller.mode, text)
  if (uuid === null) return null
  const row = await view.db
    .selectFrom('customers')
    .select('test_clock_id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirst()
  return row?.test_clock_id ? idFromUuid('test_clock', view.caller.mode, row.test_clock_id) : null
}
