// Usage that is billed at the end of a period: every price scheme, late events, changes and cancellations.

import { expect, test } from 'vitest'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { Workspace } from '../../../../test/support/switchyard.ts'

const switchyard = await subscriptionsForThisFile()
const { clock, settle, aPayer } = switchyard

type Line = {
  id: string
  kind: string
  amount: number
  quantity: number
  tax: number
  source_line_id: string | null
  service: { start_at: string; end_at: string }
  discounts: { amount: number }[]
  explanation: { text: string; billed_quantity: number | null }
}
type Invoice = { id: string; reason: string; status: string; total: number; lines: Line[] }

const nowMs = () => {
  const reading = clock.read()
  return reading.from === 'database' ? Number.NaN : reading.at.getTime()
}
const timeAgo = (ms: number) => new Date(nowMs() - ms).toISOString()
let events = 0

/** A subscription with an item for usage, and functions that use it. */
async function metered(workspace: Workspace, price: object, members: object = {}) {
  const meter = await workspace.post('/meters', { event_name: 'requests', aggregation: 'sum' })
  expect(meter.status, JSON.stringify(meter.body)).toBe(201)
  const { customerId: customer_id } = await aPayer(workspace)
  const price_id = await aPrice(workspace, { meter_id: meter.body.id, ...price })
  const { extra = [], ...rest } = members as { extra?: object[] }
  const { id } = await aSubscription(workspace, { customer_id, items: [{ price_id }, ...extra], ...rest })
  await settle()
  const use = async (value: number, occurred_at?: string) => {
    const event = { id: `event ${events++}`, event_name: 'requests', customer_id, value: String(value) }
    const sent = { ...event, ...(occurred_at === undefined ? {} : { occurred_at }) }
    const { body } = await workspace.post('/meter-events', { events: [sent] })
    expect(body).toMatchObject({ accepted: 1, errors: [] })
    return event.id
  }
  const usageInvoices = async () => {
    const { body } = await workspace.get(`/invoices?subscription_id=${id}`)
    return body.data.filter(({ reason }: Invoice) => reason === 'usage').toReversed() as Invoice[]
  }
  /** Moves to the end of the current period, or some time after it. */
  const toPeriodEnd = async (afterSeconds = 0) => {
    const { body } = await workspace.get(`/subscriptions/${id}`)
    const end = new Date(body.current_period.end_at).getTime()
    clock.advance({ seconds: Math.ceil((end - nowMs()) / 1000) + afterSeconds })
    await settle()
  }
  return {
    id,
    path: `/subscriptions/${id}`,
    customer_id,
    meter_id: meter.body.id,
    price_id,
    use,
    usageInvoices,
    toPeriodEnd,
  }
}

test('usage is billed an hour after the end of its period, and does not change the invoice of the next period', async () => {
  const workspace = await switchyard.newWorkspace()
  const flat = await aPrice(workspace)
  const { path, use, usageInvoices, toPeriodEnd } = await metered(
    workspace,
    { unit_amount: undefined, unit_amount_decimal: '0.4' },
    { extra: [{ price_id: flat }] },
  )
  const { current_period: period } = (await workspace.get(path)).body
  await use(1000)
  clock.advance({ days: 3 })
  await use(501)
  await toPeriodEnd()
  expect(await usageInvoices()).toEqual([])
  // Late events are included, and events of the next period are not.
  await use(7, timeAgo(1000))
  await use(2000)
  clock.advance({ seconds: 3599 })
  await settle()
  expect(await usageInvoices()).toEqual([])
  clock.advance({ seconds: 1 })
  await settle()

  const [invoice, ...others] = await usageInvoices()
  expect(others).toEqual([])
  expect(invoice).toMatchObject({ status: 'paid', total: 603 })
  expect(invoice?.lines).toMatchObject([
    {
      kind: 'usage',
      quantity: 1508,
      amount: 603,
      service: { start_at: period.start_at, end_at: period.end_at },
      explanation: { text: '1,508 x 0.004 = 6.03, usage', billed_quantity: null },
    },
  ])
  await toPeriodEnd(3600)
  expect((await usageInvoices()).map(({ total }) => total)).toEqual([603, 800])
})

