// `npm run seed`: fills the workspace of a running `npm run dev` with examples, through the API like
// anybody else. Every object has an idempotency key, so running it again makes nothing twice.

import { type CreatePaymentLink, Switchyard } from '@switchyard/sdk'
import { findRunning } from './development-state.ts'

const running = findRunning()
const token = process.env.SWITCHYARD_TOKEN ?? running?.tokens.test
const baseUrl = process.env.SWITCHYARD_BASE_URL ?? running?.running?.testUrl
if (token === undefined || baseUrl === undefined) {
  console.error('Start `npm run dev` first, or set SWITCHYARD_TOKEN and SWITCHYARD_BASE_URL.')
  process.exit(1)
}
const switchyard = new Switchyard({ token, baseUrl })

const customers = [
  {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    locale: 'en-GB',
    address: { city: 'London', country: 'GB' },
  },
  {
    name: 'Café Zürich GmbH',
    email: 'rechnung@example.ch',
    locale: 'de-CH',
    tax_ids: [{ type: 'ch_vat', value: 'CHE-123.456.788' }],
  },
  {
    name: '山田 花子',
    email: 'hanako@example.jp',
    locale: 'ja-JP',
    phone: '+81312345678',
    address: { city: '東京', country: 'JP' },
  },
  { name: 'Léa Dubois', email: 'lea@example.fr', locale: 'fr-FR', metadata: { plan: 'team', seats: '12' } },
  { name: 'مها الهاشمي', email: 'maha@example.ae', locale: 'ar-AE', address: { city: 'دبي', country: 'AE' } },
]

const ids: string[] = []
for (const [place, customer] of customers.entries()) {
  const { id, name } = await switchyard.customers.create(customer, {
    idempotencyKey: `seed-customer-${place}`,
  })
  ids.push(id)
  console.log(`${id}  ${name}`)
}
const items = await seedPlan()
await seedSubscriptions(ids)
const links = [
  { amount: 1299, currency: 'eur', description: 'A book' },
  {
    currency: 'chf',
    description: 'Konzertkarten',
    locale: 'de-CH',
    line_items: [{ name: 'Konzertkarte', unit_amount: 4500, adjustable_quantity: true }],
    collect: ['name', 'email'],
    max_completions: 200,
  },
  {
    currency: 'jpy',
    description: '寄付',
    locale: 'ja-JP',
    open_amount: { min: 500, max: 100_000, suggested: 3_000 },
    max_completions: null,
  },
] satisfies CreatePaymentLink[]
for (const [place, link] of links.entries()) {
  const { id, url } = await switchyard.paymentLinks.create(link, {
    idempotencyKey: `seed-payment-link-${place}`,
  })
  console.log(`${id}  ${url}`)
}
await seedClock()
// It stands for a receiver that is down: its deliveries wait, fail and are tried again, as one can see.
const endpoint = await switchyard.webhookEndpoints.create(
  { url: 'http://127.0.0.1:8090/webhooks', event_types: ['*'], name: 'A receiver on this machine' },
  { idempotencyKey: 'seed-webhook-endpoint' },
)
console.log(`${endpoint.id}  ${endpoint.url}`)
console.log(
  `\n${customers.length} customers and ${links.length} payment links at ${baseUrl}. Their events: curl ${baseUrl}/events -H 'Authorization: Bearer ${token}'`,
)

function key(name: string) {
  return { idempotencyKey: `seed-${name}` }
}

async function seedPlan() {
  const product = await switchyard.products.create({ name: 'Team plan', unit_label: 'seat' }, key('product'))
  const terms = { product_id: product.id, currency: 'eur', unit_amount: 1500 } as const
  const price = await switchyard.prices.create({ ...terms, recurring: { interval: 'month' } }, key('price'))
  const yearly = { ...terms, unit_amount: 15_000, recurring: { interval: 'year' } } as const
  await switchyard.prices.create(yearly, key('price-yearly'))
  return [{ price_id: price.id, quantity: 3 }]
}

/** A plan that three of them have: in its trial, paid, and paused. */
async function seedSubscriptions([trying = '', paying = '', resting = '']: readonly string[]): Promise<void> {
  for (const customer_id of [paying, resting]) await seedCard(customer_id)
  const trial = { days: 14 }
  const born = await switchyard.subscriptions.create({ customer_id: trying, items, trial }, key('trial'))
  const paid = await switchyard.subscriptions.create({ customer_id: paying, items }, key('paid'))
  const paused = await switchyard.subscriptions.create({ customer_id: resting, items, trial }, key('paused'))
  await switchyard.subscriptions.pause(paused.id)
  for (const { id } of [born, paid, paused]) console.log(`${id}  Team plan`)
}

/** Two who live on a clock, three months later: one has paid each invoice, the card of the other fails. */
async function seedClock(): Promise<void> {
  const beginning = { now_at: '2027-01-01T00:00:00.000Z', name: 'Three months' }
  const clock = await switchyard.testClocks.create(beginning, key('clock'))
  const fates = { 'Grace Hopper': null, 'Alan Turing': 'approve x3, decline:51' }
  for (const [name, script] of Object.entries(fates)) {
    const own = (noun: string) => key(`${noun}-of-${name.replace(' ', '-')}`)
    const customer = await switchyard.customers.create({ name, test_clock_id: clock.id }, own('customer'))
    await seedCard(customer.id, script)
    const { id } = await switchyard.subscriptions.create(
      { customer_id: customer.id, items },
      own('subscription'),
    )
    console.log(`${id}  Team plan of ${name}, on ${clock.id}`)
  }
  await switchyard.testClocks.advance(clock.id, { to_at: '2027-04-05T00:00:00.000Z' }, key('advance'))
}

async function seedCard(customer_id: string, simulate: string | null = null): Promise<void> {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const own = (name: string) => key(`${name}-${customer_id}`)
  const token = await switchyard.tokens.create({ type: 'card', card }, own('token'))
  const metadata = simulate === null ? {} : { simulate }
  const method = await switchyard.paymentMethods.create({ token: token.id, metadata }, own('method'))
  await switchyard.paymentMethods.attach(method.id, { customer_id }, own('attach'))
}
