// Adyen webhooks: signatures, and the events that each item is parsed into.

import { expect, test } from 'vitest'
import type { ConnectorConfig, IncomingCall } from '../contract.ts'
import {
  authorize,
  capture,
  config,
  hmacKeys,
  now,
  pspReference,
  refund,
  voiding,
} from './fixtures/inputs.ts'
import { authorisation, type Item, modification, notification, signed } from './fixtures/notifications.ts'
import { webhookEvents, webhooks } from './webhooks.ts'

const verify = (call: IncomingCall, settings: ConnectorConfig = config) =>
  webhooks.verify(call, { config: settings, now, certificate: null })
const eventsOf = (...items: Item[]) => webhooks.parse(notification(items.map((item) => signed(item))).body)

const modificationPsp = 'WNS7WQ756L2GWR82'

// The key, the item and the signature are a test vector of the official library (hmacValidator.spec).
test('the signature equals the one computed by the official library', () => {
  const item = {
    pspReference: 'pspReference',
    originalReference: 'originalReference',
    merchantAccountCode: 'merchantAccount',
    merchantReference: 'reference',
    amount: { currency: 'EUR', value: 1000 },
    eventCode: 'REPORT_AVAILABLE',
    success: 'true',
    additionalData: { hmacSignature: 'ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE=' },
  }
  const key = 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00'
  const settings = { ...config, webhook_secrets: { hmac_key: [key] } }

  expect(verify(notification([{ NotificationRequestItem: item }]), settings)).toBe('valid')
  const changed = { ...item, amount: { currency: 'EUR', value: 1001 } }
  expect(verify(notification([{ NotificationRequestItem: changed }]), settings)).toBe('invalid')
})

test('one item with a wrong signature makes the batch invalid', () => {
  const other = modification('CAPTURE', `${capture.reference}-capture`)

  expect(verify(notification([signed(authorisation), signed(other)]))).toBe('valid')
  expect(verify(notification([signed(authorisation), signed(other, hmacKeys.older)]))).toBe('invalid')
  expect(verify(notification([signed(other, hmacKeys.older), signed(authorisation)]))).toBe('invalid')
})

test('a call without items, without a signature or without keys is invalid', () => {
  const unsigned = { NotificationRequestItem: { ...authorisation, additionalData: {} } }
  const empty = { NotificationRequestItem: { ...authorisation, additionalData: { hmacSignature: '' } } }
  const withoutKeys = { ...config, webhook_secrets: {} }
  const withInvalidKey = { ...config, webhook_secrets: { hmac_key: ['not hexadecimal'] } }

  expect(verify(notification([]))).toBe('invalid')
  expect(verify(notification([unsigned]))).toBe('invalid')
  expect(verify(notification([empty]))).toBe('invalid')
  expect(verify(notification([signed(authorisation)]), withoutKeys)).toBe('invalid')
  expect(verify(notification([signed(authorisation, '')]), withInvalidKey)).toBe('invalid')
  expect(verify({ ...notification([]), body: Buffer.from('live=false') })).toBe('invalid')
})

test.each([
  { merchantReference: 'another-1' },
  { amount: { value: 1, currency: 'EUR' } },
  { amount: { value: 1099, currency: 'USD' } },
  { success: 'false' },
  { eventCode: 'CAPTURE' },
  { pspReference: 'AAAA' },
  { originalReference: 'AAAA' },
  { merchantAccountCode: 'Another' },
])('a changed member is detected: %o', (changes) => {
  const { NotificationRequestItem: item } = signed(authorisation) as { NotificationRequestItem: Item }

  expect(verify(notification([{ NotificationRequestItem: { ...item, ...changes } }]))).toBe('invalid')
})

test('basic authentication is required once it is configured', () => {
  const settings: ConnectorConfig = {
    ...config,
    settings: { ...config.settings, webhook_username: 'switchyard' },
    webhook_secrets: { ...config.webhook_secrets, webhook_password: ['new', 'old'] },
  }
  const call = (credentials: string) =>
    notification([signed(authorisation)], {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
    })

  expect(verify(call('switchyard:new'), settings)).toBe('valid')
  expect(verify(call('switchyard:old'), settings)).toBe('valid')
  expect(verify(call('switchyard:other'), settings)).toBe('invalid')
  expect(verify(call('other:new'), settings)).toBe('invalid')
  expect(verify(notification([signed(authorisation)]), settings)).toBe('invalid')
})

test('a refused payment is declined for the reported reason', () => {
  const [event] = eventsOf({ ...authorisation, success: 'false', reason: 'Not enough balance' })

  expect(event).toEqual({
    dedupeKey: `AUTHORISATION:${pspReference}:false`,
    reference: authorize.reference,
    providerReference: pspReference,
    kind: 'authorize',
    found: {
      is: 'declined',
      ref: pspReference,
      decline: { code: 'insufficient_funds', message: 'Not enough balance' },
    },
  })
})

