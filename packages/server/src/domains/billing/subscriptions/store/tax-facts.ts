/** Reads the lines that subscriptions have been charged for, with their tax rates. */
import { sql } from 'kysely'
import { type Id, idFromUuid, idOrNull, uuidOf } from '../../../../kernel/id.ts'
import { type RateColumns, storedTaxRate } from '../../../../kernel/invoice-lines.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import type { ChargedLine } from '../plan/tax.ts'
import type { Subscription } from '../subscription.ts'

type ChargedRow = RateColumns & {
  id: string
  subscription_id: string
  subscription_item_id: string | null
  price_id: string | null
  quantity: number
}

/**
 * The lines that billed the items of the current periods, oldest first. Ids are time-ordered, so the invoices of a
 * period are its own invoice and later ones.
 */
export async function chargedLines(
  view: View,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<Id<'subscription'>, readonly ChargedLine[]>> {
  const inPeriod = subscriptions.flatMap(({ id, currentPeriod }) =>
    currentPeriod === null ? [] : [{ id: uuidOf(id), invoiceId: uuidOf(currentPeriod.invoiceId) }],
  )
  if (inPeriod.length === 0) return new Map()
  const columns = sql`invoice_lines.id, invoice_lines.subscription_id, subscription_item_id, price_id, quantity,
    tax_rate_id, tax_percentage, tax_category, tax_inclusive, tax_note`
  const workspace = sql`${uuidOf(view.caller.workspaceId)}::uuid`
  const periods = sql`unnest(${inPeriod.map(({ id }) => id)}::uuid[],
    ${inPeriod.map(({ invoiceId }) => invoiceId)}::uuid[]) as period (subscription_id, invoice_id)`
  const { rows } = await sql<ChargedRow>`
    select ${columns} from ${periods}
      join invoices on invoices.workspace_id = ${workspace} and invoices.subscription_id = period.subscription_id
        and invoices.id >= period.invoice_id and invoices.status <> 'void'
      join invoice_lines on invoice_lines.workspace_id = ${workspace} and invoice_lines.invoice_id = invoices.id
    where invoice_lines.kind in ('cycle', 'proration_debit')
    union all
    select ${columns} from ${periods}
      join invoice_lines on invoice_lines.workspace_id = ${workspace} and invoice_lines.invoice_id is null
        and invoice_lines.subscription_id = period.subscription_id
    where invoice_lines.kind = 'proration_debit'
    order by id`.execute(view.db)
  const { mode } = view.caller
  const lines = rows.map((row) => ({
    subscriptionId: idFromUuid('subscription', mode, row.subscription_id),
    id: idFromUuid('invoice_line', mode, row.id),
    subscriptionItemId: idOrNull('subscription_item', mode, row.subscription_item_id),
    priceId: idOrNull('price', mode, row.price_id),
    quantity: row.quantity,
    taxRate: storedTaxRate(mode, row),
  }))
  return Map.groupBy(lines, ({ subscriptionId }) => subscriptionId)
}
