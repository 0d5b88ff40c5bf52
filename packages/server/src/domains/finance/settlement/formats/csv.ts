/**
 * CSV files of any provider, read with the saved mapping of the provider account. Columns that the mapping does not
 * name are kept as raw values. No side effects.
 */
import type { LineKind } from '../settlement-line.ts'
import { cardDetails } from './card-details.ts'
import type { CsvMapping } from './csv-mapping.ts'
import type { LineMapper } from './parsed-line.ts'
import { Row, requireColumns } from './row.ts'

export function csvMapper(header: readonly string[], mapping: CsvMapping): LineMapper {
  const names = mapping.columns
  const required = [...new Set(Object.values(names).filter((name) => name !== undefined))]
  const columns = requireColumns(header, { required, isKnown: () => true })
  const style = {
    unit: mapping.amounts ?? 'major',
    decimalSeparator: mapping.decimal_separator ?? '.',
  } as const
  const optional = (row: Row, name: string | undefined) => (name === undefined ? null : row.textOrNull(name))
  return (values, number) => {
    const row = new Row(columns, values, number, style)
    const currency = row.currency(names.currency)
    const gross = row.amount(names.gross, currency)
    const fee = names.fee === undefined ? 0n : row.fee(names.fee, currency)
    const references = [
      optional(row, names.provider_reference),
      optional(row, names.payment_reference),
      optional(row, names.our_reference),
    ] as const
    const id = optional(row, names.id)
    return row.checked({
      kind: kindOf(row, mapping, gross),
      providerReference: references[0],
      paymentReference: references[1],
      ourReference: references[2],
      amount: gross,
      currency,
      gross,
      feeProcessing: fee,
      feeScheme: 0n,
      feeInterchange: 0n,
      net: names.net === undefined ? gross - fee : row.amount(names.net, currency),
      settlementCurrency: currency,
      payoutReference: optional(row, names.payout_reference),
      payoutAt: null,
      ...cardDetails({
        brand: optional(row, names.card_brand),
        country: optional(row, names.card_country),
        funding: optional(row, names.card_funding),
      }),
      createdAt: row.time(names.created_at),
      // A line without an id is identified by all of its values.
      key: id === null ? ['values', ...values] : ['id', id],
      isKeyUnique: id !== null,
    })
  }
}

function kindOf(row: Row, { columns, types = {} }: CsvMapping, gross: bigint): LineKind {
  if (columns.type === undefined) return gross < 0n ? 'refund' : 'payment'
  const type = row.text(columns.type)
  return Object.hasOwn(types, type)
    ? (types[type] as LineKind)
    : row.fail(`"${columns.type}" is "${type.slice(0, 60)}", which the mapping does not contain`)
}
