/**
 * CSV as in RFC 4180: commas, CRLF, UTF-8. Text that a spreadsheet would execute as a formula is prefixed with an
 * apostrophe. No side effects.
 */
import type { Column, Row, Value } from './columns.ts'

/**
 * A spreadsheet executes a cell that starts with one of these characters. A text that already has an apostrophe before them
 * gets another one, so that the text can be read back by removing one.
 */
const startsFormula = /^'*[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

export function csvHeader(columns: readonly Column[]): string {
  return csvLine(columns.map(({ name }) => name))
}

export function csvLines(columns: readonly Column[], rows: readonly Row[]): string {
  return rows
    .map((row) => csvLine(columns.map((column, index) => csvCell(column, row[index] ?? null))))
    .join('')
}

const csvLine = (cells: readonly string[]) => `${cells.join(',')}\r\n`

function csvCell({ type }: Column, value: Value): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  return type === 'text' ? csvText(String(value)) : String(value)
}

export function csvText(text: string): string {
  if (startsFormula.test(text)) return quoted(`'${text}`)
  return needsQuotes.test(text) ? quoted(text) : text
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
