/** The sums of the amounts in a file: per column and currency. No side effects. */
import type { Column, Row } from './columns.ts'

/** Sums as decimal integers in minor units, by column and currency: `{ amount: { eur: '1299' } }`. */
export type Sums = { readonly [column: string]: { readonly [currency: string]: string } }

export function addToSums(sums: Sums, columns: readonly Column[], rows: readonly Row[]): Sums {
  const added = columns.flatMap((column, index) => {
    if (column.type !== 'amount' || !column.isSummed) return []
    const currencyIndex = columns.findIndex(({ name }) => name === column.currency)
    const totals = new Map(
      Object.entries(sums[column.name] ?? {}).map(([currency, sum]) => [currency, BigInt(sum)]),
    )
    for (const row of rows) {
      const [amount, currency] = [row[index], row[currencyIndex]]
      if (typeof amount === 'bigint' && typeof currency === 'string')
        totals.set(currency, (totals.get(currency) ?? 0n) + amount)
    }
    const byCurrency = [...totals]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, sum]) => [name, String(sum)])
    return [[column.name, Object.fromEntries(byCurrency)]]
  })
  return Object.fromEntries(added)
}
