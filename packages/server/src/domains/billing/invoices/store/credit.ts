/** Rows of credit: balances, and the entries they can be recomputed from. */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../../../kernel/id.ts'
import type { CreditBalances } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { CreditBalance, CreditChange } from '../credit.ts'

const columns = [
  'id',
  'customer_id',
  'currency',
  'balance',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type BalanceRow = Pick<Selectable<CreditBalances>, (typeof columns)[number]>

type BalanceKey = Pick<CreditChange, 'customerId' | 'currency'>

export async function findBalance(
  view: View,
  { customerId, currency }: BalanceKey,
): Promise<CreditBalance | null> {
  const row = await inWorkspace(view)
    .where('customer_id', '=', uuidOf(customerId))
    .where('currency', '=', currency)
    .executeTakeFirst()
  return row === undefined ? null : fromRow(view.caller.mode, row)
}

export async function lockBalance(
  tx: Tx,
  { customerId, currency }: BalanceKey,
): Promise<CreditBalance | null> {
  const row = await inWorkspace(tx)
    .where('customer_id', '=', uuidOf(customerId))
    .where('currency', '=', currency)
    .forUpdate()
    .executeTakeFirst()
  return row === undefined ? null : fromRow(tx.caller.mode, row)
}

/** Locks the non-zero balances of these customers, in the order of ids. */
export async function lockBalances(tx: Tx, customers: readonly Id<'customer'>[]): Promise<CreditBalance[]> {
  if (customers.length === 0) return []
  const rows = await inWorkspace(tx)
    .where('customer_id', '=', sql<string>`any(${[...new Set(customers)].map(uuidOf)}::uuid[])`)
    .where('balance', '>', 0n)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map((row) => fromRow(tx.caller.mode, row))
}

function inWorkspace(view: View) {
  return view.db
    .selectFrom('credit_balances')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
}

/** Null if the balance was created concurrently, and exists now. */
export async function insertBalance(tx: Tx, change: CreditChange): Promise<CreditBalance | null> {
  const { rows } = await sql<BalanceRow>`
    insert into credit_balances (workspace_id, id, customer_id, currency, balance, created_at, updated_at)
    values (${uuidOf(tx.caller.workspaceId)}, ${uuidOf(tx.newId('credit_balance'))}, ${uuidOf(change.customerId)},
      ${change.currency}, ${change.amount}, ${tx.now}, ${tx.now})
    on conflict (workspace_id, customer_id, currency) do nothing
    returning ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(tx.db)
  return rows[0] === undefined ? null : fromRow(tx.caller.mode, rows[0])
}

/** Writes a change that emits an event: increments the version and the event sequence. */
export async function updateBalance(tx: Tx, before: CreditBalance, amount: bigint): Promise<CreditBalance> {
  const row = await tx.db
    .updateTable('credit_balances')
    .set({
      balance: before.balance + amount,
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

export async function insertEntry(
  tx: Tx,
  after: CreditBalance,
  change: CreditChange,
): Promise<Id<'credit_entry'>> {
  const id = tx.newId('credit_entry')
  await tx.db
    .insertInto('credit_entries')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(id),
      credit_balance_id: uuidOf(after.id),
      amount: change.amount,
      balance_after: after.balance,
      reason: change.reason,
      invoice_id: change.invoiceId === null ? null : uuidOf(change.invoiceId),
      created_at: tx.now,
    })
    .execute()
  return id
}

function fromRow(mode: Mode, row: BalanceRow): CreditBalance {
  return {
    id: idFromUuid('credit_balance', mode, row.id),
    customerId: idFromUuid('customer', mode, row.customer_id),
    currency: row.currency as Currency,
    balance: row.balance,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

/** The credit that the customer has got for unused time, or cancelled usage, that the invoice had charged. */
export async function unusedTimeCredited(view: View, invoiceId: Id<'invoice'>): Promise<bigint> {
  const { rows } = await sql<{ amount: bigint }>`
    select unused_time_credited(${uuidOf(view.caller.workspaceId)}::uuid, ${uuidOf(invoiceId)}::uuid) as amount`.execute(
    view.db,
  )
  return rows[0]?.amount ?? 0n
}
