/** Reads the objects of an export in pages, wherever they come from. */
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { readPostings } from '../../ledger/service/history.ts'
import type { Row } from '../columns.ts'
import type { Export } from '../export.ts'
import { type IdBounds, periodOf } from '../period.ts'
import { type Source, sources } from '../sources.ts'
import { countRows, readRows } from '../store/rows.ts'

export type Page = {
  readonly rows: readonly Row[]
  /** How many objects were read, including those of other days. */
  readonly scanned: number
  /** The uuid of the last object that was read; null if there are no more. */
  readonly last: string | null
}

export function boundsOf(export_: Export): IdBounds {
  const period = periodOf(export_)
  return sources[export_.source].from === 'ledger' ? period.caused : period.created
}

export async function readPage(
  view: View,
  export_: Export,
  range: { readonly after: string; readonly limit: number },
): Promise<Page> {
  const source: Source = sources[export_.source]
  const period = periodOf(export_)
  const bounded = { after: range.after, before: boundsOf(export_).before, limit: range.limit }
  if (source.from === 'table') return readRows(view, source, bounded, period)
  const { fromAt, toAt, writtenUntilAt } = period
  const page = await readPostings(view, { ...bounded, fromAt, toAt, bookedUntilAt: writtenUntilAt })
  return { rows: page.postings.flatMap(source.rowsOf), scanned: page.scanned, last: page.last }
}

export function countPage(
  view: View,
  export_: Export,
  range: { readonly after: string; readonly limit: number },
) {
  const source: Source = sources[export_.source]
  const table = source.from === 'ledger' ? 'ledger_postings' : source.table
  return countRows(view, table, {
    after: range.after,
    before: boundsOf(export_).before,
    limit: range.limit,
  })
}