test('the raw codes of the network make the reason for a refusal more specific', () => {
  const foundWith = (additionalData: object) => {
    const { NotificationRequestItem: item } = signed({
      ...authorisation,
      success: 'false',
      reason: 'Refused',
    }) as { NotificationRequestItem: { additionalData: object } }
    const changed = { ...item, additionalData: { ...item.additionalData, ...additionalData } }
    return webhooks.parse(notification([{ NotificationRequestItem: changed }]).body)[0]?.found
  }
  const declined = (decline: object) => ({ is: 'declined', ref: pspReference, decline })

  expect(foundWith({ refusalReasonRaw: '05 : Do not honor' })).toEqual(
    declined({ code: 'do_not_honor', networkCode: '05', message: 'Refused' }),
  )
  expect(foundWith({ refusalReasonRaw: '05 : Do not honor', merchantAdviceCode: '03 : Stop' })).toEqual(
    declined({ code: 'issuer_never_approves', networkCode: '05', adviceCode: '03', message: 'Refused' }),
  )
  expect(foundWith({ refusalReasonRaw: 5 })).toEqual(
    declined({ code: 'generic_decline', message: 'Refused' }),
  )
  // The refused request may be a duplicate of an earlier one, which may have succeeded.
  expect(foundWith({ refusalReasonRaw: '94 : Duplicate transmission' })).toBeNull()
})

test('`success` may be a boolean', () => {
  const item = { ...authorisation, success: true }

  expect(verify(notification([signed(item)]))).toBe('valid')
  expect(eventsOf(item)[0]?.found?.is).toBe('succeeded')
  expect(eventsOf({ ...item, success: false })[0]?.found?.is).toBe('declined')
})

test('an authorization with amount 0 is a verification', () => {
  const [event] = eventsOf({ ...authorisation, amount: { value: 0, currency: 'EUR' } })

  expect(event).toMatchObject({ kind: 'verify', found: { is: 'succeeded', money: { amount: 0n } } })
})

// biome-ignore format: a table.
test.each([
  ['CAPTURE',          'true',  capture, 'succeeded'],
  ['CAPTURE',          'false', capture, 'declined'],
  ['CANCELLATION',     'true',  voiding, 'succeeded'],
  ['CANCELLATION',     'false', voiding, 'declined'],
  ['TECHNICAL_CANCEL', 'true',  voiding, 'succeeded'],
  ['REFUND',           'true',  refund,  'succeeded'],
  ['REFUND',           'false', refund,  'declined'],
] as const)('%s with success=%s ends the operation', (eventCode, success, { reference, kind }, is) => {
  const item = modification(eventCode, `${reference}-${kind}`, { success, reason: 'Insufficient balance' })

  expect(webhookEvents).toContain(eventCode)
  expect(eventsOf(item)).toMatchObject([
    { reference, kind, providerReference: modificationPsp, found: { is, ref: modificationPsp } },
  ])
})

// biome-ignore format: a table.
test.each([
  ['CAPTURE_FAILED',    'true',  capture],
  ['CAPTURE_FAILED',    'false', capture],
  ['REFUND_FAILED',     'true',  refund],
  ['REFUND_FAILED',     'false', refund],
  ['REFUNDED_REVERSED', 'true',  refund],
] as const)('%s with success=%s leaves the operation open, because Adyen may try again', (eventCode, success, { reference, kind }) => {
  const item = modification(eventCode, `${reference}-${kind}`, { success, reason: 'Technical issue' })
  const [event] = eventsOf(item)

  expect(webhookEvents).toContain(eventCode)
  expect(event).toMatchObject({ reference, kind, providerReference: modificationPsp, found: null })
  expect(event?.failure?.is).toBe(success === 'true' ? 'declined' : undefined)
})

test('a modification with the reference of the payment is found by its PSP reference', () => {
  const [event] = eventsOf(modification('TECHNICAL_CANCEL', authorize.reference))

  expect(event).toMatchObject({ reference: null, providerReference: modificationPsp, kind: 'void' })
})

test('a refund in the Customer Area is reported for its payment', () => {
  expect(eventsOf(modification('REFUND', authorize.reference))).toEqual([
    {
      dedupeKey: `REFUND:${modificationPsp}:true`,
      reference: null,
      providerReference: pspReference,
      found: null,
      refund: {
        reference: modificationPsp,
        providerReference: modificationPsp,
        money: { amount: 1099n, currency: 'eur' },
      },
    },
  ])
  expect(eventsOf(modification('REFUND', authorize.reference, { success: 'false' }))).toEqual([])
})

const disputed = (eventCode: string, changes: Partial<Item> = {}, data: object = {}) => {
  const item = modification(eventCode, authorize.reference, { pspReference: 'QFQTPCQ8HXSKGK82', ...changes })
  const { NotificationRequestItem: whole } = signed(item) as {
    NotificationRequestItem: Item & { additionalData: object }
  }
  const additionalData = { ...whole.additionalData, ...data }
  return webhooks.parse(notification([{ NotificationRequestItem: { ...whole, additionalData } }]).body)
}

