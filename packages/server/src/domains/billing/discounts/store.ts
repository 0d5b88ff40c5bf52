/** Rows of the discounts of customers. */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../kernel/currency.ts'
import type { AttachedDiscount } from '../../../kernel/discounts.ts'
import { type Id, idFromUuid, idOrNull, type Mode, uuidOf, uuidOrNull } from '../../../kernel/id.ts'
import type { CustomerDiscounts } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { CustomerDiscount, DiscountsOfCustomer } from './discount.ts'

const columns = [
  'id',
  'customer_id',
  'coupon_id',
  'promotion_code_id',
  'name',
  'percent_off',
  'amount_off',
  'currency',
  'product_ids',
  'duration',
  'periods',
  'used_periods',
  'removed_at',
  'created_at',
  'sequence',
] as const
type DiscountRow = Pick<Selectable<CustomerDiscounts>, (typeof columns)[number]>
const selected = sql.join(columns.map((column) => sql.ref(column)))

/** The current discounts of the customers, in the order in which they apply. */
export async function listDiscounts(
  view: View,
  customerIds: readonly Id<'customer'>[],
): Promise<CustomerDiscount[]> {
  if (customerIds.length === 0) return []
  const { rows } = await sql<DiscountRow>`
    select ${selected} from customer_discounts
    where workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid
      and customer_id = any(${customerIds.map(uuidOf)}::uuid[]) and removed_at is null
    order by customer_id, position, id`.execute(view.db)
  return rows.map((row) => fromRow(view.caller.mode, row))
}

/** The current discounts of a customer, and the version of their list. */
export async function findDiscountsOfCustomer(
  view: View,
  customerId: Id<'customer'>,
): Promise<DiscountsOfCustomer> {
  const ofCustomer = sql`workspace_id = ${uuidOf(view.caller.workspaceId)}::uuid
    and customer_id = ${uuidOf(customerId)}::uuid`
  const { rows } = await sql<DiscountRow & { version: number }>`
    select list.version, ${selected}
    from (select 1 + coalesce(sum(sequence + moves), 0)::int as version from customer_discounts
        where ${ofCustomer}) as list
      left join (select * from customer_discounts where ${ofCustomer} and removed_at is null) as current on true
    order by position, id`.execute(view.db)
  const discounts = rows.filter(({ id }) => id !== null).map((row) => fromRow(view.caller.mode, row))
  return { customerId, discounts, version: rows[0]?.version ?? 1 }
}

/** The currency is copied from the coupon. */
export async function insertDiscount(
  tx: Tx,
  customerId: Id<'customer'>,
  discount: AttachedDiscount,
  position: number,
): Promise<CustomerDiscount> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const { couponId, promotionCodeId, productIds } = discount
  const { rows } = await sql<DiscountRow>`
    insert into customer_discounts (workspace_id, id, customer_id, coupon_id, promotion_code_id, position, name,
      percent_off, amount_off, currency, product_ids, duration, periods, created_at)
    select ${workspace}::uuid, ${uuidOf(discount.id)}::uuid, ${uuidOf(customerId)}::uuid, id,
      ${uuidOrNull(promotionCodeId)}::uuid, ${position}, ${discount.name}, ${discount.percentOff},
      ${discount.amountOff}::int8, currency, ${productIds === null ? null : productIds.map(uuidOf)}::uuid[],
      ${discount.duration}, ${discount.periods}::int, ${tx.now}
    from coupons where workspace_id = ${workspace}::uuid and id = ${uuidOf(couponId)}::uuid
    returning ${sql.join(columns.map((column) => sql.ref(`customer_discounts.${column}`)))}`.execute(tx.db)
  return fromRow(tx.caller.mode, rows[0] as DiscountRow)
}

export async function moveDiscount(tx: Tx, id: Id<'discount'>, position: number): Promise<void> {
  await sql`
    update customer_discounts set position = ${position}, moves = moves + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and id = ${uuidOf(id)}::uuid
      and position <> ${position}`.execute(tx.db)
}

export async function removeDiscount(tx: Tx, before: CustomerDiscount): Promise<CustomerDiscount> {
  const { rows } = await sql<DiscountRow>`
    update customer_discounts set removed_at = ${tx.now}, sequence = sequence + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and id = ${uuidOf(before.id)}::uuid
      and sequence = ${before.sequence}
    returning ${selected}`.execute(tx.db)
  const [row] = rows
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(tx.caller.mode, row)
}

/**
 * Adds the periods that the discount was applied to; a negative number returns periods of withdrawn invoices.
 * If another subscription has used the last period since the discount was read, the unit of work runs again.
 * A removed discount cannot use another period.
 */
export async function countPeriods(tx: Tx, id: Id<'discount'>, periods: number): Promise<void> {
  const { numAffectedRows } = await sql`
    update customer_discounts set used_periods = used_periods + ${periods}::int
    where workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and id = ${uuidOf(id)}::uuid
      and (${periods}::int < 0 or (removed_at is null and used_periods + ${periods}::int <= periods))`.execute(
    tx.db,
  )
  if (numAffectedRows !== 1n) throw new ConcurrentChange(id)
}

/** Whether the customer has paid an invoice or made a payment. */
export async function hasPurchased(view: View, customerId: Id<'customer'>): Promise<boolean> {
  const workspace = uuidOf(view.caller.workspaceId)
  const customer = uuidOf(customerId)
  const { rows } = await sql<{ found: boolean }>`
    select exists (
        select from invoices
        where workspace_id = ${workspace} and customer_id = ${customer}::uuid and status = 'paid' and total > 0)
      or exists (
        select from payments
        where workspace_id = ${workspace} and customer_id = ${customer}::uuid and status = 'succeeded')
      as found`.execute(view.db)
  return rows[0]?.found ?? false
}

function fromRow(mode: Mode, row: DiscountRow): CustomerDiscount {
  return {
    id: idFromUuid('discount', mode, row.id),
    customerId: idFromUuid('customer', mode, row.customer_id),
    couponId: idFromUuid('coupon', mode, row.coupon_id),
    promotionCodeId: idOrNull('promotion_code', mode, row.promotion_code_id),
    name: row.name,
    percentOff: row.percent_off,
    amountOff: row.amount_off === null ? null : String(row.amount_off),
    currency: row.currency as Currency | null,
    productIds: row.product_ids?.map((uuid) => idFromUuid('product', mode, uuid)) ?? null,
    duration: row.duration as CustomerDiscount['duration'],
    periods: row.periods,
    usedPeriods: row.used_periods,
    removedAt: row.removed_at,
    createdAt: row.created_at,
    sequence: row.sequence,
  }
}
