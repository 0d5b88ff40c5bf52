/**
 * The tax rates of the lines of one-off invoices. They are determined again with each edit of a draft, and when it is
 * finalized.
 */
import type { Id } from '../../../../kernel/id.ts'
import type { TaxMode } from '../../../../kernel/parties.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { loadTaxRates } from '../../tax-rules/service/load-rates.ts'
import type { EditedLine } from '../draft-lines.ts'

/** The lines with the current rates. If `mode` is omitted, it is read together with the rates. */
export async function withTaxRates(
  view: View,
  lines: readonly EditedLine[],
  { customerId, mode }: { readonly customerId: Id<'customer'>; readonly mode?: TaxMode },
): Promise<EditedLine[]> {
  if ((mode !== undefined && mode !== 'rates') || lines.length === 0)
    return lines.map((line) => ({ ...line, taxRate: null }))
  const items = lines.flatMap(({ priceId }) => (priceId === null ? [] : [{ priceId }]))
  const [loaded] = await loadTaxRates(view, [{ customerId, items }])
  return lines.map((line) => ({
    ...line,
    taxRate: (line.priceId === null ? loaded?.unpriced : loaded?.rates.get(line.priceId)) ?? null,
  }))
}
