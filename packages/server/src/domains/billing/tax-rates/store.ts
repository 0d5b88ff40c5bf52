import { type Selectable, sql } from 'kysely'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { TaxRates } from '../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { versionedRows } from '../../../platform/db/versioned-rows.ts'
import type { TaxCategory, TaxRate, TaxRateTerms } from './tax-rate.ts'

const columns = [
  'id',
  'name',
  'percentage',
  'country',
  'category',
  'exemption_reason',
  'active',
  'created_at',
  'updated_at',
  'version',
] as const
type TaxRateRow = Pick<Selectable<TaxRates>, (typeof columns)[number]>

export async function insertTaxRate(tx: Tx, name: string, terms: TaxRateTerms): Promise<TaxRate> {
  const row = await tx.db
    .insertInto('tax_rates')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('tax_rate')),
      name,
      percentage: terms.percentage,
      country: terms.country,
      category: terms.category,
      exemption_reason: terms.exemptionReason,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

const rates = versionedRows<TaxRateRow, TaxRate>({
  table: 'tax_rates',
  kind: 'tax_rate',
  name: 'tax rate',
  columns,
  fromRow,
})
export const { find: findTaxRate, lock: lockTaxRate } = rates

export function updateTaxRate(
  tx: Tx,
  before: TaxRate,
  { name, active }: Pick<TaxRate, 'name' | 'active'>,
): Promise<TaxRate> {
  return rates.update(tx, before, { name, active })
}

/** For a reference in a request. The rate cannot be archived until the transaction ends. */
export function requireTaxRate(tx: Tx, text: string): Promise<TaxRate> {
  return rates.require(tx, text, '/tax_rate_id', sql`for share`)
}

/** Whether a rule uses the rate. */
export async function isUsedByRule(view: View, id: Id<'tax_rate'>): Promise<boolean> {
  const row = await view.db
    .selectFrom('tax_rules')
    .select('id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('tax_rate_id', '=', uuidOf(id))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export function listTaxRates(view: View, range: IdRange, active: boolean | null) {
  const only = active === null ? sql`` : sql`and active = ${active}`
  return listRows(view, range, { table: 'tax_rates', columns, only, fromRow })
}

function fromRow(mode: Mode, row: TaxRateRow): TaxRate {
  return {
    id: idFromUuid('tax_rate', mode, row.id),
    name: row.name,
    percentage: row.percentage,
    country: row.country,
    category: row.category as TaxCategory,
    exemptionReason: row.exemption_reason,
    active: row.active,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}
