// The short version of `npm run test:taxes`.

import { expect, test } from 'vitest'
import { newDatabase } from '../support/database.ts'
import { runFaultedTaxes } from './faulted-taxes.ts'

test('each finalized invoice is recorded once, whatever happens to the responses of the tax provider', {
  timeout: 180_000,
}, async () => {
  const report = await runFaultedTaxes(await newDatabase(), { invoices: 60, seed: 11 })

  expect(report.failures).toEqual([])
  expect(report).toMatchObject({ invoices: 60, creditNotes: 6, voids: 4 })
  expect(report.repeated).toBeGreaterThan(0)
})
