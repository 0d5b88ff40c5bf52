// docs/operations/capacity.md has the figures of perf/capacity.json.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { PaymentSize } from './capacity-plan.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(resolve(root, 'docs/operations/capacity.md'), 'utf8')
const measured: PaymentSize = JSON.parse(readFileSync(resolve(root, 'perf/capacity.json'), 'utf8'))
const grouped = (value: number) => value.toLocaleString('en-US')

test('the capacity page has the measured size of each table', () => {
  const [, section = ''] = page.split('## Cost of one payment')
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \| ([\d,]+) \|/gm)].map(
    ([, table, rows, bytes]) => `${table} ${rows} ${bytes}`,
  )

  expect(rows).toEqual(measured.tables.map(({ table, rows, bytes }) => `${table} ${rows} ${grouped(bytes)}`))
})

test('the capacity page has the measured totals', () => {
  const total = measured.tables.reduce((sum, { bytes }) => sum + bytes, 0)

  expect(page).toContain(
    `| total | ${measured.tables.reduce((sum, { rows }) => sum + rows, 0)} | ${grouped(total)} |`,
  )
  expect(page).toContain(
    `| bytes of WAL, including deliveries and the request log | ${grouped(measured.walBytes)} |`,
  )
  expect(page).toContain(`n × 86,400 × ${grouped(measured.walBytes)} bytes`)
})
