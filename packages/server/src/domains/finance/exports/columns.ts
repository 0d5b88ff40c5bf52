/** The columns of an exported file, and the values in its rows. No side effects. */
import { type Currency, isCurrency } from '../../../kernel/currency.ts'
import type { Kind } from '../../../kernel/id.ts'
import { formatDecimal, money } from '../../../kernel/money.ts'

export type Column =
  | { readonly name: string; readonly type: 'id'; readonly kind: Kind }
  | { readonly name: string; readonly type: 'text' | 'integer' | 'boolean' | 'time' }
  /** An amount in minor units, in the currency of another column. */
  | { readonly name: string; readonly type: 'amount'; readonly currency: string; readonly isSummed: boolean }
  /** The amount of another column in major units. */
  | { readonly name: string; readonly type: 'decimal'; readonly amount: string; readonly currency: string }

export type Value = string | number | bigint | boolean | Date | null
/** The values of a row, in the order of the columns. */
export type Row = readonly Value[]

/** Adds a column in major units after each amount in minor units. */
export function withDecimals(columns: readonly Column[]): readonly Column[] {
  return columns.flatMap((column): readonly Column[] => {
    if (column.type !== 'amount') return [column]
    const { name, currency } = column
    return [column, { name: `${name}_decimal`, type: 'decimal', amount: name, currency }]
  })
}

/** Reads the value of a column from a row, including the columns that `withDecimals` added. */
export function valueReader(columns: readonly Column[], column: Column): (row: Row) => Value {
  const indexOf = (name: string) => columns.findIndex((each) => each.name === name)
  if (column.type !== 'decimal') {
    const index = indexOf(column.name)
    return (row) => row[index] ?? null
  }
  const [amount, currency] = [indexOf(column.amount), indexOf(column.currency)]
  return (row) => decimalOf(row[amount] ?? null, row[currency] ?? null)
}

function decimalOf(amount: Value, currency: Value): string | null {
  if (typeof amount !== 'bigint' || typeof currency !== 'string' || !isCurrency(currency)) return null
  return formatDecimal(money(amount, currency as Currency))
}
