import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../kernel/currency.ts'
import { idFromUuid, idOrNull, type Mode, uuidOf, uuidOrNull } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import { lockName } from '../../../platform/db/name-lock.ts'
import type { PromotionCodes } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { versionedRows } from '../../../platform/db/versioned-rows.ts'
import type { PromotionCode, PromotionCodeDetails, PromotionCodeTerms } from './promotion-code.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'coupon_id',
  'code',
  'active',
  'first_purchase',
  'minimum_amount',
  'currency',
  'customer_id',
  'max_redemptions',
  'expires_at',
  'reserved',
  'used',
  'metadata',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type PromotionCodeRow = Pick<Selectable<PromotionCodes>, (typeof columns)[number]>

export async function insertPromotionCode(
  tx: Tx,
  terms: PromotionCodeTerms,
  details: PromotionCodeDetails,
): Promise<PromotionCode> {
  const row = await tx.db
    .insertInto('promotion_codes')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('promotion_code')),
      coupon_id: uuidOf(terms.couponId),
      code: terms.code,
      first_purchase: terms.firstPurchase,
      minimum_amount: terms.minimum?.amount ?? null,
      currency: terms.minimum?.currency ?? null,
      customer_id: uuidOrNull(terms.customerId),
      max_redemptions: terms.maxRedemptions,
      expires_at: terms.expiresAt,
      ...toRow(details),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

const codes = versionedRows<PromotionCodeRow, PromotionCode>({
  table: 'promotion_codes',
  kind: 'promotion_code',
  name: 'promotion code',
  columns,
  fromRow,
})
export const { find: findPromotionCode, lock: lockPromotionCode } = codes

export function updatePromotionCode(
  tx: Tx,
  before: PromotionCode,
  details: PromotionCodeDetails,
): Promise<PromotionCode> {
  return codes.update(tx, before, toRow(details))
}

/** An advisory lock until the transaction ends, because there may be no row to lock. */
export async function lockCode(tx: Tx, code: string): Promise<void> {
  await lockName(tx, `promotion_code ${code} of ${uuidOf(tx.caller.workspaceId)}`)
}

export async function findActiveCode(view: View, code: string): Promise<PromotionCode | null> {
  const row = await view.db
    .selectFrom('promotion_codes')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('code', '=', code)
    .where('active', '=', true)
    .executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : null
}

export type PromotionCodeFilter = { readonly couponUuid: string | null; readonly code: string | null }

export function listPromotionCodes(view: View, range: IdRange, { couponUuid, code }: PromotionCodeFilter) {
  const filters = [
    ...(couponUuid === null ? [] : [sql`and coupon_id = ${couponUuid}::uuid`]),
    ...(code === null ? [] : [sql`and code = ${code}`]),
  ]
  return listRows(view, range, {
    table: 'promotion_codes',
    columns,
    only: filters.length === 0 ? sql`` : sql.join(filters, sql` `),
    fromRow,
  })
}

function toRow(details: PromotionCodeDetails) {
  return { active: details.active, metadata: JSON.stringify(details.metadata) }
}

function fromRow(mode: Mode, row: PromotionCodeRow): PromotionCode {
  return {
    id: idFromUuid('promotion_code', mode, row.id),
    couponId: idFromUuid('coupon', mode, row.coupon_id),
    code: row.code,
    active: row.active,
    firstPurchase: row.first_purchase,
    minimum:
      row.minimum_amount === null ? null : { amount: row.minimum_amount, currency: row.currency as Currency },
    customerId: idOrNull('customer', mode, row.customer_id),
    maxRedemptions: row.max_redemptions,
    expiresAt: row.expires_at,
    timesRedeemed: row.reserved + row.used,
    metadata: row.metadata as Record<string, string>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}
