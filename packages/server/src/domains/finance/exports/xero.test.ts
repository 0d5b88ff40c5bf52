import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Row } from './columns.ts'
import { maxXeroLines, xeroFilesOf } from './xero.ts'

const days = fc.array(fc.integer({ min: 1, max: 16 }), { minLength: 1, maxLength: 120 })

test('no file has more than 300 lines, and no journal is split', () => {
  fc.assert(
    fc.property(days, days, (euros, dollars) => {
      const rowsOf = (currency: string, counts: readonly number[]) =>
        counts.flatMap((count, day) =>
          Array.from({ length: count }, (_, line): Row => {
            const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)
            return [date, currency, 'sales', String(line), 'Sales', 1n, null]
          }),
        )
      const rows = [...rowsOf('eur', euros), ...rowsOf('usd', dollars)]

      const files = xeroFilesOf(rows, 'No Tax')

      expect(files.flatMap(({ lines }) => lines)).toHaveLength(rows.length)
      const journalsOf = (lines: readonly string[]) => new Set(lines.map((line) => line.split(',')[0]))
      const journals = files.flatMap(({ lines }) => [...journalsOf(lines)])
      expect(new Set(journals).size).toBe(journals.length)
      for (const { currency, lines } of files) {
        expect(lines.length).toBeLessThanOrEqual(maxXeroLines)
        expect(lines.every((line) => line.includes(currency.toUpperCase()))).toBe(true)
      }
    }),
  )
})
