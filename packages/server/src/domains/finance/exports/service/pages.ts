/** Reads the objects of an export in pages, from tables or from the ledger. */
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { readDailyBalances } from '../../ledger/service/balances.ts'
import { readBookedPostings, readPostings } from '../../ledger/service/history.ts'
import type { Row } from '../columns.ts'
import type { Export } from '../export.ts'
import { defaultSettings } from '../journal-settings.ts'
import { type ExportPeriod, firstUuid, type IdBounds, lastUuid, periodOf } from '../period.ts'
import { type DailySum, type DaySource, type Source, sourceOf } from '../sources.ts'
import { countRows, readChangedRows, readRows } from '../store/rows.ts'

export type Page = {
  readonly rows: readonly Row[]
  /** How many objects were read, including those of other days. */
  readonly scanned: number
  /** The uuid of the last object that was read; null if there are no more. */
  readonly last: string | null
}

export function boundsOf(export_: Export): IdBounds {
  const period = periodOf(export_)
  const source = sourceOf(export_)
  if (export_.destinationId !== null) return changeBoundsOf(source, period)
  if (source.from !== 'table') return period.caused
  return source.existed === undefined ? period.created : period.dated
}

function changeBoundsOf(source: Source, { written }: ExportPeriod): IdBounds {
  const all = { after: firstUuid, before: lastUuid }
  if (source.from !== 'table') return all
  const { changedBy } = source
  // Only the time or the day of the last update shows when an object changed, so objects with any id are read.
  const isDatedById = changedBy !== 'updated_at' && !(typeof changedBy === 'object' && 'day' in changedBy)
  return isDatedById ? written : all
}

/** Reads the objects of the period. For a daily export, reads the objects that changed in the period. */
export async function readPage(
  view: View,
  export_: Export,
  range: { readonly after: string; readonly limit: number },
): Promise<Page> {
  const source = sourceOf(export_)
  if (source.from === 'days') return readDays(view, export_, source, range.after)
  const period = periodOf(export_)
  const bounded = { after: range.after, before: boundsOf(export_).before, limit: range.limit }
  const isDaily = export_.destinationId !== null
  if (source.from === 'table')
    return isDaily ? readChangedRows(view, source, bounded, period) : readRows(view, source, bounded, period)
  const { fromAt, toAt, writtenUntilAt } = period
  const page = isDaily
    ? await readBookedPostings(view, { after: range.after, limit: range.limit, fromAt, toAt })
    : await readPostings(view, { ...bounded, fromAt, toAt, bookedUntilAt: writtenUntilAt })
  const settings = export_.settings ?? defaultSettings
  const rows = page.postings.flatMap((posting) => source.rowsOf(posting, settings))
  return { rows, scanned: page.scanned, last: page.last }
}

/** All days are one page, because there are only a few sums per day. */
const afterAllDays = lastUuid

async function readDays(view: View, export_: Export, source: DaySource, after: string): Promise<Page> {
  if (after === afterAllDays) return { rows: [], scanned: 0, last: null }
  const days = await readDailySums(view, export_)
  const settings = export_.settings ?? defaultSettings
  const rows = days.flatMap((sums) => source.rowsOf(sums, settings))
  return { rows, scanned: days.length, last: afterAllDays }
}

/** The sums of each account, without provider accounts, sorted by currency, day and account. */
export async function readDailySums(
  view: View,
  { fromOn, toOn }: Pick<Export, 'fromOn' | 'toOn'>,
): Promise<readonly DailySum[]> {
  const sums = new Map<string, DailySum>()
  for (const { dayOn, currency, account, debits, credits } of await readDailyBalances(view, fromOn, toOn)) {
    const key = `${currency} ${dayOn} ${account}`
    const amount = (sums.get(key)?.amount ?? 0n) + debits - credits
    sums.set(key, { dayOn, currency, account, amount })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

export function countPage(
  view: View,
  export_: Export,
  range: { readonly after: string; readonly limit: number },
) {
  const source = sourceOf(export_)
  const table = source.from === 'table' ? source.table : 'ledger_postings'
  return countRows(view, table, {
    after: range.after,
    before: boundsOf(export_).before,
    limit: range.limit,
  })
}
