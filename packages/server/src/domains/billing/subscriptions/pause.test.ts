// Pausing and resuming: the rest of a period or a trial, overdue invoices, and scheduled changes.

import { expect, test } from 'vitest'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, eventTypesOf, configureAll } = switchyard

/** An active subscription on its first day. */
async function anActiveSubscription(members: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const { id } = await aSubscription(workspace, { customer_id, ...members })
  await settle()
  const path = `/subscriptions/${id}`
  const readSubscription = async () => (await workspace.get(path)).body
  const runAction = async (action: string, body?: object) => {
    const response = await workspace.put(`${path}/${action}`, body)
    expect(response.status, JSON.stringify(response.body)).toBe(200)
    return response.body
  }
  return { ...workspace, workspace, id, path, readSubscription, runAction }
}

const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000

test('the rest of the period is used after resuming, without a charge', async () => {
  const { readSubscription, runAction, workspace, id, get } = await anActiveSubscription()
  const before = await readSubscription()
  clock.advance({ days: 10 })
  const paused = await runAction('pause')
  expect(paused).toMatchObject({ status: 'paused', access: { granted: false, reason: 'paused' } })
  const left = secondsBetween(paused.pause.paused_at, before.current_period.end_at)
  expect(paused.pause.remaining_seconds).toBe(left)

  clock.advance({ days: 55, hours: 12 })
  await settle()
  const resumed = await runAction('resume')
  expect(resumed).toMatchObject({ status: 'active', pause: null, anchor: { epoch: 1 } })
  expect(secondsBetween(paused.pause.paused_at, resumed.current_period.end_at)).toBe(
    left + (55 * 24 + 12) * 3600,
  )
  expect(resumed.current_period.invoice_id).toBe(before.current_period.invoice_id)
  const { body: invoices } = await get(`/invoices?subscription_id=${id}`)
  expect(invoices.data).toHaveLength(1)

  // The next period starts where this one ends, because the anchor was moved.
  clock.advance({ days: 31 })
  await settle()
  expect(await readSubscription()).toMatchObject({
    current_period: { index: 0, start_at: resumed.current_period.end_at },
  })
  expect(await eventTypesOf(workspace, id)).toEqual([
    'subscription.created',
    'subscription.activated',
    'subscription.paused',
    'subscription.resumed',
    'subscription.renewed',
  ])
})

test('a pause extends a trial: 14 days from the 1st, paused on the 5th and resumed on the 20th, end on the 30th', async () => {
  const { runAction, readSubscription, id, workspace } = await anActiveSubscription({ trial: { days: 14 } })
  const { trial } = await readSubscription()
  clock.advance({ days: 4 })
  expect(await runAction('pause')).toMatchObject({
    status: 'paused',
    pause: { remaining_seconds: 10 * 86_400 },
  })
  clock.advance({ days: 15 })
  const resumed = await runAction('resume')
  expect(resumed).toMatchObject({ status: 'trialing', access: { granted: true, reason: 'trial' } })
  expect(secondsBetween(trial.start_at, resumed.trial.end_at)).toBe(29 * 86_400)
  expect((await eventTypesOf(workspace, id)).slice(-2)).toEqual([
    'subscription.paused',
    'subscription.resumed',
  ])
})

test('pausing again only changes the resume date', async () => {
  const { runAction, readSubscription, workspace, id } = await anActiveSubscription()
  const paused = await runAction('pause')
  expect(await runAction('pause')).toEqual(paused)
  const at = new Date(Date.parse(paused.pause.paused_at) + 5 * 86_400_000).toISOString()
  expect(await runAction('pause', { resumes_at: at })).toMatchObject({ pause: { resumes_at: at } })
  expect((await eventTypesOf(workspace, id)).slice(-2)).toEqual([
    'subscription.paused',
    'subscription.updated',
  ])
  clock.advance({ days: 5 })
  await settle()
  expect(await readSubscription()).toMatchObject({ status: 'active' })
})

test('unused time is credited at its prorated value, and resuming bills a full period first', async () => {
  const { runAction, readSubscription, id, get, workspace } = await anActiveSubscription()
  const { current_period: period } = await readSubscription()
  clock.advance({ days: 15 })
  const paused = await runAction('pause', { unused_time: 'credit' })
  expect(paused).toMatchObject({ current_period: null, pause: { remaining_seconds: 0 } })
  const rest = secondsBetween(paused.pause.paused_at, period.end_at)
  const value = Math.round((2999 * rest) / secondsBetween(period.nominal_start_at, period.end_at))
  await settle()
  const { body: state } = await get(`/customers/${paused.customer_id}/billing-state`)
  expect(state.credit).toEqual([{ currency: 'usd', balance: value }])

  expect(await runAction('resume')).toMatchObject({ status: 'paused', activation: { purpose: 'resume' } })
  await settle()
  const active = await readSubscription()
  expect(active).toMatchObject({ status: 'active', current_period: { index: 0 } })
  const { body: invoice } = await get(`/invoices/${active.current_period.invoice_id}`)
  expect(invoice).toMatchObject({
    reason: 'resume',
    total: 2999,
    credit_applied: value,
    status: 'paid',
  })
  expect((await eventTypesOf(workspace, id)).at(-1)).toBe('subscription.resumed')
})