// biome-ignore format: a table.
test.each([
  ['per unit',             { unit_amount: 2 }, 60, 120],
  ['graduated',            { unit_amount: undefined, scheme: 'graduated', tiers: [{ up_to: 10, unit_amount_decimal: '500' }, { up_to: 50, unit_amount_decimal: '400' }, { up_to: null, unit_amount_decimal: '300' }] }, 60, 24_000],
  ['volume',               { unit_amount: undefined, scheme: 'volume', tiers: [{ up_to: 10, unit_amount_decimal: '500' }, { up_to: 50, unit_amount_decimal: '400' }, { up_to: null, unit_amount_decimal: '300' }] }, 60, 18_000],
  ['package',              { unit_amount: 1000, scheme: 'package', package: { size: 100 } }, 250, 3000],
  ['minimum',              { unit_amount: 1, minimum_amount: 900 }, 60, 900],
  ['minimum without use',  { unit_amount: 1, minimum_amount: 900 }, 0, 900],
  ['maximum',              { unit_amount: 100, maximum_amount: 5000 }, 60, 5000],
  ['more than a million',  { unit_amount: undefined, unit_amount_decimal: '0.0001' }, 3_000_000_000, 300_000],
] as const)('%s', async (_, price, quantity, total) => {
  const workspace = await switchyard.newWorkspace()
  const { use, usageInvoices, toPeriodEnd } = await metered(workspace, price)
  if (quantity > 0) await use(quantity)
  await toPeriodEnd(3600)
  const [invoice] = await usageInvoices()
  expect(invoice).toMatchObject({ status: 'paid', total, lines: [{ quantity, amount: total }] })
})

test('a period without usage has no invoice', async () => {
  const workspace = await switchyard.newWorkspace()
  const { usageInvoices, toPeriodEnd, use } = await metered(workspace, { unit_amount: 2 })
  await toPeriodEnd(3600)
  expect(await usageInvoices()).toEqual([])
  // The late event of the billed period is billed with the next period.
  await use(5000, timeAgo(3_700_000))
  await use(100)
  await toPeriodEnd(3600)
  const [invoice] = await usageInvoices()
  expect(invoice?.lines).toMatchObject([
    { kind: 'usage', quantity: 100, amount: 200 },
    { kind: 'usage_correction', quantity: 5000, amount: 10_000, explanation: { billed_quantity: 0 } },
  ])
})

test('late events are billed as a correction with the next usage, at the price of their period', async () => {
  const workspace = await switchyard.newWorkspace()
  const tiers = [
    { up_to: 100, unit_amount_decimal: '10' },
    { up_to: null, unit_amount_decimal: '5' },
  ]
  const { use, usageInvoices, toPeriodEnd } = await metered(workspace, {
    unit_amount: undefined,
    scheme: 'graduated',
    tiers,
  })
  await use(90)
  await toPeriodEnd(3600)
  expect((await usageInvoices()).map(({ total }) => total)).toEqual([900])
  await use(30, timeAgo(2 * 3_600_000))
  await settle()
  await toPeriodEnd(3600)
  const [first, second] = await usageInvoices()
  expect(second?.lines).toMatchObject([
    { kind: 'usage', quantity: 0, amount: 0 },
    {
      kind: 'usage_correction',
      quantity: 120,
      amount: 200,
      source_line_id: first?.lines[0]?.id,
      explanation: {
        text: '100 x 0.10 + 20 x 0.05 = 11.00 - 9.00 billed for 90, usage recorded or cancelled after billing',
      },
    },
  ])
  // The correction is billed once.
  await toPeriodEnd(3600)
  await toPeriodEnd(3600)
  expect(await usageInvoices()).toHaveLength(2)
})

