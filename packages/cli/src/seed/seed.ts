/**
 * Fills a workspace with examples, through the API like anybody else. Every object has an idempotency key, so
 * that running it again makes nothing twice.
 */
import type { Switchyard } from '@switchyard/sdk'
import { customers, fates, links } from './examples.ts'

export type Seeded = { readonly id: string; readonly about: string }

/** Tells of each object as it is there. */
export async function* seed(client: Switchyard): AsyncGenerator<Seeded, void, undefined> {
  const ids: string[] = []
  for (const [place, customer] of customers.entries()) {
    const { id, name } = await client.customers.create(customer, key(`customer-${place}`))
    ids.push(id)
    yield { id, about: name ?? '' }
  }
  const items = await seedPlan(client)
  yield* seedSubscriptions(client, items, ids)
  for (const [place, link] of links.entries()) {
    const { id, url } = await client.paymentLinks.create(link, key(`payment-link-${place}`))
    yield { id, about: url }
  }
  yield* seedClock(client, items)
  // It stands for a receiver that is down: its deliveries wait, fail and are tried again, as one can see.
  const endpoint = await client.webhookEndpoints.create(
    { url: 'http://127.0.0.1:8090/webhooks', event_types: ['*'], name: 'A receiver on this machine' },
    key('webhook-endpoint'),
  )
  yield { id: endpoint.id, about: endpoint.url }
}

type Items = { price_id: string; quantity: number }[]

function key(name: string) {
  return { idempotencyKey: `seed-${name}` }
}

async function seedPlan(client: Switchyard): Promise<Items> {
  const product = await client.products.create({ name: 'Team plan', unit_label: 'seat' }, key('product'))
  const terms = { product_id: product.id, currency: 'eur', unit_amount: 1500 } as const
  const price = await client.prices.create({ ...terms, recurring: { interval: 'month' } }, key('price'))
  const yearly = { ...terms, unit_amount: 15_000, recurring: { interval: 'year' } } as const
  await client.prices.create(yearly, key('price-yearly'))
  return [{ price_id: price.id, quantity: 3 }]
}

/** A plan that three of them have: in its trial, paid, and paused. */
async function* seedSubscriptions(
  client: Switchyard,
  items: Items,
  [trying = '', paying = '', resting = '']: readonly string[],
): AsyncGenerator<Seeded> {
  for (const customer_id of [paying, resting]) await seedCard(client, customer_id)
  const trial = { days: 14 }
  const { subscriptions } = client
  const born = await subscriptions.create({ customer_id: trying, items, trial }, key('trial'))
  const paid = await subscriptions.create({ customer_id: paying, items }, key('paid'))
  const paused = await subscriptions.create({ customer_id: resting, items, trial }, key('paused'))
  await subscriptions.pause(paused.id)
  for (const { id } of [born, paid, paused]) yield { id, about: 'Team plan' }
}

/** Two who live on a clock, three months later. */
async function* seedClock(client: Switchyard, items: Items): AsyncGenerator<Seeded> {
  const beginning = { now_at: '2027-01-01T00:00:00.000Z', name: 'Three months' }
  const clock = await client.testClocks.create(beginning, key('clock'))
  for (const [name, script] of Object.entries(fates)) {
    const own = (noun: string) => key(`${noun}-of-${name.replace(' ', '-')}`)
    const customer = await client.customers.create({ name, test_clock_id: clock.id }, own('customer'))
    await seedCard(client, customer.id, script)
    const { id } = await client.subscriptions.create({ customer_id: customer.id, items }, own('subscription'))
    yield { id, about: `Team plan of ${name}, on ${clock.id}` }
  }
  await client.testClocks.advance(clock.id, { to_at: '2027-04-05T00:00:00.000Z' }, key('advance'))
}

async function seedCard(
  client: Switchyard,
  customer_id: string,
  simulate: string | null = null,
): Promise<void> {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const own = (name: string) => key(`${name}-${customer_id}`)
  const token = await client.tokens.create({ type: 'card', card }, own('token'))
  const metadata = simulate === null ? {} : { simulate }
  const method = await client.paymentMethods.create({ token: token.id, metadata }, own('method'))
  await client.paymentMethods.attach(method.id, { customer_id }, own('attach'))
}
