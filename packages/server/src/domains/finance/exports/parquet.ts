/**
 * Parquet files, one row group per part. The metadata at the end of a file describes all row groups, so each part
 * stores the description of its own row group. Amounts are INT64 in minor units. No side effects.
 */

import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer'
import { assert } from '../../../kernel/assert.ts'
import { type Column, type Row, type Value, valueReader, withDecimals } from './columns.ts'
import type { EncodedPart, EndInput, PartInput } from './formats.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]
type RowGroup = ParquetWriter['row_groups'][number]

/** Writers return promises only if they do not write to memory. */
const writesInMemory = 'A file in memory must be written synchronously.'

export function encodeParquetPart({ columns, rows, number, position }: PartInput): EncodedPart {
  const writer = new ByteWriter()
  const file = openFile(writer, columns)
  // Only the first part starts the file.
  if (number > 0) moveTo(writer, position)
  const written = file.write({
    columnData: columnsOf(columns, rows),
    rowGroupSize: Math.max(rows.length, 1),
  })
  assert(written === undefined, writesInMemory)
  return { content: writer.getBytes(), directory: JSON.stringify(file.row_groups, bigintToText) }
}

export function encodeParquetEnd({ columns, position, directories }: EndInput): Uint8Array {
  const writer = new ByteWriter()
  const file = openFile(writer, columns)
  moveTo(writer, position)
  const groups = directories.flatMap((text): RowGroup[] => JSON.parse(text ?? '[]', textToBigint))
  for (const group of groups) file.row_groups.push(group)
  file.num_rows = groups.reduce((sum, group) => sum + group.num_rows, 0n)
  assert(file.finish() === undefined, writesInMemory)
  return groups.length > 0 ? writer.getBytes() : withTypedList(writer.getBytes())
}

/**
 * The library writes no element type for an empty list, which strict readers reject. In a file without rows this is the
 * list of row groups, which follows the number of rows: field 3 (0), field 4 (a list), then field 6.
 */
function withTypedList(end: Uint8Array): Uint8Array {
  const [untypedList, typedList] = [
    [0x16, 0x00, 0x19, 0x00, 0x28],
    [0x16, 0x00, 0x19, 0x0c, 0x28],
  ]
  const start = Buffer.from(end).indexOf(Buffer.from(untypedList))
  assert(
    start >= 0,
    'A file without rows must have an empty list of row groups: check the version of hyparquet-writer.',
  )
  end.set(typedList, start)
  return end
}

const openFile = (writer: ByteWriter, columns: readonly Column[]) =>
  // Statistics would have to be kept with each part, and readers of whole files do not use them.
  new ParquetWriter({ writer, schema: schemaOf(columns), statistics: false, createdBy: 'switchyard' })

/** Discards what was written, and continues as if the file already had that many bytes. */
function moveTo(writer: ByteWriter, position: number): void {
  writer.index = 0
  writer.offset = position
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  const all = withDecimals(columns)
  return [{ name: 'root', num_children: all.length }, ...all.map(elementOf)]
}

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
const physicalTypes = {
  id: text,
  text,
  // Currencies differ in their decimal places, so amounts in major units are text.
  decimal: text,
  amount: { type: 'INT64' },
  integer: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const satisfies { readonly [T in Column['type']]: Partial<SchemaElement> }

function elementOf({ name, type }: Column): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', ...physicalTypes[type] }
}

/** Converts one column at a time, which avoids copying the rows to add the additional values. */
function columnsOf(columns: readonly Column[], rows: readonly Row[]): ColumnSource[] {
  return withDecimals(columns).map((column) => {
    const values = rows.map(valueReader(columns, column))
    return {
      name: column.name,
      ...(isMostlyDistinctText(column, values) ? plainText(values) : { data: values }),
      // Page indexes would have to be written after the last part.
      offsetIndex: false,
    }
  })
}

/** Whether a dictionary would not make the column smaller. */
function isMostlyDistinctText({ type }: Column, values: readonly Value[]): boolean {
  if (physicalTypes[type].type !== 'BYTE_ARRAY') return false
  return new Set(values).size > values.length / 2
}

/**
 * Encodes the values of a column into one buffer. The library would allocate a buffer outside the heap for each value,
 * millions per file.
 */
function plainText(values: readonly Value[]): Pick<ColumnSource, 'data' | 'encoding'> {
  const texts = values as readonly (string | null)[]
  const buffer = Buffer.allocUnsafeSlow(texts.reduce((sum, each) => sum + Buffer.byteLength(each ?? ''), 0))
  let end = 0
  const data = texts.map((each) => {
    if (each === null) return null
    const start = end
    end += buffer.write(each, start)
    return buffer.subarray(start, end)
  })
  return { data, encoding: 'PLAIN' }
}

function bigintToText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

function textToBigint(_: string, value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value
}
