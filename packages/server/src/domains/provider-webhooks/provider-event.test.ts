import { expect, test } from 'vitest'
import type { Found, ProviderEvent } from '../../providers/contract.ts'
import { fromStored, toText, waitAfter } from './provider-event.ts'

const at = new Date('2026-11-21T12:00:00.000Z')
const money = { amount: 900_719_925_474_099_312n, currency: 'eur' } as const
const found: readonly (Found | null)[] = [
  null,
  { is: 'closed' },
  { is: 'pending', ref: 'p' },
  { is: 'declined', decline: { code: 'do_not_honor' } },
  { is: 'succeeded', ref: 'p', money },
  { is: 'succeeded', ref: 'p', money, extra: { networkTransactionId: 'n' } },
  { is: 'succeeded', ref: 'p', money, extra: { captureBeforeAt: at } },
  { is: 'action', ref: 'p', action: { type: 'redirect', url: 'https://bank.example.com' }, expiresAt: at },
]

test.each(found)('what is kept is what was said: %o', (one) => {
  const event: ProviderEvent = { dedupeKey: 'e', reference: 'r', providerReference: null, found: one }

  expect(fromStored(JSON.parse(toText(event)))).toEqual(event)
})

test('so is a refund that they made', () => {
  const refund = { reference: 'theirs', providerReference: 're_1', money }
  const event = { dedupeKey: 'e', reference: 'r', providerReference: null, found: null, refund }

  expect(fromStored(JSON.parse(toText(event)))).toEqual(event)
})

test('it is tried again after 1, 5 and 30 seconds, 5 minutes and an hour, and then no more', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(waitAfter)).toEqual([1, 5, 30, 300, 3_600, null, null])
})
