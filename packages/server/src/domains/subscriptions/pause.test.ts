// The clock stops and goes on: what is left of a period or a trial, what is owed, and what is scheduled meanwhile.

import { expect, test } from 'vitest'
import { aSubscription, subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, typesOf, configureAll } = switchyard

/** One that is active, on its first day. */
async function anActive(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const { id } = await aSubscription(workspace, { customer_id, ...members })
  await settle()
  const path = `/subscriptions/${id}`
  const look = async () => (await workspace.get(path)).body
  const act = async (action: string, body?: object) => {
    const answer = await workspace.put(`${path}/${action}`, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }
  return { ...workspace, workspace, id, path, look, act }
}

const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000

test('what is left of the period is lived after resuming, and nothing is charged for it', async () => {
  const { look, act, workspace, id, get } = await anActive()
  const before = await look()
  clock.advance({ days: 10 })
  const paused = await act('pause')
  expect(paused).toMatchObject({ status: 'paused', access: { granted: false, reason: 'paused' } })
  const left = secondsBetween(paused.pause.paused_at, before.current_period.end_at)
  expect(paused.pause.remaining_seconds).toBe(left)

  clock.advance({ days: 55, hours: 12 })
  await settle()
  const resumed = await act('resume')
  expect(resumed).toMatchObject({ status: 'active', pause: null, anchor: { epoch: 1 } })
  expect(secondsBetween(paused.pause.paused_at, resumed.current_period.end_at)).toBe(
    left + (55 * 24 + 12) * 3600,
  )
  expect(resumed.current_period.invoice_id).toBe(before.current_period.invoice_id)
  const { body: invoices } = await get(`/invoices?subscription_id=${id}`)
  expect(invoices.data).toHaveLength(1)

  // The next period begins where this one ends, by the moved anchor.
  clock.advance({ days: 31 })
  await settle()
  expect(await look()).toMatchObject({
    current_period: { index: 0, start_at: resumed.current_period.end_at },
  })
  expect(await typesOf(workspace, id)).toEqual([
    ...['subscription.created', 'subscription.activated', 'subscription.paused'],
    ...['subscription.resumed', 'subscription.renewed'],
  ])
})

test('a pause in a trial freezes it: 14 days from the 1st, paused on the 5th, resumed on the 20th, end on the 30th', async () => {
  const { act, look, id, workspace } = await anActive({ trial: { days: 14 } })
  const { trial } = await look()
  clock.advance({ days: 4 })
  expect(await act('pause')).toMatchObject({ status: 'paused', pause: { remaining_seconds: 10 * 86_400 } })
  clock.advance({ days: 15 })
  const resumed = await act('resume')
  expect(resumed).toMatchObject({ status: 'trialing', access: { granted: true, reason: 'trial' } })
  expect(secondsBetween(trial.start_at, resumed.trial.end_at)).toBe(29 * 86_400)
  expect((await typesOf(workspace, id)).slice(-2)).toEqual(['subscription.paused', 'subscription.resumed'])
})

test('pausing again changes nothing but the day on which it goes on by itself', async () => {
  const { act, look, workspace, id } = await anActive()
  const paused = await act('pause')
  expect(await act('pause')).toEqual(paused)
  const at = new Date(Date.parse(paused.pause.paused_at) + 5 * 86_400_000).toISOString()
  expect(await act('pause', { resumes_at: at })).toMatchObject({ pause: { resumes_at: at } })
  expect((await typesOf(workspace, id)).slice(-2)).toEqual(['subscription.paused', 'subscription.updated'])
  clock.advance({ days: 5 })
  await settle()
  expect(await look()).toMatchObject({ status: 'active' })
})

test('time that is credited is worth what section 3 says, and resuming bills a whole period first', async () => {
  const { act, look, id, get, workspace } = await anActive()
  const { current_period: period } = await look()
  clock.advance({ days: 15 })
  const paused = await act('pause', { unused_time: 'credit' })
  expect(paused).toMatchObject({ current_period: null, pause: { remaining_seconds: 0 } })
  const rest = secondsBetween(paused.pause.paused_at, period.end_at)
  const value = Math.round((2999 * rest) / secondsBetween(period.nominal_start_at, period.end_at))
  await settle()
  const { body: state } = await get(`/customers/${paused.customer_id}/billing-state`)
  expect(state.credit).toEqual([{ currency: 'usd', balance: value }])

  expect(await act('resume')).toMatchObject({ status: 'paused', activation: { purpose: 'resume' } })
  await settle()
  const active = await look()
  expect(active).toMatchObject({ status: 'active', current_period: { index: 0 } })
  const { body: invoice } = await get(`/invoices/${active.current_period.invoice_id}`)
  expect(invoice).toMatchObject({
    ...{ reason: 'resume', total: 2999, credit_applied: value },
    status: 'paid',
  })
  expect((await typesOf(workspace, id)).at(-1)).toBe('subscription.resumed')
})

test('a pause at the end of the period stops it there, and no further period is billed', async () => {
  const { act, look, id, get } = await anActive()
  const scheduled = await act('pause', { at: 'period_end' })
  expect(scheduled).toMatchObject({
    status: 'active',
    scheduled_change: { action: 'pause', at: 'period_end', effective_at: scheduled.current_period.end_at },
  })
  clock.advance({ days: 40 })
  await settle()
  expect(await look()).toMatchObject({
    ...{ status: 'paused', current_period: null, scheduled_change: null },
    pause: { paused_at: scheduled.current_period.end_at, remaining_seconds: 0 },
  })
  expect((await get(`/invoices?subscription_id=${id}`)).body.data).toHaveLength(1)
})

test('resuming what runs drops a pause that was scheduled, and is no change without one', async () => {
  const { act, workspace, id } = await anActive()
  await act('pause', { at: 'period_end' })
  expect(await act('resume')).toMatchObject({ status: 'active', scheduled_change: null })
  await act('resume')
  expect((await typesOf(workspace, id)).slice(2)).toEqual(['subscription.updated', 'subscription.updated'])
})

test('a pause while the first payment is waited for voids its invoice; resuming opens another', async () => {
  const { act, look, workspace, get } = await anActive({ trial: { days: 1 } })
  await configureAll(workspace, { auth_rate: 0 })
  clock.advance({ days: 1 })
  await settle()
  const waiting = await look()
  const paused = await act('pause')
  expect(paused).toMatchObject({ status: 'paused', activation: null, pause: { remaining_seconds: 0 } })
  expect((await get(`/invoices/${waiting.activation.invoice_id}`)).body).toMatchObject({ status: 'void' })
  await configureAll(workspace, { auth_rate: 1 })
  await act('resume')
  await settle()
  expect(await look()).toMatchObject({ status: 'active' })
})

test('a cancellation at the end of the period waits for the period that is resumed; one at a time does not', async () => {
  const { act, look } = await anActive()
  const { current_period: period } = await act('cancel', { at: 'period_end' })
  expect(await act('pause')).toMatchObject({ scheduled_change: { action: 'cancel', effective_at: null } })
  clock.advance({ days: 60 })
  await settle()
  expect(await look()).toMatchObject({ status: 'paused' })
  const resumed = await act('resume')
  expect(Date.parse(resumed.scheduled_change.effective_at)).toBeGreaterThan(Date.parse(period.end_at))

  await act('pause')
  const at = new Date(Date.parse(resumed.updated_at) + 86_400_000).toISOString()
  await act('cancel', { at })
  clock.advance({ days: 2 })
  await settle()
  expect(await look()).toMatchObject({ status: 'cancelled', ended_at: at })
})

test('a command sees what was due before it: a pause after midnight sees the renewal of midnight', async () => {
  const { act, look, id, get } = await anActive()
  const { current_period: first } = await look()
  clock.advance({ days: 31, hours: 1 })
  // No worker has run. The answer does not depend on that.
  const paused = await act('pause')
  expect(paused).toMatchObject({ status: 'paused', current_period: { index: 1, start_at: first.end_at } })
  expect((await get(`/invoices?subscription_id=${id}`)).body.data).toHaveLength(2)
})
