import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readParquetRows } from '../../../../test/support/parquet.ts'
import type { Column, Row } from './columns.ts'
import { defaultSettings } from './journal-settings.ts'
import { encodeParquetEnd, encodeParquetPart } from './parquet.ts'

const columns: readonly Column[] = [
  { name: 'id', type: 'id', kind: 'payment' },
  { name: 'created_at', type: 'time' },
  { name: 'currency', type: 'text' },
  { name: 'amount', type: 'amount', currency: 'currency', isSummed: true },
  { name: 'count', type: 'integer' },
  { name: 'active', type: 'boolean' },
]

const context = {
  fromOn: '2026-11-01',
  toOn: '2026-11-30',
  createdAt: new Date('2026-11-14T12:00:00.000Z'),
  settings: defaultSettings,
}

/** Writes each part separately, as after a crash. */
function encode(parts: readonly (readonly Row[])[]): Uint8Array {
  let position = 0
  const encoded = parts.map((rows, number) => {
    const part = encodeParquetPart({ columns, rows, number, position, context })
    position += part.content.length
    return part
  })
  const directories = encoded.map(({ directory }) => directory)
  const end = encodeParquetEnd({ columns, position, directories })
  return Buffer.concat([...encoded.map(({ content }) => content), end])
}

const at = new Date('2026-11-14T12:00:00.000Z')

test('another reader reads the same values from several parts', () => {
  const file = encode([
    [['payment_1', at, 'eur', 1299n, 3, true]],
    [
      ['payment_2', at, 'jpy', -900n, null, false],
      [null, null, null, null, null, null],
    ],
  ])

  expect(readParquetRows(file)).toEqual([
    {
      id: 'payment_1',
      created_at: at.getTime(),
      currency: 'eur',
      amount: 1299n,
      amount_decimal: '12.99',
      count: 3,
      active: true,
    },
    {
      id: 'payment_2',
      created_at: at.getTime(),
      currency: 'jpy',
      amount: -900n,
      amount_decimal: '-900',
      count: null,
      active: false,
    },
    {
      id: null,
      created_at: null,
      currency: null,
      amount: null,
      amount_decimal: null,
      count: null,
      active: null,
    },
  ])
})

test('a file without rows is valid', () => {
  expect(readParquetRows(encode([[]]))).toEqual([])
})

test('every 64-bit amount is read back exactly', () => {
  const amount = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const part = fc.array(amount, { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const rows = parts.map((amounts) => amounts.map((each): Row => ['payment_1', at, 'eur', each, 1, true]))

      expect(readParquetRows(encode(rows)).map((row) => row.amount)).toEqual(parts.flat())
    }),
    { numRuns: 50 },
  )
})

test('texts are read back, whether they repeat or not', () => {
  const text = fc.option(fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), fc.boolean(), (texts, isRepeated) => {
      const written = isRepeated ? [...texts, ...texts, ...texts] : texts
      const rows = written.map((each): Row => [each, at, 'eur', 5n, 1, true])

      expect(readParquetRows(encode([rows])).map((row) => row.id)).toEqual(written)
    }),
    { numRuns: 50 },
  )
})
