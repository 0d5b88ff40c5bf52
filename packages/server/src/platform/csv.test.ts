/** The records and errors equal those of csv-parse, whatever chunks the file is received in. */
import { CsvError, parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Refusal } from '../kernel/errors.ts'
import { readCsv } from './csv.ts'

async function* chunksOf(bytes: Buffer, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

async function read(bytes: Buffer, { size = 7, delimiter = ',' } = {}) {
  const records: (readonly string[])[] = []
  try {
    for await (const found of readCsv(chunksOf(bytes, size), { delimiter })) records.push(...found)
    return records
  } catch (error) {
    if (error instanceof Refusal) return String(error.members.detail)
    throw error
  }
}

/** What csv-parse reads from the whole file. */
function expected(bytes: Buffer, { delimiter = ',' } = {}) {
  try {
    return parse(bytes, { bom: true, delimiter, skip_empty_lines: true, max_record_size: 100_000 })
  } catch (error) {
    if (error instanceof CsvError) return `The file is not valid CSV: ${error.message}.`
    throw error
  }
}

const plainCell = fc.string({ unit: fc.constantFrom('a', 'B', '1', ' ', 'ü', '€', '😀', "'"), maxLength: 4 })
/** A placeholder for the newline of the file. */
const ownNewline = '¶'
const quotedCell = (...newlines: readonly string[]) =>
  fc
    .string({ unit: fc.constantFrom('a', '"', ',', ';', 'é', ...newlines), maxLength: 5 })
    .map((text) => `"${text.replaceAll('"', '""')}"`)
const anyCell = fc.oneof({ weight: 6, arbitrary: plainCell }, quotedCell('\n', '\r\n'))
/** Cells with unpaired quotes and lines of different lengths, most of which are malformed. */
const wildCell = fc.string({ unit: fc.constantFrom('a', '"', ' ', 'b'), maxLength: 3 })

function files(cell: fc.Arbitrary<string>, widths: fc.Arbitrary<number>, newlines: readonly string[]) {
  return fc
    .record({
      width: fc.integer({ min: 2, max: 4 }),
      rows: fc.array(fc.tuple(fc.array(cell, { minLength: 4, maxLength: 4 }), widths), { maxLength: 8 }),
      newline: fc.constantFrom(...newlines),
      isEnded: fc.boolean(),
      isBlankAfter: fc.integer({ min: 0, max: 9 }),
      mark: fc.constantFrom('', '\uFEFF'),
      delimiter: fc.constantFrom(',', ';'),
      size: fc.integer({ min: 1, max: 40 }),
    })
    .map(({ width, rows, newline, isEnded, isBlankAfter, mark, delimiter, size }) => {
      const lines = rows.map(([cells, more]) => cells.slice(0, width + more).join(delimiter))
      lines.unshift(['h1', 'h2', 'h3', 'h4'].slice(0, width).join(delimiter))
      if (isBlankAfter < lines.length) lines.splice(isBlankAfter, 0, '')
      const text = lines.join(newline).replaceAll(ownNewline, newline)
      return { text: mark + text + (isEnded ? newline : ''), delimiter, size }
    })
}

test('valid files have the records that csv-parse reads, in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(files(anyCell, fc.constant(0), ['\n', '\r\n', '\r']), async ({ text, ...options }) => {
      const bytes = Buffer.from(text)
      const records = await read(bytes, options)
      expect(records).toEqual(expected(bytes, options))
    }),
    { numRuns: 2_000 },
  )
})

test('malformed files are refused with the message of csv-parse and the line of the error', async () => {
  // Values contain only the newline of the file, and it is not CR LF: csv-parse counts other newlines in values as lines,
  // and CR LF as two lines.
  const cell = fc.oneof({ weight: 4, arbitrary: plainCell }, quotedCell(ownNewline), wildCell)
  const malformed = files(cell, fc.constantFrom(0, 0, 0, -1), ['\n', '\r'])
  let refused = 0
  await fc.assert(
    fc.asyncProperty(malformed, async ({ text, ...options }) => {
      const bytes = Buffer.from(text)
      const records = await read(bytes, options)
      if (typeof records === 'string') refused += 1
      expect(records).toEqual(expected(bytes, options))
    }),
    { numRuns: 2_000 },
  )
  expect(refused).toBeGreaterThan(300)
})

test('UTF-16 with a byte order mark is read', async () => {
  const bytes = Buffer.from('\uFEFFa,b\r\nGebühr,€\r\n', 'utf16le')
  for (const size of [1, 2, 3, 50])
    expect(await read(bytes, { size })).toEqual([
      ['a', 'b'],
      ['Gebühr', '€'],
    ])
})

test('a line or a quoted value that does not end is refused before it is received completely', async () => {
  const tooLong = (start: string) =>
    read(Buffer.from(`a,b\n${start}${'x'.repeat(500_000)}`), { size: 16_000 })
  const problem = /^The file is not valid CSV: Max Record Size: .* line 2/
  expect(await tooLong('')).toMatch(problem)
  expect(await tooLong('1,"')).toMatch(problem)
  const lines = `1,"${'x\n'.repeat(300_000)}`
  expect(await read(Buffer.from(`a,b\n${lines}`), { size: 16_000 })).toMatch(/^The file is not valid CSV: /)
  expect(await read(Buffer.from(','.repeat(500_000)), { size: 16_000 })).toBe(
    'The file is not valid CSV: a line is longer than 100000 characters.',
  )
})