test('a pause at period end stops the subscription there, and bills no further period', async () => {
  const { runAction, readSubscription, id, get } = await anActiveSubscription()
  const scheduled = await runAction('pause', { at: 'period_end' })
  expect(scheduled).toMatchObject({
    status: 'active',
    scheduled_change: { action: 'pause', at: 'period_end', effective_at: scheduled.current_period.end_at },
  })
  clock.advance({ days: 40 })
  await settle()
  expect(await readSubscription()).toMatchObject({
    status: 'paused',
    current_period: null,
    scheduled_change: null,
    pause: { paused_at: scheduled.current_period.end_at, remaining_seconds: 0 },
  })
  expect((await get(`/invoices?subscription_id=${id}`)).body.data).toHaveLength(1)
})

test('resuming a running subscription removes a scheduled pause, and changes nothing without one', async () => {
  const { runAction, workspace, id } = await anActiveSubscription()
  await runAction('pause', { at: 'period_end' })
  expect(await runAction('resume')).toMatchObject({ status: 'active', scheduled_change: null })
  await runAction('resume')
  expect((await eventTypesOf(workspace, id)).slice(2)).toEqual([
    'subscription.updated',
    'subscription.updated',
  ])
})

test('pausing before the first payment has succeeded voids its invoice, and resuming creates another', async () => {
  const { runAction, readSubscription, workspace, get } = await anActiveSubscription({ trial: { days: 1 } })
  await configureAll(workspace, { auth_rate: 0 })
  clock.advance({ days: 1 })
  await settle()
  const waiting = await readSubscription()
  const paused = await runAction('pause')
  expect(paused).toMatchObject({ status: 'paused', activation: null, pause: { remaining_seconds: 0 } })
  expect((await get(`/invoices/${waiting.activation.invoice_id}`)).body).toMatchObject({ status: 'void' })
  await configureAll(workspace, { auth_rate: 1 })
  await runAction('resume')
  await settle()
  expect(await readSubscription()).toMatchObject({ status: 'active' })
})

test('a pause postpones a cancellation at period end, but not a cancellation at a fixed time', async () => {
  const { runAction, readSubscription } = await anActiveSubscription()
  const { current_period: period } = await runAction('cancel', { at: 'period_end' })
  expect(await runAction('pause')).toMatchObject({
    scheduled_change: { action: 'cancel', effective_at: null },
  })
  clock.advance({ days: 60 })
  await settle()
  expect(await readSubscription()).toMatchObject({ status: 'paused' })
  const resumed = await runAction('resume')
  expect(Date.parse(resumed.scheduled_change.effective_at)).toBeGreaterThan(Date.parse(period.end_at))

  await runAction('pause')
  const at = new Date(Date.parse(resumed.updated_at) + 86_400_000).toISOString()
  await runAction('cancel', { at })
  clock.advance({ days: 2 })
  await settle()
  expect(await readSubscription()).toMatchObject({ status: 'cancelled', ended_at: at })
})

test('a command first applies due actions: a pause after the period end includes the renewal', async () => {
  const { runAction, readSubscription, id, get } = await anActiveSubscription()
  const { current_period: first } = await readSubscription()
  clock.advance({ days: 31, hours: 1 })
  // No worker has run. The result does not depend on that.
  const paused = await runAction('pause')
  expect(paused).toMatchObject({ status: 'paused', current_period: { index: 1, start_at: first.end_at } })
  expect((await get(`/invoices?subscription_id=${id}`)).body.data).toHaveLength(2)
})

test.each([
  ['resume', { open_invoices: 'void' }],
  ['cancel', { open_invoices: 'void', unused_time: 'forfeit' }],
])('voiding open invoices with %s keeps the credit for unused time', async (action, body) => {
  const { runAction, get, id } = await anActiveSubscription()
  clock.advance({ days: 10 })
  await runAction('pause', { unused_time: 'credit' })
  await runAction(action, body)
  await settle()

  const { body: invoices } = await get(`/invoices?subscription_id=${id}`)
  const credits = invoices.data.filter(({ total }: { total: number }) => total < 0)
  expect(credits).toMatchObject([{ status: 'paid', credit_granted: -credits[0].total }])
})
