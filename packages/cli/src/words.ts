/** Objects of the API in words: the columns of a list, and amounts as people write them. */
import { exponentOf } from '@switchyard/sdk'
import { tableOf } from './output.ts'
import { dayText } from './time.ts'

type Members = Readonly<Record<string, unknown>>

/** Members that tell objects apart, in the order in which a list shows them. */
const telling = [
  ...['name', 'display_name', 'email', 'type', 'event_type', 'method', 'path', 'number', 'code', 'role'],
  ...['status', 'state', 'mode', 'url', 'about', 'description', 'provider', 'customer_id', 'error_code'],
]
const mostColumns = 5

/** A list of any objects. */
export function listWords(entries: readonly object[]): string {
  if (entries.length === 0) return 'None.'
  const rows = entries as readonly Members[]
  const first = rows[0] ?? {}
  const shown = telling
    .filter((name) => rows.some((row) => isScalar(row[name])))
    .slice(0, mostColumns)
    .filter((name) => name in first)
  const hasAmount = typeof first.amount === 'number' && typeof first.currency === 'string'
  const names = [...('id' in first ? ['id'] : []), ...shown, ...(hasAmount ? ['amount'] : [])]
  const hasTime = typeof first.created_at === 'string'
  return tableOf(
    [...names, ...(hasTime ? ['created'] : [])].map((name) => name.toUpperCase()),
    rows.map((row) => [
      ...names.map((name) => (name === 'amount' ? amountText(row) : cellOf(row[name]))),
      ...(hasTime ? [dayText(String(row.created_at))] : []),
    ]),
  )
}

/** `EUR 12.99`. */
export function amountText({ amount, currency }: Members): string {
  const code = String(currency).toUpperCase()
  const places = exponentOf(code)
  const digits = String(amount).padStart(places + 1, '0')
  return `${code} ${places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`}`
}

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}
