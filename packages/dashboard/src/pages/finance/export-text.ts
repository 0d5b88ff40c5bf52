import type { Export, ExportDestination } from '@switchyard/sdk'

export const sourceNames: { readonly [Source in Export['of']]: string } = {
  journal: 'Journal',
  payments: 'Payments',
  refunds: 'Refunds',
  disputes: 'Disputes',
  invoices: 'Invoices',
  subscriptions: 'Subscriptions',
  customers: 'Customers',
  credit_entries: 'Credit entries',
  settlement_lines: 'Settlement lines',
  payouts: 'Payouts',
  ledger_postings: 'Ledger postings',
}

/** What can be exported each day, in the order of the form. Changes to settlement lines are not recorded. */
export const dailySources = (Object.keys(sourceNames) as Export['of'][]).filter(
  (source): source is ExportDestination['of'][number] => source !== 'settlement_lines',
)

export const formatNames: { readonly [Format in Export['format']]: string } = {
  csv: 'CSV',
  parquet: 'Parquet',
  xero: 'Xero manual journals',
  datev: 'DATEV Buchungsstapel',
}

/** Formats of accounting software are for the journal only. */
export function formatsOf(source: string): readonly Export['format'][] {
  return source === 'journal' ? ['csv', 'parquet', 'xero', 'datev'] : ['csv', 'parquet']
}

/** The first and last day of the previous calendar month, in UTC. */
export function lastMonth(now: Date): { readonly from: string; readonly to: string } {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
  return { from: dayOf(Date.UTC(year, month - 1, 1)), to: dayOf(Date.UTC(year, month, 0)) }
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'KB'] : [bytes / 1_000_000, 'MB']
  return `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`
}
