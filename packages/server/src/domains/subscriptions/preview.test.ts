// What is shown is what is done, to the unit, or nothing is.

import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { casesAtTheDoor } from '../../../test/support/cases.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../test/support/subscriptions.ts'

vi.setConfig({ testTimeout: 600_000 })

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard

async function anActive() {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const prices = [await aPrice(workspace), await aPrice(workspace, { unit_amount: 4999 })]
  const { id } = await aSubscription(workspace, { customer_id, items: [{ price_id: prices[0] }] })
  await settle()
  const path = `/subscriptions/${id}`
  const invoices = async () => (await workspace.get(`/invoices?subscription_id=${id}&limit=100`)).body.data
  return { ...workspace, workspace, id, path, prices, invoices }
}

test('a preview writes nothing, and its token does exactly what it shows', async () => {
  const { path, post, put, get, prices, invoices } = await anActive()
  const { body: before } = await get(path)
  clock.advance({ days: 7 })
  const items = [{ id: before.items[0].id, price_id: prices[1], quantity: 2 }]
  const { status, body: preview } = await post(`${path}/preview`, { action: 'update', items })
  expect(status, JSON.stringify(preview)).toBe(200)
  expect((await get(path)).body).toEqual(before)
  expect(await invoices()).toHaveLength(1)

  // Time passes between looking and clicking; what is billed is what was shown.
  clock.advance({ minutes: 10 })
  const { body: after } = await put(path, { items, preview_token: preview.preview_token })
  const [made] = await invoices()
  expect(made).toMatchObject({ total: preview.invoices[0].total })
  const plain = (lines: { id?: string; explanation: object }[]) =>
    lines.map(({ explanation, ...line }) => ({
      ...line,
      ...{ id: null, object: null, description: null, explanation: { ...explanation, change_id: null } },
    }))
  expect(plain(made.lines)).toEqual(plain(preview.invoices[0].lines))
  expect(after.items).toEqual(preview.subscription.items)
})

test('a price that was only looked at can still be deleted', async () => {
  const { path, workspace, id, post, get } = await anActive()
  const [forCreation, forChange] = [await aPrice(workspace), await aPrice(workspace)]
  const { body: subscription } = await get(path)
  const creation = { customer_id: subscription.customer_id, items: [{ price_id: forCreation }] }
  const looked = [
    await post('/subscriptions/preview', { action: 'create', ...creation }),
    await post(`/subscriptions/${id}/preview`, { action: 'update', items: [{ price_id: forChange }] }),
  ]
  const deleted = [
    await workspace.delete(`/prices/${forCreation}`),
    await workspace.delete(`/prices/${forChange}`),
  ]
  expect([...looked, ...deleted].map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

test('a price that an item has from now on, or from the next period on, cannot be deleted', async () => {
  const { path, workspace, put, prices } = await anActive()
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
  ['another body', async (_: string) => ({ items: undefined, description: 'x' })],
  ['a forged token', async (token: string) => ({ preview_token: `${token.slice(0, -2)}AA` })],
  [
    'fifteen minutes later',
    async (_: string) => {
      clock.advance({ minutes: 16 })
      return {}
    },
  ],
])('with %s nothing is done', async (_, spoil) => {
  const { path, post, put, get, invoices } = await anActive()
  const { body: before } = await get(path)
  const items = [{ id: before.items[0].id, quantity: 9 }]
  const { body: preview } = await post(`${path}/preview`, { action: 'update', items })
  const body = { items, preview_token: preview.preview_token, ...(await spoil(preview.preview_token)) }
  expect(await put(path, body)).toMatchObject({ status: 409, body: { code: 'preview_stale' } })
  expect((await get(path)).body).toEqual(before)
  expect(await invoices()).toHaveLength(1)
})

test('a boundary that has passed makes a preview stale', async () => {
  const { path, post, put } = await anActive()
  clock.advance({ days: 29, hours: 23, minutes: 55 })
  const { body: preview } = await post(`${path}/preview`, { action: 'cancel', unused_time: 'credit' })
  clock.advance({ minutes: 10 })
  const { preview_token } = preview
  expect(await put(`${path}/cancel`, { unused_time: 'credit', preview_token })).toMatchObject({ status: 409 })
})

test('the next renewal can be looked at, with what waits for it', async () => {
  const { path, post, put, get } = await anActive()
  const { body: before } = await get(path)
  const items = [{ id: before.items[0].id, quantity: 2 }]
  await put(path, { items, proration: { behaviour: 'next_invoice' } })
  const { body: preview } = await post(`${path}/preview`, { action: 'renew' })
  expect(preview).toMatchObject({ at: before.current_period.end_at, preview_token: null })
  const { total } = preview.invoices[0]
  expect(preview.invoices[0].lines.map(({ kind }: { kind: string }) => kind)).toEqual([
    ...['cycle', 'proration_credit', 'proration_debit'],
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

test('P: over random changes preview equals commit to the unit, or the commit is refused as stale', async () => {
  const { path, post, put, get, prices, invoices } = await anActive()
  await fc.assert(
    fc.asyncProperty(changes, async ({ days, seconds, price, quantity, behaviour }) => {
      clock.advance({ days, seconds })
      const { body: before } = await get(path)
      const items = [{ id: before.items[0].id, price_id: prices[price], quantity }]
      const body = { items, proration: { behaviour } }
      const { body: preview } = await post(`${path}/preview`, { action: 'update', ...body })
      const known = new Set((await invoices()).map(({ id }: { id: string }) => id))
      const answer = await put(path, { ...body, preview_token: preview.preview_token })
      if (answer.status === 409) {
        expect(answer.body.code).toBe('preview_stale')
        return
      }
      const made = (await invoices()).filter(({ id }: { id: string }) => !known.has(id)).toReversed()
      expect(made.map(({ total }: { total: number }) => total)).toEqual(
        preview.invoices.map(({ total }: { total: number }) => total),
      )
      expect(answer.body.items).toEqual(preview.subscription.items)
    }),
    { numRuns: Math.min(casesAtTheDoor.numRuns, 1_000) },
  )
})
