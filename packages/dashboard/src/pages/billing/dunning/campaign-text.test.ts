import type { DunningCampaign } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { campaignSentence, lastReason, outcomeOf, stagesOf, stageText } from './campaign-text.ts'

const step = (attempted_at: string | null, code: string | null, due_at = '2027-04-09T12:00:00Z') => ({
  attempted_at,
  code,
  due_at,
})
const campaign = (members: object) =>
  ({
    status: 'running',
    waits_for: null,
    steps: [step('2027-04-02T09:00:00Z', 'insufficient_funds'), step(null, null)],
    next_attempt_at: null,
    test_clock_id: null,
    ends_at: '2027-04-28T12:00:00Z',
    ended_at: null,
    policy: { retry_days: [1, 3, 6], final: { subscription: 'pause', invoice: 'leave_open' } },
    ...members,
  }) as unknown as DunningCampaign

test('the stage of a campaign is its next retry or the reason why it waits', () => {
  expect(stageText(campaign({}))).toBe('Retry 2 of 3')
  expect(stageText(campaign({ waits_for: 'new_card' }))).toBe('Waiting for a new card')
  expect(stageText(campaign({ status: 'exhausted' }))).toBe('Retries exhausted')
})

test('running campaigns are counted by stage, waiting campaigns last', () => {
  const stages = stagesOf([
    campaign({ waits_for: 'customer' }),
    campaign({}),
    campaign({ steps: [] }),
    campaign({ status: 'recovered' }),
    campaign({}),
  ])
  expect(stages).toEqual([
    { name: 'Retry 1', count: 1 },
    { name: 'Retry 2', count: 2 },
    { name: 'Waiting for customer', count: 1 },
  ])
})

test('a campaign is described by its final action, or by how it ended', () => {
  expect(campaignSentence(campaign({ waits_for: 'customer' }))).toBe(
    'The customer must act before the invoice is retried. If every retry fails by 28 Apr 2027, the subscription is paused, and the invoice stays open.',
  )
  expect(campaignSentence(campaign({ status: 'recovered', ended_at: '2027-04-09T12:00:00Z' }))).toBe(
    'The invoice was paid on 9 Apr 2027 after 2 retries.',
  )
  expect(lastReason(campaign({}))).toBe('insufficient_funds')
})

test('an overdue retry is due now, not in the past, except on a test clock', () => {
  const next = { next_attempt_at: '2027-04-09T12:00:00Z' }
  const sentenceAt = (at: string, members: object = next) =>
    campaignSentence(campaign(members), Date.parse(at))
  expect(sentenceAt('2027-04-09T11:59:59Z')).toMatch(/^The next attempt is on 9 Apr 2027/)
  expect(sentenceAt('2027-04-09T12:00:00Z')).toMatch(/^The next attempt is due now\. If every retry fails/)
  expect(sentenceAt('2027-04-10T12:00:00Z', { ...next, test_clock_id: 'test_clock_test_1' })).toMatch(
    /^The next attempt is on 9 Apr 2027/,
  )
})

test('the retry that ended a recovered campaign is paid, and later retries are skipped', () => {
  const steps = [
    step('2027-04-02T09:00:00Z', 'insufficient_funds', '2027-04-02T09:00:00Z'),
    step(null, null, '2027-04-04T09:00:00Z'),
    step(null, null, '2027-04-07T09:00:00Z'),
  ]
  const recovered = campaign({ status: 'recovered', ended_at: '2027-04-04T09:00:00Z', steps })
  expect(recovered.steps.map((one) => outcomeOf(recovered, one))).toEqual(['failed', 'paid', 'skipped'])
  const paidEarlier = campaign({ status: 'recovered', ended_at: '2027-04-03T09:00:00Z', steps })
  expect(paidEarlier.steps.map((one) => outcomeOf(paidEarlier, one))).toEqual([
    'failed',
    'skipped',
    'skipped',
  ])
  const running = campaign({ steps })
  expect(running.steps.map((one) => outcomeOf(running, one))).toEqual(['failed', 'scheduled', 'scheduled'])
})
