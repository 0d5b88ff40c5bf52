/**
 * Manual journals for the import of Xero: one journal per day and currency, with the sum of each account. Positive
 * amounts are debits. A file has at most 300 lines, and a journal is never split. No side effects.
 */

import type { Currency } from '../../../kernel/currency.ts'
import { formatDecimal, money } from '../../../kernel/money.ts'
import type { Row } from './columns.ts'
import { csvText } from './csv.ts'

export const maxXeroLines = 300

export type XeroFile = { readonly currency: string; readonly lines: readonly string[] }

const header =
  '*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2'

/** `rows` have the columns of `xeroJournal`, sorted by currency and date. */
export function xeroFilesOf(rows: readonly Row[], taxRate: string): readonly XeroFile[] {
  const journals = Map.groupBy(rows, ([date, currency]) => `${currency} ${date}`)
  const files: { currency: string; lines: string[] }[] = []
  for (const journal of journals.values()) {
    const currency = String(journal[0]?.[1])
    const current = files.at(-1)
    const lines = journal.map((row) => lineOf(row, taxRate))
    if (current?.currency === currency && current.lines.length + lines.length <= maxXeroLines)
      current.lines.push(...lines)
    else files.push({ currency, lines })
  }
  return files
}

export function xeroText({ lines }: XeroFile): string {
  return [header, ...lines].map((line) => `${line}\r\n`).join('')
}

function lineOf([date, currency, , number, name, debit, credit]: Row, taxRate: string): string {
  const code = String(currency).toUpperCase()
  const amount = ((debit ?? 0n) as bigint) - ((credit ?? 0n) as bigint)
  const [year, month, day] = String(date).split('-')
  return [
    csvText(`Switchyard ${date} ${code}`),
    `${day}/${month}/${year}`,
    csvText(String(name)),
    csvText(String(number)),
    csvText(taxRate),
    formatDecimal(money(amount, currency as Currency)),
    ',,,',
  ].join(',')
}
