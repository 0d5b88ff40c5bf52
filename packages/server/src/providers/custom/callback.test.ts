// Callbacks are used as far as they can be read, and otherwise only trigger a lookup.

import { expect, test } from 'vitest'
import { eventsIn } from './callback.ts'
import { authorize } from './fixtures/inputs.ts'
import { foundIn, recordOf } from './record.ts'

const record = {
  reference: authorize.reference,
  kind: 'authorize',
  status: 'succeeded',
  provider_reference: 'ch_1',
  amount: 1099,
  currency: 'eur',
} as const
const read = (callback: unknown) => eventsIn(Buffer.from(JSON.stringify(callback)))
const identification = {
  dedupeKey: 'evt_1',
  reference: authorize.reference,
  providerReference: 'ch_1',
  kind: 'authorize',
}
const updated = (operation: unknown) => read({ id: 'evt_1', type: 'operation.updated', operation })

test('an update carries the outcome', () => {
  expect(updated(record)).toEqual([
    { ...identification, found: { is: 'succeeded', ref: 'ch_1', money: { amount: 1099n, currency: 'eur' } } },
  ])
  expect(updated({ ...record, status: 'declined' })).toMatchObject([
    { ...identification, found: { is: 'declined' } },
  ])
  expect(updated({ ...record, status: 'closed' })).toMatchObject([
    { ...identification, found: { is: 'closed' } },
  ])
})

test('an unclear update only triggers a lookup', () => {
  const duplicate = { ...record, status: 'declined', decline: { code: 'x', network_code: '94' } }
  const badAmount = { ...record, amount: 10.99 }

  expect(updated(duplicate)).toEqual([{ ...identification, found: null }])
  expect(updated({ ...record, currency: 'xyz' })).toEqual([{ ...identification, found: null }])
  for (const operation of [badAmount, null, 'ok', [], { status: 'succeeded' }])
    expect(updated(operation)).toEqual([
      { dedupeKey: 'evt_1', reference: null, providerReference: null, found: null },
    ])
})

test('a refund made at the provider is reported under the operation it refunds', () => {
  const refund = {
    ...record,
    kind: 'refund',
    reference: 'provider-refund-1',
    parent_reference: authorize.reference,
  }
  const created = (operation: unknown) => read({ id: 'evt_2', type: 'refund.created', operation })

  expect(created(refund)).toEqual([
    {
      dedupeKey: 'evt_2',
      reference: authorize.reference,
      providerReference: null,
      found: null,
      refund: {
        reference: 'provider-refund-1',
        providerReference: 'ch_1',
        money: { amount: 1099n, currency: 'eur' },
      },
    },
  ])
  for (const changes of [{ status: 'pending' }, { kind: 'capture' }, { provider_reference: null }])
    expect(created({ ...refund, ...changes })).toEqual([])
})

test('a dispute is reported with its whole state under the operation that is disputed', () => {
  const dispute = {
    id: 'dp_1',
    parent_reference: authorize.reference,
    stage: 'chargeback',
    status: 'needs_response',
    amount: 1099,
    currency: 'eur',
    reason: 'fraudulent',
    network_reason_code: '10.4',
    respond_by_at: '2026-11-28T12:00:00Z',
    withdrawn: true,
    fee: { amount: 1500, currency: 'eur' },
    updated_at: '2026-11-14T12:00:00Z',
  }
  const reported = (members: object) =>
    read({ id: 'evt_3', type: 'dispute.updated', dispute: { ...dispute, ...members } })
  const report = {
    providerReference: 'dp_1',
    stage: 'chargeback',
    status: 'needs_response',
    money: { amount: 1099n, currency: 'eur' },
    reason: 'fraudulent',
    networkReasonCode: '10.4',
    respondByAt: new Date('2026-11-28T12:00:00Z'),
    isWithdrawn: true,
    fee: { amount: 1500n, currency: 'eur' },
    reportedAt: new Date('2026-11-14T12:00:00Z'),
  }
  const event = {
    dedupeKey: 'evt_3',
    reference: authorize.reference,
    providerReference: null,
    found: null,
    dispute: report,
  }

  expect(reported({})).toEqual([event])
  const unknown = { networkReasonCode: null, respondByAt: null, fee: null }
  for (const members of [
    { network_reason_code: null, respond_by_at: null, fee: null },
    { network_reason_code: undefined, respond_by_at: undefined, fee: undefined },
  ])
    expect(reported(members)).toEqual([{ ...event, dispute: { ...report, ...unknown } }])
  for (const members of [
    { amount: 0 },
    { currency: 'xyz' },
    { status: 'accepted' },
    { updated_at: undefined },
    { fee: { amount: 1, currency: 'xyz' } },
  ])
    expect(() => reported(members)).toThrow('The member')
  expect(() => read({ id: 'evt_3', type: 'dispute.updated', operation: record })).toThrow('The member')
})

test('unknown types are ignored, and invalid callbacks are rejected', () => {
  expect(read({ id: 'evt_1', type: 'payout.paid', operation: record })).toEqual([])
  for (const body of [
    null,
    [],
    'x',
    {},
    { id: '', type: 'operation.updated' },
    { id: 1, type: 'operation.updated' },
  ])
    expect(() => read(body)).toThrow('The member')
  expect(() => eventsIn(Buffer.from('<html>'))).toThrow('The body is not JSON.')
})

test('plain http redirects are only allowed in test mode', () => {
  const action = { type: 'redirect', url: 'http://127.0.0.1:4010/3ds', expires_at: '2026-11-14T12:30:00Z' }
  const text = JSON.stringify({ ...record, status: 'action_required', action })
  const found = recordOf(text, authorize)

  expect(foundIn(found, 'test')).toMatchObject({ is: 'action', action: { url: action.url } })
  expect(() => foundIn(found, 'live')).toThrow('https')
})
