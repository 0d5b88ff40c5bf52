// Prices with tiers, packages and limits, in subscriptions, invoices, checkouts and reports.

import { expect, test } from 'vitest'
import { cards, payerAt, slugOf } from '../../../../test/support/checkout.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard
type Workspace = Awaited<ReturnType<typeof switchyard.newWorkspace>>

const tiers = [
  { up_to: 10, unit_amount_decimal: '500' },
  { up_to: 50, unit_amount_decimal: '400.00', flat_amount: 0 },
  { up_to: null, unit_amount_decimal: '300' },
]
const aTieredPrice = (workspace: Workspace, terms: object = {}) =>
  aPrice(workspace, { unit_amount: undefined, scheme: 'graduated', tiers, ...terms })

async function aTieredSubscription(quantity: number, terms: object = {}) {
  const workspace = await switchyard.newWorkspace()
  const { customerId: customer_id } = await aPayer(workspace)
  const price_id = await aTieredPrice(workspace, terms)
  const { id } = await aSubscription(workspace, { customer_id, items: [{ price_id, quantity }] })
  await settle()
  const invoices = async () => (await workspace.get(`/invoices?subscription_id=${id}`)).body.data.toReversed()
  return {
    workspace,
    price_id,
    id,
    invoices,
    itemId: (await workspace.get(`/subscriptions/${id}`)).body.items[0].id,
  }
}

test('a price with tiers has no unit amount, and its terms never change', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await aTieredPrice(workspace, { minimum_amount: 900, maximum_amount: 90_000 })
  const { body } = await workspace.get(`/prices/${id}`)
  expect(body).toMatchObject({
    scheme: 'graduated',
    unit_amount: null,
    unit_amount_decimal: null,
    tiers: tiers.map(({ up_to, unit_amount_decimal: unit }) => ({
      up_to,
      unit_amount_decimal: unit.replace('.00', ''),
      flat_amount: 0,
    })),
    package: null,
    minimum_amount: 900,
    maximum_amount: 90_000,
  })
  const change = (set: string) =>
    asOwner(switchyard.databaseUrl, (client) =>
      client.query(`update prices set ${set} where id = $1`, [uuidOf(id as Id<'price'>)]),
    )
  await expect(change(`pricing = jsonb_set(pricing, '{minimum_amount}', '1')`)).rejects.toThrow(
    'never change',
  )
  await expect(change('pricing = null')).rejects.toThrow('never change')
})

test.each([
  [{ tiers: undefined }, '/tiers', 'required'],
  [{ tiers: tiers.slice(0, 2) }, '/tiers/1/up_to', 'bad_format'],
  [{ unit_amount: 100 }, '/unit_amount', 'not_together'],
  [{ scheme: 'package', tiers: undefined, unit_amount: 100 }, '/package', 'required'],
  [{ scheme: 'per_unit', unit_amount: 100 }, '/tiers', 'not_together'],
  [{ minimum_amount: 2, maximum_amount: 1 }, '/maximum_amount', 'too_small'],
])('%j is refused at %s', async (terms, pointer, code) => {
  const workspace = await switchyard.newWorkspace()
  const { body: product } = await workspace.post('/products', { name: 'Seats' })
  const base = { product_id: product.id, currency: 'eur', scheme: 'graduated', tiers }
  const { status, body } = await workspace.post('/prices', { ...base, ...terms })
  expect([status, body.errors?.[0]?.pointer, body.errors?.[0]?.code]).toEqual([400, pointer, code])
})

test('60 seats with graduated tiers cost 240.00 at the start and at each renewal, and the line lists the tiers', async () => {
  const { invoices } = await aTieredSubscription(60)
  clock.advance({ days: 31 })
  await settle()
  const [first, second] = await invoices()
  expect([first.total, second.total]).toEqual([24_000, 24_000])
  expect(first.lines[0]).toMatchObject({
    quantity: 60,
    explanation: {
      scheme: 'graduated',
      unit_amount_decimal: null,
      base: 24_000,
      tiers: [
        { up_to: 10, unit_amount_decimal: '500', flat_amount: 0, quantity: 10 },
        { up_to: 50, unit_amount_decimal: '400', flat_amount: 0, quantity: 40 },
        { up_to: null, unit_amount_decimal: '300', flat_amount: 0, quantity: 10 },
      ],
      text: '10 x 5.00 + 40 x 4.00 + 10 x 3.00 = 240.00, full period',
    },
  })
})

