/** Creates a test clock with a customer, a card and a subscription, and advances it by a year. */
import type { Switchyard } from '@switchyard/sdk'
import { type Preset, simulationCard, simulationPlan } from './presets.ts'

type OnProgress = (step: string) => void

/** Returns the id of the clock. `key` makes each request idempotent. */
export async function simulateYear(
  api: Switchyard,
  preset: Preset,
  key: string,
  onProgress: OnProgress,
): Promise<string> {
  const keyFor = (name: string) => ({ idempotencyKey: `${key}-${name}` })
  onProgress('Creating a clock, a customer, a price and a card…')
  const [{ clockId, customerId }, priceId, methodId] = await Promise.all([
    createCustomerOnClock(api, preset, keyFor),
    findOrCreatePrice(api, keyFor),
    createMethod(api, preset, keyFor),
  ])
  onProgress('Creating a subscription…')
  await api.paymentMethods.attach(methodId, { customer_id: customerId }, keyFor('attach'))
  await api.subscriptions.create(
    {
      customer_id: customerId,
      payment_method_id: methodId,
      items: [{ price_id: priceId }],
    },
    keyFor('subscription'),
  )
  onProgress('Advancing the clock by a year…')
  await api.testClocks.advance(clockId, { by: 'P1Y' }, keyFor('advance'))
  return clockId
}

type KeyFor = (name: string) => { idempotencyKey: string }

async function createCustomerOnClock(api: Switchyard, { text }: Preset, keyFor: KeyFor) {
  const clock = await api.testClocks.create({ name: text }, keyFor('clock'))
  const input = { name: 'Ada Lovelace', test_clock_id: clock.id }
  const customer = await api.customers.create(input, keyFor('customer'))
  return { clockId: clock.id, customerId: customer.id }
}

/** Reuses one price for all simulations, because prices are immutable. */
async function findOrCreatePrice(api: Switchyard, keyFor: KeyFor): Promise<string> {
  const { lookup_key, currency, unit_amount } = simulationPlan
  const { data } = await api.prices.list({ lookup_key, limit: 1 }).page()
  const [existing] = data
  if (existing?.active) return existing.id
  const product = await api.products.create({ name: simulationPlan.product }, keyFor('product'))
  const priceTerms = { product_id: product.id, currency, unit_amount, lookup_key, transfer_lookup_key: true }
  const price = await api.prices.create({ ...priceTerms, recurring: { interval: 'month' } }, keyFor('price'))
  return price.id
}

async function createMethod(api: Switchyard, { simulate }: Preset, keyFor: KeyFor): Promise<string> {
  const token = await api.tokens.create({ type: 'card', card: simulationCard }, keyFor('token'))
  const method = await api.paymentMethods.create(
    { token: token.id, usage: 'off_session', metadata: simulate === null ? {} : { simulate } },
    keyFor('method'),
  )
  return method.id
}
