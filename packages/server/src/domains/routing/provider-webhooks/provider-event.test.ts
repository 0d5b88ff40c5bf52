import { expect, test } from 'vitest'
import type { DisputeReport, Found, ProviderEvent } from '../../../providers/contract.ts'
import { parseStoredEvent, retryDelaySeconds, serializeEvent, withoutToken } from './provider-event.ts'

const expiresAt = new Date('2026-11-21T12:00:00.000Z')
const money = { amount: 900_719_925_474_099_312n, currency: 'eur' } as const
const foundValues: readonly (Found | null)[] = [
  null,
  { is: 'closed' },
  { is: 'pending', ref: 'p' },
  { is: 'declined', decline: { code: 'do_not_honor' } },
  { is: 'succeeded', ref: 'p', money },
  { is: 'succeeded', ref: 'p', money, extra: { networkTransactionId: 'n' } },
  { is: 'succeeded', ref: 'p', money, extra: { captureBeforeAt: expiresAt } },
  { is: 'action', ref: 'p', action: { type: 'redirect', url: 'https://bank.example.com' }, expiresAt },
]

test.each(foundValues)('a stored event is read back unchanged: %o', (storedFound) => {
  const event: ProviderEvent = { dedupeKey: 'e', reference: 'r', providerReference: null, found: storedFound }

  const stored = { event, sealedToken: null }
  expect(parseStoredEvent(JSON.parse(serializeEvent(stored)))).toEqual(stored)
})

test('a stored refund is read back unchanged', () => {
  const refund = { reference: 'theirs', providerReference: 're_1', money }
  const event = { dedupeKey: 'e', reference: 'r', providerReference: null, found: null, refund }

  const stored = { event, sealedToken: null }
  expect(parseStoredEvent(JSON.parse(serializeEvent(stored)))).toEqual(stored)
})

test('a stored return of a debit is read back unchanged', () => {
  const returned = { providerReference: 'ret_1', money, reasonCode: 'MD06' }
  const event = { dedupeKey: 'e', reference: 'r', providerReference: null, found: null, returned }

  const stored = { event, sealedToken: null }
  expect(parseStoredEvent(JSON.parse(serializeEvent(stored)))).toEqual(stored)
})

test.each([null, { amount: 1500n, currency: 'usd' } as const])(
  'a stored dispute is read back unchanged',
  (fee) => {
    const dispute: DisputeReport = {
      providerReference: 'dp_1',
      stage: 'chargeback',
      status: 'needs_response',
      money,
      reason: 'fraudulent',
      networkReasonCode: '10.4',
      respondByAt: fee === null ? null : expiresAt,
      isWithdrawn: true,
      fee,
      reportedAt: new Date('2026-11-14T12:00:00.000Z'),
    }
    const event = { dedupeKey: 'e', reference: 'r', providerReference: null, found: null, dispute }
    const stored = { event, sealedToken: null }

    expect(parseStoredEvent(JSON.parse(serializeEvent(stored)))).toEqual(stored)
  },
)

test('the provider token is separated from the event, and its encrypted form is read back unchanged', () => {
  const found = {
    is: 'succeeded',
    ref: 'p',
    money,
    extra: { networkTransactionId: 'n', token: 'tok_1' },
  } as const
  const received = { dedupeKey: 'e', reference: 'r', providerReference: null, found }

  const { event, token } = withoutToken(received)
  expect(token).toBe('tok_1')
  expect(event.found).toEqual({ ...found, extra: { networkTransactionId: 'n' } })
  const stored = { event, sealedToken: Buffer.from('sealed') }
  expect(parseStoredEvent(JSON.parse(serializeEvent(stored)))).toEqual(stored)
})

test('processing is retried after 1, 5 and 30 seconds, 5 minutes and 1 hour, and then not again', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map(retryDelaySeconds)).toEqual([1, 5, 30, 300, 3_600, null, null])
})
