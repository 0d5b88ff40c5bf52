import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellsOf } from '../../../../test/support/exports.ts'
import type { Column, Row } from './columns.ts'
import { csvHeader, csvLines } from './csv.ts'

const columns: readonly Column[] = [
  { name: 'id', type: 'text' },
  { name: 'amount', type: 'amount', currency: 'currency', isSummed: true },
]
const lineOf = (text: string, amount: bigint | null = 5n) => csvLines(columns, [[text, amount]])

// biome-ignore format: a table.
test.each([
  ['plain',          'plain'],
  ['=1+1',           `"'=1+1"`],
  ['+1',             `"'+1"`],
  ['-1',             `"'-1"`],
  ['@SUM(A1)',       `"'@SUM(A1)"`],
  ["'+1",            `"''+1"`],
  ["'plain",         "'plain"],
  ['\t=1',           `"'\t=1"`],
  ['\r=1',           `"'\r=1"`],
  ['a,b',            '"a,b"'],
  ['a "b"',          '"a ""b"""'],
  ['two\nlines',     '"two\nlines"'],
  ['=A1&"x"',        `"'=A1&""x"""`],
  [' =1',            ' =1'],
  ['',               ''],
])('the text %j is written as %j', (text, expected) => {
  expect(lineOf(text)).toBe(`${expected},5\r\n`)
})

test('a negative amount is a number, not a formula', () => {
  expect(lineOf('credit', -5n)).toBe('credit,-5\r\n')
})

test('a missing value is an empty cell', () => {
  expect(lineOf('credit', null)).toBe('credit,\r\n')
})

test('values can be read back, and no text is executed as a formula', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }))),
      (rows) => {
        const [header, ...lines] = cellsOf(csvHeader(columns) + csvLines(columns, rows as Row[]))

        expect(header).toEqual(['id', 'amount'])
        expect(lines.map(([, amount]) => amount)).toEqual(rows.map(([, amount]) => String(amount)))
        for (const [index, [text = '']] of lines.entries()) {
          expect(text).not.toMatch(/^[=+\-@\t\r]/)
          expect(text.replace(/^'(?='*[=+\-@\t\r])/, '')).toBe((rows[index] as [string, bigint])[0])
        }
      },
    ),
  )
})
