/** Makes somebody who lives on a clock, with a card and a subscription, and lets a year pass. */
import type { Switchyard } from '@switchyard/sdk'
import { card, type Preset, plan } from './presets.ts'

type Say = (step: string) => void

/** Answers the id of the clock. `key` makes each of the calls one that can be repeated. */
export async function liveAYear(api: Switchyard, preset: Preset, key: string, say: Say): Promise<string> {
  const own = (name: string) => ({ idempotencyKey: `${key}-${name}` })
  say('Making a clock, a customer, a price and a card…')
  const [{ clockId, customerId }, priceId, methodId] = await Promise.all([
    somebodyOnClock(api, preset, own),
    priceOf(api, own),
    methodOf(api, preset, own),
  ])
  say('Making a subscription…')
  await api.paymentMethods.attach(methodId, { customer_id: customerId }, own('attach'))
  await api.subscriptions.create(
    {
      customer_id: customerId,
      payment_method_id: methodId,
      items: [{ price_id: priceId }],
    },
    own('subscription'),
  )
  say('A year passes…')
  await api.testClocks.advance(clockId, { by: 'P1Y' }, own('advance'))
  return clockId
}

type Own = (name: string) => { idempotencyKey: string }

async function somebodyOnClock(api: Switchyard, { text }: Preset, own: Own) {
  const clock = await api.testClocks.create({ name: text }, own('clock'))
  const person = { name: 'Ada Lovelace', test_clock_id: clock.id }
  const customer = await api.customers.create(person, own('customer'))
  return { clockId: clock.id, customerId: customer.id }
}

/** The same price for every year that is lived: prices are never changed, so there need not be many. */
async function priceOf(api: Switchyard, own: Own): Promise<string> {
  const { lookup_key, currency, unit_amount } = plan
  const { data } = await api.prices.list({ lookup_key, limit: 1 }).page()
  const [known] = data
  if (known?.active) return known.id
  const product = await api.products.create({ name: plan.product }, own('product'))
  const terms = { product_id: product.id, currency, unit_amount, lookup_key, transfer_lookup_key: true }
  const price = await api.prices.create({ ...terms, recurring: { interval: 'month' } }, own('price'))
  return price.id
}

async function methodOf(api: Switchyard, { simulate }: Preset, own: Own): Promise<string> {
  const token = await api.tokens.create({ type: 'card', card }, own('token'))
  const method = await api.paymentMethods.create(
    { token: token.id, usage: 'off_session', metadata: simulate === null ? {} : { simulate } },
    own('method'),
  )
  return method.id
}
