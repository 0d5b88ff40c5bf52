import type { SettlementLine } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { countsText, differenceText } from './reconciliation-text.ts'

test('the counts are one sentence', () => {
  const counts = { matched: 9_998_112, amount_differs: 1, missing_here: 12, missing_there: 672 }

  expect(countsText(counts)).toBe(
    '9,998,112 matched, 1 differs, 12 missing here, 672 missing at the provider',
  )
})

test.each([
  [{ status: 'amount_differs', recorded_amount: 1299 }, '€12.49 settled, €12.99 recorded'],
  [{ status: 'missing_here', recorded_amount: null }, '€12.49 settled, but not recorded here'],
  [{ status: 'missing_there', recorded_amount: 1249 }, '€12.49 recorded here, but not settled in time'],
])('%j is described as %s', (members, text) => {
  expect(differenceText({ amount: 1249, currency: 'eur', ...members } as SettlementLine)).toBe(text)
})
