/** The file formats. A file is written in parts, so that only one part has to be in memory. Pure. */
import { type Column, type Row, rowWithDecimals, withDecimals } from './columns.ts'
import { csvHeader, csvLines } from './csv.ts'
import { encodeParquetEnd, encodeParquetPart } from './parquet.ts'

export type PartInput = {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** The number of the part: 0 starts the file. */
  readonly number: number
  /** The position of the part in the file. */
  readonly position: number
}
export type EncodedPart = {
  readonly content: Uint8Array
  /** What the end of the file has to say about this part. */
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
  /** The same input gives the same bytes. */
  readonly encodePart: (input: PartInput) => EncodedPart
  /** What follows the last part; empty if nothing does. */
  readonly encodeEnd: (input: EndInput) => Uint8Array
}

const csv: FileFormat = {
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8',
  encodePart: ({ columns, rows, number }) => {
    const all = withDecimals(columns)
    const lines = csvLines(
      all,
      rows.map((row) => rowWithDecimals(columns, row)),
    )
    const text = number === 0 ? csvHeader(all) + lines : lines
    return { content: new TextEncoder().encode(text), directory: null }
  },
  encodeEnd: () => new Uint8Array(),
}

const parquet: FileFormat = {
  extension: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  encodePart: encodeParquetPart,
  encodeEnd: encodeParquetEnd,
}

export const formatNames = ['csv', 'parquet'] as const
export type FormatName = (typeof formatNames)[number]

export const formats: { readonly [F in FormatName]: FileFormat } = { csv, parquet }