test('usage until a cancellation is billed, and its late events are billed 35 days later', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, path, use, usageInvoices } = await metered(workspace, { unit_amount: 10, minimum_amount: 3000 })
  await use(40)
  clock.advance({ days: 10 })
  await use(25)
  clock.advance({ seconds: 1 })
  const cancelled = await workspace.put(`${path}/cancel`, { at: 'now' })
  expect(cancelled.status, JSON.stringify(cancelled.body)).toBe(200)
  // Usage after the end of the subscription is not counted.
  await use(5000)
  clock.advance({ seconds: 3600 })
  await settle()
  const [invoice] = await usageInvoices()
  const share = Math.round((3000 * (10 * 86_400 + 1)) / monthSecondsOf(cancelled.body.started_at))
  expect(invoice).toMatchObject({ status: 'paid', total: Math.max(650, share) })
  expect(invoice?.lines[0]).toMatchObject({ quantity: 65, service: { end_at: cancelled.body.ended_at } })

  await use(200, timeAgo(2 * 3_600_000 + 5000))
  clock.advance({ days: 20 })
  await settle()
  expect(await usageInvoices()).toHaveLength(1)
  clock.advance({ days: 16 })
  await settle()
  const [, correction] = await usageInvoices()
  expect(correction?.lines).toMatchObject([{ kind: 'usage_correction', quantity: 265 }])
  expect((invoice?.total ?? 0) + (correction?.total ?? 0)).toBe(2650)
  expect((await workspace.get(`/subscriptions/${id}`)).body.status).toBe('cancelled')
})

function monthSecondsOf(startAt: string): number {
  const start = new Date(startAt)
  const end = new Date(start)
  end.setUTCMonth(end.getUTCMonth() + 1)
  return (end.getTime() - start.getTime()) / 1000
}

test('a change of the price splits the usage of the period at the time of the change', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path, use, usageInvoices, toPeriodEnd, meter_id } = await metered(workspace, { unit_amount: 10 })
  const dearer = await aPrice(workspace, { unit_amount: 20, meter_id })
  const item = (await workspace.get(path)).body.items[0].id
  await use(30)
  clock.advance({ days: 5 })
  const changed = await workspace.put(path, { items: [{ id: item, price_id: dearer }] })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  await use(50)
  await use(7, timeAgo(1000))
  await toPeriodEnd(3600)
  const lines = (await usageInvoices()).flatMap((invoice) => invoice.lines)
  expect(lines.map(({ quantity, amount }) => [quantity, amount])).toEqual([
    [37, 370],
    [50, 1000],
  ])
})

test('usage during a pause and a trial is free', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path, use, usageInvoices, toPeriodEnd } = await metered(
    workspace,
    { unit_amount: 10 },
    { trial: { days: 5 } },
  )
  await use(1000)
  clock.advance({ days: 5 })
  await settle()
  await use(100)
  clock.advance({ days: 1 })
  expect((await workspace.put(`${path}/pause`, {})).status).toBe(200)
  await use(5000)
  clock.advance({ days: 1 })
  expect((await workspace.put(`${path}/resume`, {})).status).toBe(200)
  await use(20)
  await toPeriodEnd(3600)
  const lines = (await usageInvoices()).flatMap((invoice) => invoice.lines)
  expect(lines.map(({ quantity }) => quantity)).toEqual([100, 20])
})

test('discounts and tax apply to usage like to other lines, and a correction reverses its share of them', async () => {
  const workspace = await switchyard.newWorkspace()
  const { status, body: coupon } = await workspace.post('/coupons', {
    name: 'Half',
    percent_off: '50',
    duration: 'once',
  })
  expect(status).toBe(201)
  const { path, use, usageInvoices, toPeriodEnd } = await metered(
    workspace,
    { unit_amount: 10 },
    { discounts: [{ coupon_id: coupon.id }] },
  )
  expect((await workspace.get(path)).body.discounts).toMatchObject([
    { in_current_period: true, periods_used: 1 },
  ])
  await use(100)
  await toPeriodEnd(3600)
  const [first] = await usageInvoices()
  expect(first).toMatchObject({ total: 500, lines: [{ amount: 1000, discounts: [{ amount: 500 }] }] })
  await use(300)
  await use(20, timeAgo(2 * 3_600_000))
  await toPeriodEnd(3600)
  const [, second] = await usageInvoices()
  expect(second?.lines).toMatchObject([
    { kind: 'usage', amount: 3000, discounts: [] },
    { kind: 'usage_correction', amount: 200, discounts: [{ amount: 100 }] },
  ])
})

