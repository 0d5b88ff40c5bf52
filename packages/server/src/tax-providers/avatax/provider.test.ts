// Runs the conformance suite, and tests what the suite does not cover.

import { expect, test } from 'vitest'
import { conformanceOfTax } from '../conformance.ts'
import { kit } from './fixtures/kit.ts'
import { avatax } from './provider.ts'

test.each(conformanceOfTax(avatax, kit))('$name', ({ fault }) => {
  expect(fault()).toBeNull()
})

test('live calls go to production, and amounts have the decimal places of their currency', () => {
  const { input } = kit.quote
  const yen = { ...input, currency: 'jpy' as const, lines: input.lines.slice(0, 1) }
  const { url, body } = avatax.quote.build({ input: yen }, { config: kit.config, mode: 'live', now: kit.now })

  expect(url).toMatch(/^https:\/\/rest\.avatax\.com\//)
  expect(JSON.parse(body ?? '').createTransactionModel.lines).toMatchObject([{ amount: 10_000 }])
})

test('codes and line numbers have at most the 50 characters that AvaTax stores', () => {
  const { body } = avatax.reverse.build(kit.reverse, { config: kit.config, mode: 'test', now: kit.now })
  const { code, lines } = JSON.parse(body ?? '').createTransactionModel

  for (const text of [code, lines[0].number, `${kit.commit.reference}-void`])
    expect(text.length).toBeLessThanOrEqual(50)
})
