import type { Operation, Refund } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { displayedRefundStatus, refundSentence, refundTimeline } from './state.ts'

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

test('a refund is described in each of its states, with its amount', () => {
  const sentenceFor = (change: Partial<Refund>) => refundSentence({ ...refund, ...change })
  expect(sentenceFor({})).toBe('Refund of €40.00 requested. The provider has not confirmed it yet.')
  expect(sentenceFor({ status: 'succeeded' })).toBe('€40.00 refunded.')
  expect(sentenceFor({ status: 'succeeded', source: 'provider' })).toContain('refunded at the provider')
  const failure = {
    code: 'provider_error',
    class: 'technical',
    advice_code: 'x',
    message: '',
    network_code: null,
  }
  expect(sentenceFor({ status: 'failed', failure })).toContain('(`provider_error`)')
})

test('a refund with an unknown outcome is neither pending nor failed', () => {
  const unresolved = { ...refund, unresolved_since_at: '2026-11-14T22:51:04.000Z' }
  expect(displayedRefundStatus(unresolved)).toBe('unknown')
  expect(refundSentence(unresolved)).not.toMatch(/fail/)
  expect(displayedRefundStatus({ ...unresolved, review: 'needs_review' })).toBe('needs_review')
})

test('the timeline of a refund has only its own operations', () => {
  const operation = {
    kind: 'refund',
    status: 'succeeded',
    provider_account_id: 'stripe',
    calls: [],
    checks: 0,
  }
  const more = { amount: 4_000, currency: 'eur', created_at: refund.created_at }
  const refundOperation = { ...operation, ...more, id: 'op_1', refund_id: refund.id } as unknown as Operation
  const operations = [refundOperation, { ...refundOperation, id: 'op_2', refund_id: 'another' }]
  const { nodes } = refundTimeline(refund, { operations, events: [] }, () => 'Stripe')
  expect(nodes.map(({ text }) => text)).toEqual(['Requested', 'Refunded €40.00'])
})
