import type { Operation, Refund } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { refundSentence, refundStory, shownRefundStatus } from './state.ts'

const refund = {
  id: 'refund_test_1',
  payment_id: 'payment_test_1',
  status: 'pending',
  amount: 4_000,
  currency: 'eur',
  source: 'api',
  failure: null,
  unresolved_since_at: null,
  review: null,
  created_at: '2026-11-14T22:51:03.000Z',
} as Refund

test('each state of a refund has its sentence, with the amount in it', () => {
  const said = (change: Partial<Refund>) => refundSentence({ ...refund, ...change })
  expect(said({})).toBe('€40.00 is on its way back. The provider has not confirmed it yet.')
  expect(said({ status: 'succeeded' })).toBe('€40.00 was given back.')
  expect(said({ status: 'succeeded', source: 'provider' })).toContain('by somebody at the provider')
  const failure = {
    code: 'provider_error',
    class: 'technical',
    advice_code: 'x',
    message: '',
    network_code: null,
  }
  expect(said({ status: 'failed', failure })).toContain('(`provider_error`)')
})

test('a refund that is not known to have worked is neither pending nor failed', () => {
  const silent = { ...refund, unresolved_since_at: '2026-11-14T22:51:04.000Z' }
  expect(shownRefundStatus(silent)).toBe('unknown')
  expect(refundSentence(silent)).not.toMatch(/fail/)
  expect(shownRefundStatus({ ...silent, review: 'needs_review' })).toBe('needs_review')
})

test('the story of a refund has its own operations and no others', () => {
  const operation = {
    kind: 'refund',
    status: 'succeeded',
    provider_account_id: 'stripe',
    calls: [],
    checks: 0,
  }
  const more = { amount: 4_000, currency: 'eur', created_at: refund.created_at }
  const own = { ...operation, ...more, id: 'op_1', refund_id: refund.id } as unknown as Operation
  const operations = [own, { ...own, id: 'op_2', refund_id: 'another' }]
  const { nodes } = refundStory(refund, { operations, events: [] }, () => 'Stripe')
  expect(nodes.map(({ text }) => text)).toEqual(['Asked for', 'Refunded €40.00'])
})
