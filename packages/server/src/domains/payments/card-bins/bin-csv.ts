/** Reads a BIN table from the lines of a CSV file, and reports errors with their line numbers. */
import { type CardBin, type Funding, fundings } from './card-bin.ts'

const columns = ['prefix', 'country', 'issuer', 'funding'] as const
type Column = (typeof columns)[number]

export type LineFault = { readonly line: number; readonly detail: string }
export type CsvPage = { readonly bins: readonly CardBin[]; readonly faults: readonly LineFault[] }

/** The maximum number of reported errors. */
const maxFaults = 20

/** Yields the rows in pages. After the first error, pages contain no rows, only errors. */
export async function* readBins(lines: AsyncIterable<string>, pageSize: number): AsyncGenerator<CsvPage> {
  const reader = new BinReader()
  for await (const line of lines) {
    reader.read(line)
    if (reader.shouldStop) break
    if (reader.rows === pageSize) yield reader.takePage()
  }
  yield reader.takePage()
}

class BinReader {
  #line = 0
  #header: readonly string[] | null = null
  #bins: CardBin[] = []
  readonly #faults: LineFault[] = []
  readonly #lineByPrefix = new Map<string, number>()

  /** True at the maximum number of faults, or if the header is invalid: no row can be read without it. */
  get shouldStop(): boolean {
    return this.#faults.length >= maxFaults || (this.#header === null && this.#faults.length > 0)
  }

  get rows(): number {
    return this.#bins.length
  }

  read(raw: string): void {
    this.#line += 1
    const text = this.#line === 1 ? raw.replace(/^\uFEFF/, '') : raw
    if (text.trim() === '') return
    const cells = parseCells(text)
    if (cells === null) this.#addFault('has an unclosed quote')
    else if (this.#header === null) this.#readHeader(cells)
    else this.#readRow(this.#header, cells)
  }

  takePage(): CsvPage {
    if (this.#header === null && this.#faults.length === 0) {
      this.#line = 1
      this.#addFault(`must be a header such as ${columns.join(',')}`)
    }
    const page = { bins: this.#faults.length > 0 ? [] : this.#bins, faults: this.#faults }
    this.#bins = []
    return page
  }

  #readHeader(cells: readonly string[]): void {
    const header = cells.map((cell) => cell.trim().toLowerCase())
    const fault = faultOfHeader(header)
    if (fault === null) this.#header = header
    else this.#addFault(fault)
  }

  #readRow(header: readonly string[], cells: readonly string[]): void {
    const cell = (column: Column) => cells[header.indexOf(column)]?.trim() || null
    const [prefix, country, issuer, funding] = [...columns].map(cell) as [string, ...(string | null)[]]
    const row = { prefix, country, issuer, funding } as CardBin
    const fault = faultOfColumnCount(header, cells) ?? faultOfRow(row) ?? this.#faultOfDuplicate(row)
    if (fault === null) this.#bins.push(row)
    else this.#addFault(fault)
  }

  #faultOfDuplicate({ prefix }: CardBin): string | null {
    const earlier = this.#lineByPrefix.get(prefix)
    if (earlier !== undefined) return `repeats the prefix of line ${earlier}`
    this.#lineByPrefix.set(prefix, this.#line)
    return null
  }

  #addFault(detail: string): void {
    this.#faults.push({ line: this.#line, detail })
  }
}

function faultOfHeader(header: readonly string[]): string | null {
  const unknown = header.find((name) => !columns.includes(name as Column))
  if (unknown !== undefined) return `has the unknown column "${unknown}": use ${columns.join(', ')}`
  if (new Set(header).size < header.length) return 'names a column twice'
  return header.includes('prefix') ? null : 'must have the column prefix'
}

function faultOfColumnCount(header: readonly string[], cells: readonly string[]): string | null {
  return cells.length === header.length
    ? null
    : `has ${cells.length} columns, but the header has ${header.length}`
}

function faultOfRow({ prefix, country, issuer, funding }: CardBin): string | null {
  const rules: readonly (readonly [boolean, string])[] = [
    [!/^[0-9]{6,8}$/.test(prefix ?? ''), 'prefix must be 6 to 8 digits'],
    [
      country !== null && !/^[A-Z]{2}$/.test(country),
      'country must be an ISO 3166-1 code of two capital letters',
    ],
    [issuer !== null && issuer.length > 100, 'issuer must have at most 100 characters'],
    [
      funding !== null && !fundings.includes(funding as Funding),
      `funding must be one of ${fundings.join(', ')}`,
    ],
    [country === null && issuer === null && funding === null, 'must have country, issuer or funding'],
  ]
  return rules.find(([isBroken]) => isBroken)?.[1] ?? null
}

const cell = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y

/** Null if a quote is not closed. A quoted cell may contain commas and doubled quotes. */
function parseCells(text: string): readonly string[] | null {
  const cells: string[] = []
  cell.lastIndex = 0
  for (;;) {
    const match = cell.exec(text)
    if (match === null) return null
    const [, quoted, plain = '', end] = match
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '') return cells
  }
}
