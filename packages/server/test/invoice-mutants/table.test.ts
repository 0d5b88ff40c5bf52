// `npm run test:invoices -- --mutants` applies the patches; this test checks that they can still be applied.

import { expect, test } from 'vitest'
import { outdatedPatches } from '../money/mutants/patched-copy.ts'
import { invoiceMutants } from './table.ts'

test('the patches of all mutants of the arithmetic of invoices still match the source', () => {
  expect(outdatedPatches(invoiceMutants.map(({ patch }) => patch))).toEqual([])
})
