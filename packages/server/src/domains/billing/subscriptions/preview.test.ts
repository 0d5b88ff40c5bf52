// A commit with a preview token does exactly what the preview showed, or nothing.

import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { apiRuns } from '../../../../test/support/property-runs.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 600_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard

async function anActiveSubscription() {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const prices = [await aPrice(workspace), await aPrice(workspace, { unit_amount: 4999 })]
  const { id } = await aSubscription(workspace, { customer_id, items: [{ price_id: prices[0] }] })
  await settle()
  const path = `/subscriptions/${id}`
  const readInvoices = async () =>
    (await workspace.get(`/invoices?subscription_id=${id}&limit=100`)).body.data
  return { ...workspace, workspace, id, path, prices, readInvoices }
}

test('a preview writes nothing, and a request with its token does exactly what the preview showed', async () => {
  const { path, post, put, get, prices, readInvoices } = await anActiveSubscription()
  const { body: before } = await get(path)
  clock.advance({ days: 7 })
  const items = [{ id: before.items[0].id, price_id: prices[1], quantity: 2 }]
  const { status, body: preview } = await post(`${path}/preview`, { action: 'update', items })
  expect(status, JSON.stringify(preview)).toBe(200)
  expect((await get(path)).body).toEqual(before)
  expect(await readInvoices()).toHaveLength(1)

  // Time passes between preview and commit, but the bill is the one that was shown.
  clock.advance({ minutes: 10 })
  const { body: after } = await put(path, { items, preview_token: preview.preview_token })
  const [created] = await readInvoices()
  expect(created).toMatchObject({ total: preview.invoices[0].total })
  const withoutIds = (lines: { id?: string; explanation: object }[]) =>
    lines.map(({ explanation, ...line }) => ({
      ...line,
      id: null,
      object: null,
      description: null,
      explanation: { ...explanation, change_id: null },
    }))
  expect(withoutIds(created.lines)).toEqual(withoutIds(preview.invoices[0].lines))
  expect(after.items).toEqual(preview.subscription.items)
})

test('a price that was only previewed can still be deleted', async () => {
  const { path, workspace, id, post, get } = await anActiveSubscription()
  const [forCreation, forChange] = [await aPrice(workspace), await aPrice(workspace)]
  const { body: subscription } = await get(path)
  const creation = { customer_id: subscription.customer_id, items: [{ price_id: forCreation }] }
  const previews = [
    await post('/subscriptions/preview', { action: 'create', ...creation }),
    await post(`/subscriptions/${id}/preview`, { action: 'update', items: [{ price_id: forChange }] }),
  ]
  const deleted = [
    await workspace.delete(`/prices/${forCreation}`),
    await workspace.delete(`/prices/${forChange}`),
  ]
  expect([...previews, ...deleted].map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

test('a price that an item uses now or from the next period on cannot be deleted', async () => {
  const { path, workspace, put, prices } = await anActiveSubscription()
  const later = await aPrice(workspace)
  const proration = { behaviour: 'next_period' }
  const changed = [
    await put(path, { items: [{ price_id: prices[1] }] }),
    await put(path, { items: [{ price_id: later }], proration }),
  ]
  const deleted = [await workspace.delete(`/prices/${prices[1]}`), await workspace.delete(`/prices/${later}`)]
  expect([...changed, ...deleted].map(({ status }) => status)).toEqual([200, 200, 409, 409])
})

test.each([
  ['another request body', async (_: string) => ({ items: undefined, description: 'x' })],
  ['a forged signature', async (token: string) => ({ preview_token: `${token.slice(0, -2)}AA` })],
  [
    'an age of more than fifteen minutes',
    async (_: string) => {
      clock.advance({ minutes: 16 })
      return {}
    },
  ],
])('a preview token with %s is refused as stale, and nothing changes', async (_, tamper) => {
  const { path, post, put, get, readInvoices } = await anActiveSubscription()
  const { body: before } = await get(path)
  const items = [{ id: before.items[0].id, quantity: 9 }]
  const { body: preview } = await post(`${path}/preview`, { action: 'update', items })
  const body = { items, preview_token: preview.preview_token, ...(await tamper(preview.preview_token)) }
  expect(await put(path, body)).toMatchObject({ status: 409, body: { code: 'preview_stale' } })
  expect((await get(path)).body).toEqual(before)
  expect(await readInvoices()).toHaveLength(1)
})

test('a preview is stale once the period has ended', async () => {
  const { path, post, put } = await anActiveSubscription()
  clock.advance({ days: 29, hours: 23, minutes: 55 })
  const { body: preview } = await post(`${path}/preview`, { action: 'cancel', unused_time: 'credit' })
  clock.advance({ minutes: 10 })
  const { preview_token } = preview
  expect(await put(`${path}/cancel`, { unused_time: 'credit', preview_token })).toMatchObject({ status: 409 })
})

test('the next renewal can be previewed, including pending lines', async () => {
  const { path, post, put, get } = await anActiveSubscription()
  const { body: before } = await get(path)
  const items = [{ id: before.items[0].id, quantity: 2 }]
  await put(path, { items, proration: { behaviour: 'next_invoice' } })
  const { body: preview } = await post(`${path}/preview`, { action: 'renew' })
  expect(preview).toMatchObject({ at: before.current_period.end_at, preview_token: null })
  const { total } = preview.invoices[0]
  expect(preview.invoices[0].lines.map(({ kind }: { kind: string }) => kind)).toEqual([
    'cycle',
    'proration_credit',
    'proration_debit',
  ])
  clock.advance({ days: 31 })
  await settle()
  const { body: after } = await get(path)
  expect((await get(`/invoices/${after.current_period.invoice_id}`)).body.total).toBe(total)
})

const changes = fc.record({
  days: fc.integer({ min: 0, max: 20 }),
  seconds: fc.integer({ min: 0, max: 86_399 }),
  price: fc.constantFrom(0, 1),
  quantity: fc.integer({ min: 1, max: 50 }),
  behaviour: fc.constantFrom('invoice_now', 'next_invoice', 'none', 'next_period'),
})

test('for random changes, the commit bills exactly what the preview showed, or is refused as stale', async () => {
  const { path, post, put, get, prices, readInvoices } = await anActiveSubscription()
  await fc.assert(
    fc.asyncProperty(changes, async ({ days, seconds, price, quantity, behaviour }) => {
      clock.advance({ days, seconds })
      const { body: before } = await get(path)
      const items = [{ id: before.items[0].id, price_id: prices[price], quantity }]
      const body = { items, proration: { behaviour } }
      const { body: preview } = await post(`${path}/preview`, { action: 'update', ...body })
      const knownIds = new Set((await readInvoices()).map(({ id }: { id: string }) => id))
      const response = await put(path, { ...body, preview_token: preview.preview_token })
      if (response.status === 409) {
        expect(response.body.code).toBe('preview_stale')
        return
      }
      const created = (await readInvoices())
        .filter(({ id }: { id: string }) => !knownIds.has(id))
        .toReversed()
      expect(created.map(({ total }: { total: number }) => total)).toEqual(
        preview.invoices.map(({ total }: { total: number }) => total),
      )
      expect(response.body.items).toEqual(preview.subscription.items)
    }),
    { numRuns: Math.min(apiRuns.numRuns, 1_000) },
  )
})