test('a change to volume tiers charges what its preview showed, and reversing it at the same instant nets to zero', async () => {
  const { workspace, id, itemId, price_id, invoices } = await aTieredSubscription(60)
  const volume = await aTieredPrice(workspace, { scheme: 'volume', minimum_amount: 20_000 })
  clock.advance({ days: 10 })
  const body = { items: [{ id: itemId, price_id: volume }] }
  const { body: preview } = await workspace.post(`/subscriptions/${id}/preview`, {
    action: 'update',
    ...body,
  })
  await workspace.put(`/subscriptions/${id}`, { ...body, preview_token: preview.preview_token })
  await workspace.put(`/subscriptions/${id}`, { items: [{ id: itemId, price_id }] })
  const [, there, back] = await invoices()
  expect(there.total).toBeLessThan(0)
  expect(there.total + back.total).toBe(0)
  const [credit, debit] = there.lines
  expect(preview.invoices[0].lines.map((line: { amount: number }) => line.amount)).toEqual([
    credit.amount,
    debit.amount,
  ])
  expect([credit.explanation.base, debit.explanation.base]).toEqual([24_000, 20_000])
  expect(debit.explanation).toMatchObject({ scheme: 'volume', minimum_amount: 20_000 })
})

test('a scheduled change to packages applies in the next period, and reports use the amount of a period', async () => {
  const { workspace, id, itemId, invoices } = await aTieredSubscription(250)
  const packages = await aPrice(workspace, { unit_amount: 1000, scheme: 'package', package: { size: 100 } })
  await workspace.put(`/subscriptions/${id}`, {
    items: [{ id: itemId, price_id: packages }],
    proration: { behaviour: 'next_period' },
  })
  clock.advance({ days: 31 })
  await settle()
  const [, renewal] = await invoices()
  expect(renewal).toMatchObject({ total: 3000, lines: [{ quantity: 250 }] })
  expect(renewal.lines[0].explanation).toMatchObject({ scheme: 'package', packages: 3, package_size: 100 })
  expect(renewal.lines[0].explanation.text).toBe('3 x 10.00 per 100 = 30.00, full period')
  const { status, body } = await workspace.get('/reports/billing')
  expect(status, JSON.stringify(body)).toBe(200)
  expect(JSON.stringify(body)).toContain('3000')
})

test('a payer chooses a quantity, sees its amount, and is charged exactly that amount', async () => {
  const workspace = await switchyard.newWorkspace()
  const price_id = await aTieredPrice(workspace)
  const item = { price_id, quantity: 10, adjustable_quantity: true, quantity_limits: { min: 9, max: 12 } }
  const setup = await aPrice(workspace, {
    unit_amount: 1000,
    scheme: 'package',
    package: { size: 100, round: 'down' },
    recurring: null,
    lookup_key: null,
  })
  const create = (line_items: object[]) =>
    workspace.post('/checkout-sessions', { mode: 'subscription', line_items, collect: ['name'] })
  const { status, body: session } = await create([item, { price_id: setup, quantity: 250 }])
  expect(status, JSON.stringify(session)).toBe(201)
  expect(session.line_items).toMatchObject([
    { unit_amount: null, amount: 5000, pricing: { scheme: 'graduated' } },
    { unit_amount: 1000, amount: 2000, pricing: { scheme: 'package' } },
  ])
  const payer = payerAt(workspace.address)
  const { body: page } = await payer.fetchSession(session)
  expect(page).toMatchObject({ amount: 7000, items: [{ quantity_amounts: [4500, 5000, 5400, 5800] }, {}] })
  const payerDetails = { email: 'ada@example.com', name: 'Ada Lovelace', quantities: [12, 250] }
  const { body: paid } = await payer.pay(session, cards.approved, payerDetails)
  expect(paid, JSON.stringify(paid)).toMatchObject({ status: 'completed' })
  await settle()
  const { body: completed } = await workspace.get(`/checkout-sessions/${session.id}`)
  const { body: invoices } = await workspace.get(`/invoices?subscription_id=${completed.subscription_id}`)
  expect(invoices.data).toMatchObject([
    {
      status: 'paid',
      total: 7800,
      lines: [
        { kind: 'cycle', amount: 5800 },
        { kind: 'one_time', amount: 2000 },
      ],
    },
  ])

  const { body: refused } = await create([{ ...item, quantity_limits: { min: 1, max: 5000 } }])
  expect(refused.errors[0].pointer).toBe('/line_items/0/quantity_limits/max')
})

test('a payment link charges the tiers of a one-time price for the quantity that the payer chose', async () => {
  const workspace = await switchyard.newWorkspace()
  const price_id = await aTieredPrice(workspace, { recurring: null })
  const line_items = [{ price_id, quantity: 5, adjustable_quantity: true }]
  const { body: link } = await workspace.post('/payment-links', { line_items })
  expect(link).toMatchObject({ amount: 2500, line_items: [{ amount: 2500 }] })
  const payer = payerAt(workspace.address)
  const page = (await payer.fetchLink(slugOf(link))).body
  expect(page.line_items[0].quantity_amounts.slice(8, 12)).toEqual([4500, 5000, 5400, 5800])
  const session = await payer.openSession(slugOf(link), { quantity: 12 })
  expect(session).toMatchObject({ amount: 5800, items: [{ quantity: 12, amount: 5800 }] })
})
