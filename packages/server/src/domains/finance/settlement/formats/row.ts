/**
 * Reads the cells of a line of a report. A missing column, an unknown column or an unreadable cell is rejected, and the
 * error names the column and the line: a guess would post wrong amounts. No side effects.
 */
import { type Currency, exponentOf, isCurrency } from '../../../../kernel/currency.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { mulDiv } from '../../../../kernel/money.ts'
import type { ParsedLine } from './parsed-line.ts'
import { offsetMinutesAt } from './zoned-time.ts'

type ColumnRules = {
  readonly required: readonly string[]
  /** Whether the format may have this column. */
  readonly isKnown: (name: string) => boolean
}

/** The positions of the columns. */
export type Columns = ReadonlyMap<string, number>

export function requireColumns(header: readonly string[], { required, isKnown }: ColumnRules): Columns {
  const names = header.map((name) => name.trim())
  const missing = required.filter((name) => !names.includes(name))
  const unknown = names.filter((name) => !required.includes(name) && !isKnown(name))
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  const problems = [
    ['lacks the columns', missing],
    ['has unknown columns', unknown],
    ['repeats the columns', repeated],
  ] as const
  const found = problems.filter(([, columns]) => columns.length > 0)
  if (found.length === 0) return new Map(names.map((name, index) => [name, index]))
  const sentences = found.map(
    ([problem, columns]) => `${problem} ${columns.map((name) => `"${name.slice(0, 60)}"`).join(', ')}`,
  )
  return refuse('invalid_settlement_file', { detail: `The file ${sentences.join(' and ')}.` })
}

/** How amounts are written. */
export type AmountStyle = { readonly unit: 'major' | 'minor'; readonly decimalSeparator: '.' | ',' }

const plainDecimals: AmountStyle = { unit: 'major', decimalSeparator: '.' }

export class Row {
  readonly #columns: Columns
  readonly #values: readonly string[]
  readonly #number: number
  readonly #style: AmountStyle

  constructor(
    columns: Columns,
    values: readonly string[],
    number: number,
    style: AmountStyle = plainDecimals,
  ) {
    this.#columns = columns
    this.#values = values
    this.#number = number
    this.#style = style
  }

  /** The text of a cell; empty if the file lacks the column. */
  text(column: string): string {
    const index = this.#columns.get(column)
    const text = index === undefined ? '' : (this.#values[index] ?? '').trim()
    return controls.test(text) ? this.fail(`"${column}" contains a control character`) : text
  }

  textOrNull(column: string): string | null {
    const text = this.text(column)
    return text === '' ? null : text
  }

  currency(column: string): Currency {
    const code = this.text(column).toLowerCase()
    return isCurrency(code) ? code : this.fail(`"${column}" must be a currency code, not "${code}"`)
  }

  /** An amount in minor units; 0 if the cell is empty. It must not have more decimal places than its currency. */
  amount(column: string, currency: Currency): bigint {
    const { value, divisor } = this.#decimal(column, currency)
    if (divisor === 1n) return value
    if (value % divisor === 0n) return value / divisor
    return this.fail(`"${column}" has more decimal places than ${currency} allows`)
  }

  /** A fee in minor units, rounded half away from zero: some providers report fractions of a minor unit. */
  fee(column: string, currency: Currency): bigint {
    const { value, divisor } = this.#decimal(column, currency)
    return divisor === 1n ? value : mulDiv(value, 1n, divisor)
  }

  /** A timestamp such as `2026-11-14 12:00:00`, or a date. It is read as UTC unless it contains a time zone. */
  time(column: string): Date {
    const text = this.text(column)
    const match = timestamp.exec(text)
    const [, day, time = '00:00:00', zone = 'Z'] = match ?? []
    const at = new Date(`${day}T${time}${zone}`)
    return Number.isNaN(at.getTime()) || at.getTime() < 0
      ? this.fail(`"${column}" must be a date or a timestamp, not "${text}"`)
      : at
  }

  /** A local time in the time zone that another cell names. Without a time zone it is read as UTC. */
  zonedTime(column: string, zoneColumn: string): Date {
    const [at, zone] = [this.time(column), this.text(zoneColumn)]
    if (zone === '' || hasOffset.test(this.text(column))) return at
    const minutes =
      offsetMinutesAt(at, zone) ?? this.fail(`"${zoneColumn}" must be a time zone such as CET, not "${zone}"`)
    return new Date(at.getTime() - minutes * 60_000)
  }

  timeOrNull(column: string): Date | null {
    return this.text(column) === '' ? null : this.time(column)
  }

  /** Checks that gross minus fees is net. One minor unit of rounding is allowed. */
  checked(line: ParsedLine): ParsedLine {
    const difference = line.gross - line.feeProcessing - line.feeScheme - line.feeInterchange - line.net
    return difference >= -1n && difference <= 1n
      ? line
      : this.fail(`gross minus fees differs from net by ${difference} minor units`)
  }

  fail(problem: string): never {
    return refuse('invalid_settlement_file', { detail: `Line ${this.#number}: ${problem}.` })
  }

  /** The amount in minor units is `value / divisor`. */
  #decimal(column: string, currency: Currency): { readonly value: bigint; readonly divisor: bigint } {
    const text = this.text(column)
    if (text === '') return zero
    const match = decimal.exec(this.#style.decimalSeparator === ',' ? text.replace(',', '.') : text)
    if (match === null) return this.fail(`"${column}" must be an amount, not "${text.slice(0, 40)}"`)
    const [, sign, whole = '', fraction = ''] = match
    const places = this.#style.unit === 'minor' ? 0 : exponentOf(currency)
    const size = BigInt(whole + fraction.padEnd(places, '0'))
    const value = sign === '-' ? -size : size
    return fraction.length <= places
      ? { value, divisor: 1n }
      : { value, divisor: 10n ** BigInt(fraction.length - places) }
  }
}

const zero = { value: 0n, divisor: 1n }
const timestamp = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?))?(Z|[+-]\d{2}:\d{2})?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they cannot be stored, or separate the values of a batch.
const controls = /[\u0000\u001e\u001f]/
const hasOffset = /(Z|[+-]\d{2}:\d{2})$/
const decimal = /^(-?)(\d{1,15})(?:\.(\d{1,12}))?$/
