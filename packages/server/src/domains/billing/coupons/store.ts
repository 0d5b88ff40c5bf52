import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../kernel/currency.ts'
import { type Id, idFromUuid, idOrNull, type Mode, uuidOf, uuidOrNull } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { Coupons } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { versionedRows } from '../../../platform/db/versioned-rows.ts'
import type { Coupon, CouponDetails, CouponTerms } from './coupon.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'name',
  'active',
  'percent_off',
  'amount_off',
  'currency',
  'duration',
  'duration_periods',
  'product_ids',
  'max_redemptions',
  'redeem_by',
  'reserved',
  'used',
  'metadata',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type CouponRow = Pick<Selectable<Coupons>, (typeof columns)[number]>

export async function insertCoupon(tx: Tx, terms: CouponTerms, details: CouponDetails): Promise<Coupon> {
  const { off, productIds } = terms
  const row = await tx.db
    .insertInto('coupons')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('coupon')),
      percent_off: 'percentage' in off ? off.percentage : null,
      amount_off: 'amount' in off ? off.amount : null,
      currency: terms.currency,
      duration: terms.duration,
      duration_periods: terms.durationPeriods,
      product_ids: productIds === null ? null : productIds.map(uuidOf),
      max_redemptions: terms.maxRedemptions,
      redeem_by: terms.redeemBy,
      ...toRow(details),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

const coupons = versionedRows<CouponRow, Coupon>({
  table: 'coupons',
  kind: 'coupon',
  name: 'coupon',
  columns,
  fromRow,
})
export const { find: findCoupon, lock: lockCoupon, require: requireCoupon } = coupons

export function updateCoupon(tx: Tx, before: Coupon, details: CouponDetails): Promise<Coupon> {
  return coupons.update(tx, before, toRow(details))
}

export function listCoupons(view: View, range: IdRange, active: boolean | null) {
  return listRows(view, range, {
    table: 'coupons',
    columns,
    only: active === null ? sql`` : sql`and active = ${active}`,
    fromRow,
  })
}

/** A redemption, with the objects that redeem the coupon. */
export type NewRedemption = {
  readonly couponId: Id<'coupon'>
  readonly promotionCodeId: Id<'promotion_code'> | null
  /** `reserved`: by a checkout that has not ended, or by a draft of an invoice. */
  readonly status: 'reserved' | 'used'
  readonly customerId: Id<'customer'> | null
  readonly subscriptionId: Id<'subscription'> | null
  readonly checkoutSessionId: Id<'checkout_session'> | null
  readonly invoiceId: Id<'invoice'> | null
}

/**
 * Counts a redemption on the row of a coupon or promotion code, which stays locked until the transaction ends. False if
 * the limit is reached, or it is archived. A constraint of the table also rejects a count above the limit.
 */
export async function countRedemption(
  tx: Tx,
  id: Id<'coupon'> | Id<'promotion_code'>,
  status: NewRedemption['status'],
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${tableOf(id)} set ${sql.ref(status)} = ${sql.ref(status)} + 1
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}::uuid
      and active and (max_redemptions is null or reserved + used < max_redemptions)`.execute(tx.db)
  return numAffectedRows === 1n
}

const tableOf = (id: string) => sql.table(id.startsWith('coupon_') ? 'coupons' : 'promotion_codes')

export async function insertRedemption(tx: Tx, redemption: NewRedemption): Promise<void> {
  await tx.db
    .insertInto('redemptions')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('redemption')),
      coupon_id: uuidOf(redemption.couponId),
      promotion_code_id: uuidOrNull(redemption.promotionCodeId),
      status: redemption.status,
      customer_id: uuidOrNull(redemption.customerId),
      subscription_id: uuidOrNull(redemption.subscriptionId),
      checkout_session_id: uuidOrNull(redemption.checkoutSessionId),
      invoice_id: uuidOrNull(redemption.invoiceId),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .execute()
}

export type Reservation = {
  readonly couponId: Id<'coupon'>
  readonly promotionCodeId: Id<'promotion_code'> | null
}

/**
 * The object that has reserved redemptions: a checkout session, or some or all discounts of a draft invoice.
 */
export type Reserver =
  | { readonly checkoutSessionId: Id<'checkout_session'> }
  | { readonly invoiceId: Id<'invoice'>; readonly couponIds?: readonly Id<'coupon'>[] }

export type ReservationEnd = {
  readonly status: 'used' | 'released'
  /** The subscription that the session sold. Null if it sold none. */
  readonly subscriptionId: Id<'subscription'> | null
}

/** Ends reserved redemptions, and returns them. They end only once. */
export async function endReservations(
  tx: Tx,
  reserver: Reserver,
  result: ReservationEnd,
): Promise<Reservation[]> {
  const couponIds = 'invoiceId' in reserver ? reserver.couponIds : undefined
  const [column, id] =
    'invoiceId' in reserver
      ? (['invoice_id', reserver.invoiceId] as const)
      : (['checkout_session_id', reserver.checkoutSessionId] as const)
  const rows = await tx.db
    .updateTable('redemptions')
    .set({
      status: result.status,
      subscription_id: uuidOrNull(result.subscriptionId),
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where(column, '=', uuidOf(id))
    .where('status', '=', 'reserved')
    .$if(couponIds !== undefined, (query) => query.where('coupon_id', 'in', (couponIds ?? []).map(uuidOf)))
    .returning(['coupon_id', 'promotion_code_id'])
    .execute()
  return rows
    .toSorted((a, b) => (a.coupon_id < b.coupon_id ? -1 : 1))
    .map((row) => ({
      couponId: idFromUuid('coupon', tx.caller.mode, row.coupon_id),
      promotionCodeId: idOrNull('promotion_code', tx.caller.mode, row.promotion_code_id),
    }))
}

/** Counts a reserved redemption of a coupon or promotion code as used, or no longer counts it. */
export async function countReservationEnd(
  tx: Tx,
  id: Id<'coupon'> | Id<'promotion_code'>,
  status: 'used' | 'released',
): Promise<void> {
  const used = status === 'used' ? 1 : 0
  await sql`
    update ${tableOf(id)} set reserved = reserved - 1, used = used + ${used}
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}::uuid`.execute(tx.db)
}

function toRow(details: CouponDetails) {
  return { name: details.name, active: details.active, metadata: JSON.stringify(details.metadata) }
}

function fromRow(mode: Mode, row: CouponRow): Coupon {
  return {
    id: idFromUuid('coupon', mode, row.id),
    name: row.name,
    active: row.active,
    off:
      row.percent_off === null
        ? { amount: row.amount_off as bigint }
        : { percentage: row.percent_off.replace(/\.?0+$/, '') },
    currency: row.currency as Currency | null,
    duration: row.duration as Coupon['duration'],
    durationPeriods: row.duration_periods,
    productIds: row.product_ids?.map((uuid) => idFromUuid('product', mode, uuid)) ?? null,
    maxRedemptions: row.max_redemptions,
    redeemBy: row.redeem_by,
    timesRedeemed: row.reserved + row.used,
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
