// Runs the suite against the providers that use the protocol. The test of each connector runs it with its own fixtures.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { describeGeneratedResponses } from '../../test/support/generated-responses.ts'
import { conformanceOf, interpret, type Kit } from './conformance.ts'
import { connectors } from './connectors.ts'
import type { OperationInput, Provider } from './contract.ts'
import { kit as customKit } from './custom/fixtures/kit.ts'
import { custom, simulator } from './custom/provider.ts'
import { registry } from './registry.ts'

test('every other provider is a connector whose own test runs the suite', () => {
  const ids = connectors.map(({ id }) => id)
  expect([...registry.keys()]).toEqual(['simulator', 'custom', ...ids])
  for (const id of ids) {
    const file = new URL(`./${id.replace('_', '-')}/provider.test.ts`, import.meta.url)
    expect(readFileSync(file, 'utf8')).toContain('test.each(conformanceOf(')
  }
})

// Both use the same configuration in these fixtures.
const kit = customKit as Kit<unknown>
const { step, input } = kit.calls[0] as Kit<unknown>['calls'][number]

describe.each([simulator, custom] as Provider[])('$id', (provider) => {
  test.each(conformanceOf(provider, kit))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })

  describeGeneratedResponses(provider, kit, {
    steps: (['authorize', 'complete', 'lookup', 'close'] as const).map((name) => ({ step: name, input })),
    notFoundIsAbsent: true,
  })

  test('only the specified statuses make a record a success', () => {
    const reply = kit.approve(input as OperationInput)
    const meanings = Array.from({ length: 500 }, (_, offset) => offset + 100).map(
      (status) => [status, interpret(provider, { step, input, reply: { ...reply, status } }).is] as const,
    )

    expect(meanings.filter(([, is]) => is !== 'unknown')).toEqual([
      [200, 'succeeded'],
      [202, 'succeeded'],
    ])
  })
})
