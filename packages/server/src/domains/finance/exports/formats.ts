/** The file formats. A file is written in parts, so that only one part has to be in memory. No side effects. */
import { type Column, type Row, valueReader, withDecimals } from './columns.ts'
import { csvHeader, csvLines } from './csv.ts'
import { encodeDatevFile } from './datev.ts'
import type { JournalSettings } from './journal-settings.ts'
import { xeroFilesOf, xeroText } from './xero.ts'
import { encodeZipEnd, encodeZipEntry, type ZipEntry } from './zip.ts'

/** The data of the export that a format uses. */
export type FileContext = {
  readonly fromOn: string
  readonly toOn: string
  readonly createdAt: Date
  readonly settings: JournalSettings
}

export type PartInput = {
  readonly context: FileContext
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** The number of the part: 0 starts the file. */
  readonly number: number
  /** The position of the part in the file. */
  readonly position: number
}
export type EncodedPart = {
  readonly content: Uint8Array
  /** The entry of this part in the directory at the end of the file. */
  readonly directory: string | null
}
export type EndInput = {
  readonly columns: readonly Column[]
  readonly position: number
  readonly directories: readonly (string | null)[]
}

export type FileFormat = {
  readonly extension: string
  readonly contentType: string
  /** Deterministic: the same input always produces the same output. */
  readonly encodePart: (input: PartInput) => EncodedPart | Promise<EncodedPart>
  /** The bytes after the last part; may be empty. */
  readonly encodeEnd: (input: EndInput) => Uint8Array | Promise<Uint8Array>
}

const csv: FileFormat = {
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8',
  encodePart: ({ columns, rows, number }) => {
    const all = withDecimals(columns)
    const readers = all.map((column) => valueReader(columns, column))
    const lines = csvLines(
      all,
      rows.map((row) => readers.map((read) => read(row))),
    )
    const text = number === 0 ? csvHeader(all) + lines : lines
    return { content: new TextEncoder().encode(text), directory: null }
  },
  encodeEnd: () => new Uint8Array(),
}

/** The Parquet library is loaded when the first file of this format is written. */
const parquet: FileFormat = {
  extension: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  encodePart: async (input) => (await import('./parquet.ts')).encodeParquetPart(input),
  encodeEnd: async (input) => (await import('./parquet.ts')).encodeParquetEnd(input),
}

type NamedFile = { readonly name: string; readonly content: Uint8Array }

/** An archive of several files, because accounting software limits the size of each. */
const archive = (filesOf: (input: PartInput) => readonly NamedFile[]): FileFormat => ({
  extension: 'zip',
  contentType: 'application/zip',
  encodePart: (input) => {
    let { position } = input
    const encoded = filesOf(input).map(({ name, content }) => {
      const file = encodeZipEntry(name, content, position)
      position += file.bytes.length
      return file
    })
    return {
      content: Buffer.concat(encoded.map(({ bytes }) => bytes)),
      directory: JSON.stringify(encoded.map(({ entry }) => entry)),
    }
  },
  encodeEnd: ({ directories, position }) => {
    const entries = directories.flatMap((text): ZipEntry[] => JSON.parse(text ?? '[]'))
    return encodeZipEnd(entries, position)
  },
})

const xero = archive(({ rows, context: { settings, fromOn, toOn } }) =>
  xeroFilesOf(rows, settings.xero.tax_rate).map((file, index) => ({
    name: `xero-${file.currency}-${fromOn}-${toOn}-${index + 1}.csv`,
    content: Buffer.from(xeroText(file)),
  })),
)

const datev = archive(({ rows, number, context: { settings, fromOn, toOn, createdAt } }) => {
  if (rows.length === 0 || settings.datev === null) return []
  const content = encodeDatevFile({ settings: settings.datev, fromOn, toOn, createdAt, rows })
  return [{ name: `EXTF_Buchungsstapel_${String(number + 1).padStart(4, '0')}.csv`, content }]
})

export const formatNames = ['csv', 'parquet', 'xero', 'datev'] as const
export type FormatName = (typeof formatNames)[number]

export const formats: { readonly [F in FormatName]: FileFormat } = { csv, parquet, xero, datev }
