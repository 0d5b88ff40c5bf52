// What a provider tells of itself is taken as far as it can be read, and else only as a hint to look.

import { expect, test } from 'vitest'
import { eventsIn } from './callback.ts'
import { authorize } from './fixtures/accounts.ts'
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
const about = {
  dedupeKey: 'evt_1',
  reference: authorize.reference,
  providerReference: 'ch_1',
  kind: 'authorize',
}
const updated = (operation: unknown) => read({ id: 'evt_1', type: 'operation.updated', operation })

test('an update carries what was found', () => {
  expect(updated(record)).toEqual([
    { ...about, found: { is: 'succeeded', ref: 'ch_1', money: { amount: 1099n, currency: 'eur' } } },
  ])
  expect(updated({ ...record, status: 'declined' })).toMatchObject([{ ...about, found: { is: 'declined' } }])
  expect(updated({ ...record, status: 'closed' })).toMatchObject([{ ...about, found: { is: 'closed' } }])
})

test('an update that is not clear only says that it is time to look', () => {
  const duplicate = { ...record, status: 'declined', decline: { code: 'x', network_code: '94' } }
  const badAmount = { ...record, amount: 10.99 }

  expect(updated(duplicate)).toEqual([{ ...about, found: null }])
  expect(updated({ ...record, currency: 'xyz' })).toEqual([{ ...about, found: null }])
  for (const operation of [badAmount, null, 'ok', [], { status: 'succeeded' }])
    expect(updated(operation)).toEqual([
      { dedupeKey: 'evt_1', reference: null, providerReference: null, found: null },
    ])
})

test('a refund that they made themselves is told by the operation of ours that it gives back of', () => {
  const refund = { ...record, kind: 'refund', reference: 'theirs-1', parent_reference: authorize.reference }
  const created = (operation: unknown) => read({ id: 'evt_2', type: 'refund.created', operation })

  expect(created(refund)).toEqual([
    {
      dedupeKey: 'evt_2',
      reference: authorize.reference,
      providerReference: null,
      found: null,
      refund: { reference: 'theirs-1', providerReference: 'ch_1', money: { amount: 1099n, currency: 'eur' } },
    },
  ])
  for (const odd of [{ status: 'pending' }, { kind: 'capture' }, { provider_reference: null }])
    expect(created({ ...refund, ...odd })).toEqual([])
})

test('types to come are passed over, and what is no callback is refused', () => {
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
  expect(() => eventsIn(Buffer.from('<html>'))).toThrow('It is not JSON.')
})

test('a payer is sent to plain http in tests alone', () => {
  const action = { type: 'redirect', url: 'http://127.0.0.1:4010/3ds', expires_at: '2026-11-14T12:30:00Z' }
  const text = JSON.stringify({ ...record, status: 'action_required', action })
  const found = recordOf(text, authorize)

  expect(foundIn(found, 'test')).toMatchObject({ is: 'action', action: { url: action.url } })
  expect(() => foundIn(found, 'live')).toThrow('https')
})
