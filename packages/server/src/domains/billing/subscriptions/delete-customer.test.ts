// A customer can be deleted only if they have no open invoices and all their subscriptions are cancelled.
// Otherwise the request is refused with a list of both. With `subscriptions=cancel`, it cancels the subscriptions
// and voids the invoices.

import { expect, test, vi } from 'vitest'
import { aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer, configureAll, advanceTime, fetchInvoice, fetchTotals } = switchyard

/**
 * An active subscription; with `isOverdue`, the charge of the second period was declined, so dunning runs.
 */
async function aSubscriber({ isOverdue = false } = {}) {
  const workspace = await switchyard.newWorkspace()
  const { customerId } = await aPayer(workspace)
  const { id } = await aSubscription(workspace, { customer_id: customerId })
  await settle()
  if (isOverdue) {
    await configureAll(workspace, { auth_rate: 0 })
    clock.advance({ days: 31 })
    await settle()
  }
  const readSubscription = async () => (await workspace.get(`/subscriptions/${id}`)).body
  const path = `/customers/${customerId}`
  return { ...workspace, workspace, id, path, readSubscription, remove: workspace.delete }
}

test('a customer with a subscription or an open invoice is not deleted, and the error names them', async () => {
  const { get, path, remove, id, readSubscription } = await aSubscriber({ isOverdue: true })
  const { latest_invoice_id: invoiceId } = await readSubscription()
  const { status, body } = await remove(path)
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'object_in_use' })
  expect(body.detail).toContain(id)
  expect(body.detail).toContain(invoiceId)
  expect((await get(path)).status).toBe(200)
  expect(await readSubscription()).toMatchObject({ status: 'active', collection: { status: 'past_due' } })
})

test('an open invoice of a cancelled subscription blocks deletion too, and is voided with subscriptions=cancel', async () => {
  const { workspace, path, remove, put, id, readSubscription } = await aSubscriber({ isOverdue: true })
  await put(`/subscriptions/${id}/cancel`)
  const { latest_invoice_id: invoiceId } = await readSubscription()
  const { body } = await remove(path)
  expect(body.code).toBe('object_in_use')
  expect(body.detail).toContain(invoiceId)
  expect(body.detail).not.toContain(id)
  expect((await remove(`${path}?subscriptions=cancel`)).status).toBe(200)
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'void' })
})

test('subscriptions=cancel ends everything that bills the customer, including dunning', async () => {
  const { workspace, path, remove, id, readSubscription, get } = await aSubscriber({ isOverdue: true })
  const { latest_invoice_id: invoiceId } = await readSubscription()
  expect((await remove(`${path}?subscriptions=cancel`)).status).toBe(200)
  await settle()
  expect(await readSubscription()).toMatchObject({ status: 'cancelled', collection: { open_invoices: 0 } })
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'void' })
  const { body: campaigns } = await get(`/dunning-campaigns?subscription_id=${id}`)
  expect(campaigns.data).toMatchObject([{ status: 'stopped' }])
  expect((await get(path)).status).toBe(404)
  expect((await remove(path)).status).toBe(200)
})

test('subscriptions=cancel refunds a charge in progress', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  await configureAll(workspace, { outage: true, outage_manner: 'silence' })
  const { latest_invoice_id: invoiceId } = await aSubscription(workspace, { customer_id })
  await settle()
  expect((await workspace.delete(`/customers/${customer_id}?subscriptions=cancel`)).status).toBe(200)
  await configureAll(workspace, { outage: false })
  await advanceTime()
  expect(await fetchInvoice(workspace, invoiceId)).toMatchObject({ status: 'void' })
  const { captured, refunded } = await fetchTotals(workspace, invoiceId)
  expect(captured - refunded).toBe(0)
})

test('a customer whose subscriptions are cancelled and whose invoices are settled is deleted without subscriptions=cancel', async () => {
  const { path, remove, put, id } = await aSubscriber()
  await put(`/subscriptions/${id}/cancel`)
  expect((await remove(path)).status).toBe(200)
})
