/**
 * Assigns invoice numbers. The caller holds the lock on the series. The counters and the invoices change in one
 * transaction, and the database rejects a transaction that leaves a gap.
 */
import { civilDateIn } from '../../../../kernel/calendar.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { SellerSettings } from '../../seller/service.ts'
import { formatInvoiceNumber, type Invoice } from '../invoice.ts'
import { type Series, takeNumbersOfYear, updateSeries } from '../store/series.ts'

export type AssignedNumber = Pick<Invoice, 'sequenceNumber' | 'number' | 'numberYear' | 'numberInYear'>

/** The next `count` numbers, in order. */
export async function assignNumbers(
  tx: Tx,
  series: Series,
  { numbering, seller }: SellerSettings,
  count: number,
): Promise<AssignedNumber[]> {
  if (count === 0) return []
  const prefix = numbering.prefix ?? series.prefix
  const first = series.nextSequence
  await updateSeries(tx, series, first + BigInt(count))
  const indexes = Array.from({ length: count }, (_, index) => BigInt(index))
  if (numbering.reset === 'never')
    return indexes.map((index) => ({
      sequenceNumber: first + index,
      number: formatInvoiceNumber(prefix, first + index),
      numberYear: null,
      numberInYear: null,
    }))
  const { year } = civilDateIn(tx.now, seller.time_zone)
  const firstOfYear = await takeNumbersOfYear(tx, series, { year, count })
  return indexes.map((index) => ({
    sequenceNumber: first + index,
    number: formatInvoiceNumber(`${prefix}-${year}`, firstOfYear + index),
    numberYear: year,
    numberInYear: firstOfYear + index,
  }))
}
