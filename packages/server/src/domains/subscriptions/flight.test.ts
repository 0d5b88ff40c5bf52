// Money that is under way, and money that does not come: nobody decides before it is known, and nobody pays for
// nothing.

import { expect, test, vi } from 'vitest'
import { inUnit } from '../../../test/support/invoices.ts'
import { aSubscription, subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'
import type { Id } from '../../kernel/id.ts'
import { exhaustDunning } from './service.ts'

// A provider that is silent is waited for, time and again.
vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, configureAll, letTimePass, typesOf } = switchyard

/** One whose first payment is under way, and nobody knows what becomes of it. */
async function oneInFlight() {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  const { id, latest_invoice_id } = await aSubscription(workspace, { customer_id })
  await settle()
  const path = `/subscriptions/${id}`
  const look = async () => (await workspace.get(path)).body
  const comes = async () => {
    await configureAll(workspace, { outage: false })
    await letTimePass()
  }
  return { ...workspace, workspace, id, path, look, comes, invoiceId: latest_invoice_id }
}

test('an activation does not expire while its payment is not known, and begins when it has come', async () => {
  const { look, comes } = await oneInFlight()
  const { current_period: period } = await look()
  // Longer than an activation waits, and not yet as long as a payment may take to be known.
  clock.advance({ minutes: 23 * 60 + 30 })
  await settle()
  expect(await look()).toMatchObject({ status: 'trialing', activation: { state: 'pending' } })
  await comes()
  expect(await look()).toMatchObject({ status: 'active', current_period: period })
})

test('paused while its payment is under way, it keeps the whole period if that comes', async () => {
  const { path, put, look, comes, get, invoiceId } = await oneInFlight()
  const { current_period: period } = await look()
  const whole = (Date.parse(period.end_at) - Date.parse(period.start_at)) / 1000
  expect((await put(`${path}/pause`)).body).toMatchObject({
    status: 'paused',
    activation: { state: 'pending' },
  })
  expect((await get(`/invoices/${invoiceId}`)).body).toMatchObject({ status: 'open' })
  await comes()
  expect(await look()).toMatchObject({ status: 'paused', pause: { remaining_seconds: whole } })
  const { body: resumed } = await put(`${path}/resume`)
  expect(resumed).toMatchObject({ status: 'active', current_period: { invoice_id: invoiceId } })
})

test('cancelled while its payment is under way, it gives back what comes', async () => {
  const { path, put, look, comes, get, workspace, invoiceId } = await oneInFlight()
  expect((await put(`${path}/cancel`)).body).toMatchObject({ status: 'cancelled' })
  await comes()
  expect(await look()).toMatchObject({ status: 'cancelled' })
  expect((await get('/refunds')).body.data).toMatchObject([{ amount: 2999, source: 'automatic' }])
  await letTimePass(1)
  expect(await switchyard.sumsOf(workspace, invoiceId)).toMatchObject({ captured: 2999, refunded: 2999 })
})

/** One that collecting was given up for, on the third day of its second period. */
async function oneGivenUp(finalAction: 'pause' | 'cancel' | 'mark_unpaid') {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const { id } = await aSubscription(workspace, { customer_id })
  await settle()
  await configureAll(workspace, { auth_rate: 0 })
  clock.advance({ days: 31 })
  await settle()
  await inUnit(switchyard.deps, workspace.workspaceId, (tx) =>
    exhaustDunning(tx, id as Id<'subscription'>, finalAction),
  )
  const look = async () => (await workspace.get(`/subscriptions/${id}`)).body
  return { ...workspace, workspace, id, look }
}

test('when collecting is given up it is paused, keeps the rest, and resumes when what is overdue is paid', async () => {
  const { look, workspace, put, id } = await oneGivenUp('pause')
  const paused = await look()
  expect(paused).toMatchObject({
    ...{ status: 'paused', pause: { reason: 'payment_failure' }, collection: { status: 'unpaid' } },
  })
  expect(paused.pause.remaining_seconds).toBeGreaterThan(0)

  await configureAll(workspace, { auth_rate: 1 })
  expect((await put(`/subscriptions/${id}/resume`)).body).toMatchObject({ status: 'paused' })
  await settle()
  expect(await look()).toMatchObject({
    status: 'active',
    collection: { status: 'current', overdue_amount: 0 },
  })
  expect((await typesOf(workspace, id)).slice(-2).toSorted()).toEqual([
    ...['subscription.recovered', 'subscription.resumed'],
  ])
})

test('with other policies it is cancelled, or goes on unpaid and without access', async () => {
  const { look } = await oneGivenUp('cancel')
  expect(await look()).toMatchObject({ status: 'cancelled', cancellation: { reason: 'payment_failure' } })
  const { look: lookAtOther } = await oneGivenUp('mark_unpaid')
  expect(await lookAtOther()).toMatchObject({
    ...{ status: 'active', collection: { status: 'unpaid' }, access: { granted: false, reason: 'unpaid' } },
  })
})
