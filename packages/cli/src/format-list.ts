/** Formats objects of the API: tables for lists, and amounts. */
import { exponentOf } from '@switchyard/sdk'
import { formatTable } from './output.ts'
import { formatDateTime } from './time.ts'

type Members = Readonly<Record<string, unknown>>

/** Members that a table can show, in order of preference. */
const columnCandidates = [
  'name',
  'display_name',
  'email',
  'type',
  'event_type',
  'method',
  'path',
  'number',
  'code',
  'role',
  'status',
  'state',
  'mode',
  'url',
  'about',
  'description',
  'provider',
  'customer_id',
  'error_code',
]
const maxColumns = 5

/** Formats a list of objects of any kind as a table. */
export function formatList(entries: readonly object[]): string {
  if (entries.length === 0) return 'No results.'
  const rows = entries as readonly Members[]
  const first = rows[0] ?? {}
  const columns = columnCandidates
    .filter((name) => rows.some((row) => isScalar(row[name])))
    .slice(0, maxColumns)
    .filter((name) => name in first)
  const hasAmount = typeof first.amount === 'number' && typeof first.currency === 'string'
  const names = [...('id' in first ? ['id'] : []), ...columns, ...(hasAmount ? ['amount'] : [])]
  const hasTime = typeof first.created_at === 'string'
  return formatTable(
    [...names, ...(hasTime ? ['created'] : [])].map((name) => name.toUpperCase()),
    rows.map((row) => [
      ...names.map((name) => (name === 'amount' ? formatAmount(row) : formatCell(row[name]))),
      ...(hasTime ? [formatDateTime(String(row.created_at))] : []),
    ]),
  )
}

/** `EUR 12.99`. */
export function formatAmount({ amount, currency }: Members): string {
  const code = String(currency).toUpperCase()
  const decimals = exponentOf(code)
  const digits = String(amount).padStart(decimals + 1, '0')
  return `${code} ${decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`}`
}

function formatCell(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