test('the usage of a customer on a meter is billed by only one item of one subscription', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path, customer_id, price_id, meter_id } = await metered(workspace, { unit_amount: 10 })
  const other = await aPrice(workspace, { unit_amount: 20, meter_id })
  const refused = await workspace.post('/subscriptions', { customer_id, items: [{ price_id: other }] })
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/items', code: 'not_together' }] },
  })
  const twice = await workspace.put(path, { items: [{ price_id: other }] })
  expect(twice).toMatchObject({ status: 400, body: { errors: [{ pointer: '/items' }] } })
  const counted = await workspace.put(path, { items: [{ price_id, quantity: 3 }] })
  expect(counted).toMatchObject({ status: 400, body: { errors: [{ pointer: '/items/0/quantity' }] } })
  await workspace.put(`${path}/cancel`, { at: 'now' })
  await aSubscription(workspace, { customer_id, items: [{ price_id: other }] })
})

test('a metered price is recurring, and its period is at most a month', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: product } = await workspace.post('/products', { name: 'Requests' })
  const { body: meter } = await workspace.post('/meters', { event_name: 'requests', aggregation: 'sum' })
  const price = { product_id: product.id, currency: 'usd', unit_amount: 1, meter_id: meter.id }
  const year = await workspace.post('/prices', { ...price, recurring: { interval: 'year' } })
  expect(year).toMatchObject({ status: 400, body: { errors: [{ pointer: '/recurring' }] } })
  expect(await workspace.post('/prices', price)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/recurring', code: 'required' }] },
  })
  const unknown = { ...price, meter_id: meter.id.replace(/.$/, '0'), recurring: { interval: 'month' } }
  expect(await workspace.post('/prices', unknown)).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/meter_id', code: 'not_found' }] },
  })
})

test('a preview shows the usage so far with the same lines that are billed', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path, use, usageInvoices, toPeriodEnd } = await metered(workspace, { unit_amount: 10 })
  await use(40)
  await settle()
  clock.advance({ days: 2 })
  const linesOf = ({ lines }: Pick<Invoice, 'lines'>) =>
    lines.map(({ kind, amount, quantity, service, explanation }) => ({
      kind,
      amount,
      quantity,
      service,
      explanation,
    }))
  const renewal = await workspace.post(`${path}/preview`, { action: 'renew' })
  expect(renewal.status, JSON.stringify(renewal.body)).toBe(200)
  const previewed = renewal.body.invoices.find(({ reason }: Invoice) => reason === 'usage')
  expect(previewed).toMatchObject({ total: 400 })
  const cancellation = await workspace.post(`${path}/preview`, { action: 'cancel', at: 'now' })
  expect(cancellation.body.invoices).toMatchObject([
    { reason: 'usage', total: 400, lines: [{ quantity: 40 }] },
  ])
  // The usage is billed later, so it is not part of what the token confirms.
  await toPeriodEnd(3600)
  const [billed] = await usageInvoices()
  expect(linesOf(billed as Invoice)).toEqual(linesOf(previewed))
})

test('every accepted event is billed once while events arrive during billing', async () => {
  const workspace = await switchyard.newWorkspace()
  const { use, usageInvoices, toPeriodEnd } = await metered(workspace, { unit_amount: 10 })
  let accepted = 0
  const useLate = async (value: number) => {
    accepted += value
    await use(value, timeAgo(3_601_000))
  }
  await toPeriodEnd(3599)
  clock.advance({ seconds: 1 })
  await Promise.all([useLate(1), useLate(2), settle(), useLate(4), useLate(8), settle(), useLate(16)])
  await toPeriodEnd(3600)
  // An amount that is too small to charge is carried over, in a line that bills no usage.
  const lines = (await usageInvoices())
    .flatMap((invoice) => invoice.lines)
    .filter(({ kind }) => kind !== 'carried')
  const billed = lines.map(({ quantity, explanation }) => quantity - (explanation.billed_quantity ?? 0))
  expect(billed.reduce((sum, quantity) => sum + quantity, 0)).toBe(accepted)
  expect(accepted).toBe(31)
})

