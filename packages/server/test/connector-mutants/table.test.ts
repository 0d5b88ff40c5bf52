// `npm run test:connector-mutants` removes the guards; this test checks that the table can still be applied.

import { expect, test } from 'vitest'
import { connectors } from '../../src/providers/connectors.ts'
import { outdatedPatches } from '../money/mutants/patched-copy.ts'
import { connectorMutants } from './table.ts'

test('the patches of all mutants of connectors still match the source', () => {
  expect(outdatedPatches(connectorMutants.flatMap(({ patches }) => patches))).toEqual([])
})

/** The guards that every connector needs. Mollie has no signatures, so its webhooks must prove nothing. */
const requiredGuards = [
  /\.idempotency_key$/,
  /\.decline$/,
  /\.authorized_is_not_captured$/,
  /\.webhook_(signature|is_unsigned)$/,
  /\.exponent$/,
]

test.each(connectors)('$id has a mutant for every guard that a connector needs', ({ id }) => {
  const names = connectorMutants
    .filter(({ connector }) => connector.replaceAll('-', '_') === id)
    .map(({ name }) => name)

  for (const guard of requiredGuards) expect(names.filter((name) => guard.test(name))).toHaveLength(1)
})