test('a chargeback is reported with its deadline, its reason and the disputed payment', () => {
  const data = { chargebackReasonCode: ' 13.1', defensePeriodEndsAt: '2026-12-05T03:03:07+02:00' }
  const event = {
    dedupeKey: 'CHARGEBACK:QFQTPCQ8HXSKGK82:true',
    reference: null,
    providerReference: pspReference,
    found: null,
    dispute: {
      providerReference: 'QFQTPCQ8HXSKGK82',
      stage: 'chargeback',
      status: 'needs_response',
      money: { amount: 1099n, currency: 'eur' },
      reason: 'not_received',
      networkReasonCode: '13.1',
      respondByAt: new Date('2026-12-05T01:03:07Z'),
      isWithdrawn: true,
      fee: null,
      reportedAt: new Date('2026-11-14T11:59:58Z'),
    },
  }

  expect(disputed('CHARGEBACK', {}, data)).toEqual([event])
  expect(disputed('CHARGEBACK', { originalReference: '' }, data)).toEqual([
    { ...event, reference: authorize.reference, providerReference: null },
  ])
  const unexplained = { reason: 'other', networkReasonCode: null, respondByAt: null }
  expect(disputed('CHARGEBACK')).toEqual([{ ...event, dispute: { ...event.dispute, ...unexplained } }])
})

// biome-ignore format: a table.
test.each([
  ['REQUEST_FOR_INFORMATION',           {},                            'inquiry',         'needs_response', false],
  ['NOTIFICATION_OF_CHARGEBACK',        {},                            'chargeback',      'needs_response', false],
  ['CHARGEBACK',                        { disputeStatus: 'Pending' },  'chargeback',      'under_review',   true],
  ['CHARGEBACK_REVERSED',               { disputeStatus: 'Pending' },  'chargeback',      'under_review',   false],
  ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', { disputeStatus: 'Won' },      'chargeback',      'won',            false],
  ['DISPUTE_DEFENSE_PERIOD_ENDED',      { disputeStatus: 'Lost' },     'chargeback',      'lost',           true],
  ['SECOND_CHARGEBACK',                 {},                            'pre_arbitration', 'lost',           true],
  ['PREARBITRATION_OPEN',               {},                            'pre_arbitration', 'needs_response', null],
  ['PREARBITRATION_ACCEPTED',           { disputeStatus: 'Accepted' }, 'pre_arbitration', 'lost',           true],
  ['PREARBITRATION_DECLINED',           { disputeStatus: 'Pending' },  'pre_arbitration', 'under_review',   null],
  ['PREARBITRATION_ISSUER_WITHDRAWN',   {},                            'pre_arbitration', 'won',            false],
  ['PREARBITRATION_WON',                {},                            'pre_arbitration', 'won',            false],
  ['PREARBITRATION_LOST',               {},                            'pre_arbitration', 'lost',           true],
  ['SCHEME_ARBITRATION',                {},                            'arbitration',     'under_review',   null],
  ['SCHEME_ARBITRATION_WON',            {},                            'arbitration',     'won',            false],
  ['SCHEME_ARBITRATION_LOST',           {},                            'arbitration',     'lost',           true],
])('%s with %o is a dispute in the stage %s that is %s', (eventCode, data, stage, status, isWithdrawn) => {
  expect(disputed(eventCode, {}, data)).toMatchObject([{ dispute: { stage, status, isWithdrawn } }])
})

test('an event that does not say how the dispute ended is ignored, and an unreadable dispute is rejected', () => {
  expect(disputed('DISPUTE_DEFENSE_PERIOD_ENDED')).toEqual([])
  expect(disputed('DISPUTE_DEFENSE_PERIOD_ENDED', {}, { disputeStatus: 'Expired' })).toEqual([])
  expect(disputed('CHARGEBACK', { success: 'false' })).toEqual([])
  for (const amount of [
    { value: 0, currency: 'EUR' },
    { value: 1099, currency: 'XYZ' },
  ])
    expect(() => disputed('CHARGEBACK', { amount })).toThrow('without a valid amount')
})

test('other events are ignored', () => {
  const reference = `${capture.reference}-capture`

  expect(eventsOf(modification('REPORT_AVAILABLE', ''))).toEqual([])
  expect(eventsOf(modification('CANCEL_OR_REFUND', authorize.reference))).toEqual([])
  expect(eventsOf(modification('REFUND', reference))).toEqual([])
})

test('an item whose signed members are ambiguous is ignored', () => {
  const item = { ...authorisation, merchantReference: `1:2:${authorize.reference}` }

  expect(verify(notification([signed(item)]))).toBe('valid')
  expect(eventsOf(item)).toEqual([])
})

test('an item with an invalid amount does not determine the outcome', () => {
  const amounts = [
    { value: 1099, currency: 'XYZ' },
    { value: 150, currency: 'CLP' },
    { value: -1, currency: 'EUR' },
  ]

  expect(amounts.map((amount) => eventsOf({ ...authorisation, amount })[0]?.found)).toEqual([
    null,
    null,
    null,
  ])
  const [pesos] = eventsOf({ ...authorisation, amount: { value: 15_000, currency: 'CLP' } })
  expect(pesos?.found).toMatchObject({ money: { amount: 150n, currency: 'clp' } })
})

test('a webhook that is not a notification is not parsed', () => {
  expect(() => webhooks.parse(Buffer.from('{}'))).toThrow('notificationItems')
})