/** Creates a coupon and returns it as a discount of a subscription. */
async function aDiscount({ post }: Workspace, members: object) {
  const { status, body } = await post('/coupons', { name: 'Offer', duration: 'forever', ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return { coupon_id: body.id as string }
}

test.each([
  {
    off: { amount_off: 500, currency: 'usd' },
    early: 10,
    late: 100,
    first: 500,
    second: 10_000,
    discount: 0,
  },
  { off: { amount_off: 500, currency: 'usd' }, early: 3, late: 5, first: 0, second: 300, discount: 200 },
  { off: { amount_off: 500, currency: 'usd' }, early: 0, late: 8, first: null, second: 300, discount: 500 },
  { off: { percent_off: '50' }, early: 0, late: 8, first: null, second: 400, discount: 400 },
])(
  'a discount is applied once to the usage of a period, including late events: $off on $early and $late units',
  async ({ off, early, late, first, second, discount }) => {
    const workspace = await switchyard.newWorkspace()
    const { use, usageInvoices, toPeriodEnd } = await metered(
      workspace,
      { unit_amount: 100 },
      { discounts: [await aDiscount(workspace, { ...off, duration: 'once' })] },
    )
    if (early > 0) await use(early)
    await toPeriodEnd(3600)
    expect((await usageInvoices()).map(({ total }) => total)).toEqual(first === null ? [] : [first])
    await use(late, timeAgo(2 * 3_600_000))
    await toPeriodEnd(3600)
    const correction = (await usageInvoices())
      .flatMap(({ lines }) => lines)
      .find(({ kind }) => kind === 'usage_correction')
    expect(correction).toMatchObject({
      amount: late * 100,
      discounts: discount === 0 ? [] : [{ amount: discount }],
    })
    expect((await usageInvoices()).at(-1)?.total).toBe(second)
  },
)

test('a discount for one period is not repeated for usage when the interval changes', async () => {
  const workspace = await switchyard.newWorkspace()
  const week = { recurring: { interval: 'week' } }
  const { path, use, usageInvoices, toPeriodEnd, meter_id } = await metered(
    workspace,
    { unit_amount: 100, ...week },
    {
      extra: [{ price_id: await aPrice(workspace, { unit_amount: 1000, ...week }) }],
      discounts: [await aDiscount(workspace, { percent_off: '50', duration: 'once' })],
    },
  )
  const { items } = (await workspace.get(path)).body
  const monthly = [
    await aPrice(workspace, { unit_amount: 100, meter_id }),
    await aPrice(workspace, { unit_amount: 4000 }),
  ]
  const changed = await workspace.put(path, {
    items: items.map(({ id }: { id: string }, index: number) => ({ id, price_id: monthly[index] })),
  })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  await settle()
  await use(10)
  await toPeriodEnd(3600)
  // The weekly period had a discount of 500, which now applies to the monthly period.
  expect(await usageInvoices()).toMatchObject([{ total: 1000, lines: [{ amount: 1000, discounts: [] }] }])
})

test('events that are cancelled after their period was billed are credited with the next usage', async () => {
  const workspace = await switchyard.newWorkspace()
  const { use, usageInvoices, toPeriodEnd } = await metered(workspace, { unit_amount: 100 })
  await use(10)
  const wrong = await use(5)
  await toPeriodEnd(3600)
  const cancel = { events: [{ event_name: 'requests', id: wrong }] }
  expect((await workspace.post('/meter-events/cancel', cancel)).body).toMatchObject({ cancelled: 1 })
  await toPeriodEnd(3600)
  expect((await usageInvoices()).map(({ total }) => total)).toEqual([1500, -500])
})

test('a usage line can be credited even if the subscription has no other price', async () => {
  const workspace = await switchyard.newWorkspace()
  const { use, usageInvoices, toPeriodEnd } = await metered(workspace, { unit_amount: 100 })
  await use(10)
  await toPeriodEnd(3600)
  const [invoice] = await usageInvoices()
  const note = await workspace.post('/credit-notes', {
    invoice_id: invoice?.id,
    lines: [{ invoice_line_id: invoice?.lines[0]?.id, amount: 1000 }],
  })
  expect(note, JSON.stringify(note.body)).toMatchObject({ status: 201, body: { total: 1000 } })
})

/** A paid invoice for 15 units, and a function that credits a part of it. */
async function billedUsage(workspace: Workspace) {
  const subscription = await metered(workspace, { unit_amount: 100 })
  await subscription.use(15)
  await subscription.toPeriodEnd(3600)
  const [invoice] = await subscription.usageInvoices()
  expect(invoice).toMatchObject({ total: 1500, status: 'paid' })
  const credit = (amount: number, members: object = {}) =>
    workspace.post('/credit-notes', {
      invoice_id: invoice?.id,
      lines: [{ invoice_line_id: invoice?.lines[0]?.id, amount }],
      ...members,
    })
  return { ...subscription, credit }
}

test('cancelled usage returns only the amount that no credit note has returned', async () => {
  const workspace = await switchyard.newWorkspace()
  const { use, usageInvoices, toPeriodEnd, credit } = await billedUsage(workspace)
  expect((await credit(1200)).status).toBe(201)
  await use(-10, timeAgo(2 * 3_600_000))
  await toPeriodEnd(3600)
  expect((await usageInvoices()).map(({ total }) => total)).toEqual([1500, -300])
  const correction = (await usageInvoices()).at(-1)?.lines.find(({ kind }) => kind === 'usage_correction')
  expect(correction).toMatchObject({
    amount: -300,
    explanation: {
      text: '3.00, usage cancelled after billing, limited to the amount not yet returned',
    },
  })
  expect((await credit(1)).status).toBe(400)
})

test('a credit note returns only the usage that no correction has credited', async () => {
  const workspace = await switchyard.newWorkspace()
  const { use, usageInvoices, toPeriodEnd, credit } = await billedUsage(workspace)
  await use(-10, timeAgo(2 * 3_600_000))
  await toPeriodEnd(3600)
  expect((await usageInvoices()).map(({ total }) => total)).toEqual([1500, -1000])
  const refused = await credit(501)
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/lines/0/amount' }] } })
  expect(await credit(500, { refund_amount: 500 })).toMatchObject({ status: 201, body: { total: 500 } })
})

test.each([
  { action: null, status: 'open', first: { amount_due: 500 }, totals: [1500, -1000] },
  { action: 'void', status: 'void', first: {}, totals: [1500] },
  { action: 'mark-uncollectible', status: 'uncollectible', first: {}, totals: [1500] },
])(
  'cancelled usage on an unpaid invoice reduces what is owed, and grants no credit: $status',
  async ({ action, status, first, totals }) => {
    const workspace = await switchyard.newWorkspace()
    const { use, usageInvoices, toPeriodEnd } = await metered(workspace, { unit_amount: 100 })
    await switchyard.configureAll(workspace, { auth_rate: 0 })
    await use(15)
    await toPeriodEnd(3600)
    const [unpaid] = await usageInvoices()
    expect(unpaid).toMatchObject({ status: 'open' })
    if (action !== null) expect((await workspace.post(`/invoices/${unpaid?.id}/${action}`)).status).toBe(200)
    await use(-10, timeAgo(2 * 3_600_000))
    await toPeriodEnd(3600)
    expect((await usageInvoices()).map(({ total }) => total)).toEqual(totals)
    expect((await usageInvoices())[0]).toMatchObject({ status, ...first })
  },
)
