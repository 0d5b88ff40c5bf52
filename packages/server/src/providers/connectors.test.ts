// Every connector has completed the checklist, and can be registered.

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checklistOf } from './checklist.ts'
import type { Kit } from './conformance.ts'
import type { ConnectorPage } from './connector-page.ts'
import { connectors } from './connectors.ts'
import type { ConnectorConfig } from './contract.ts'
import { isProviderCode } from './declines.ts'
import { registryOf } from './registry.ts'

const suites = await Promise.all(
  connectors.map(async (provider) => {
    const folder = join(import.meta.dirname, provider.id.replaceAll('_', '-'))
    const { kit }: { kit: Kit<ConnectorConfig> } = await import(join(folder, 'fixtures/kit.ts'))
    const { page }: { page: ConnectorPage } = await import(join(folder, 'page.ts'))
    return { id: provider.id, provider, kit, page }
  }),
)

test('every connector can be registered', () => {
  expect([...registryOf(connectors).keys()]).toEqual(['stripe', 'adyen', 'mollie', 'checkout_com', 'paypal'])
})

describe.each(suites)('$id', ({ provider, kit, page }) => {
  test.each(checklistOf({ provider, kit, page }))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })

  test('the decline tables contain only codes that a provider may report', () => {
    const codes = page.declines.flatMap((table) => table.codes)

    expect(codes.filter(([, ours]) => !isProviderCode(ours))).toEqual([])
  })

  test('no code is both a decline and inconclusive', () => {
    const contradictions = page.declines.flatMap(({ codes, inconclusive = [] }) =>
      codes.filter(([theirs]) => inconclusive.includes(theirs)),
    )

    expect(contradictions).toEqual([])
  })
})
