/** Customers, products, prices, dunning policies, payment links, checkout sessions and test clocks. */
import { cards, type Recipes, type TriggerContext } from './trigger-context.ts'

export const objectRecipes = {
  'customer.created': { how: 'create a customer', run: ({ createCustomer }) => createCustomer() },
  'customer.updated': {
    how: 'create a customer, update it',
    run: async ({ client, createCustomer }) =>
      (await client.customers.update(await createCustomer(), { name: 'A. Lovelace' })).id,
  },
  'customer.deleted': {
    how: 'create a customer, delete it',
    run: async ({ client, createCustomer }) => (await client.customers.delete(await createCustomer())).id,
  },
  'cancellation_request.received': {
    how: 'submit a cancellation on the public page',
    run: async (context) => (await declareCancellation(context)).id,
  },
  'cancellation_request.updated': {
    how: 'submit a cancellation on the public page, reject it',
    run: async (context) =>
      (await context.client.cancellationRequests.reject((await declareCancellation(context)).id)).id,
  },
  'mail.bounced': {
    how: 'pay a checkout session as a payer whose address bounces',
    run: (context) => payWithAddress(context, 'bounce'),
  },
  'mail.complained': {
    how: 'pay a checkout session as a payer who marks the receipt as spam',
    run: (context) => payWithAddress(context, 'complaint'),
  },
  'product.created': { how: 'create a product', run: createProduct },
  'product.updated': {
    how: 'create a product, update it',
    run: async (context) =>
      (await context.client.products.update(await createProduct(context), { name: 'Family plan' })).id,
  },
  'product.deleted': {
    how: 'create a product, delete it',
    run: async (context) => (await context.client.products.delete(await createProduct(context))).id,
  },
  'price.created': { how: 'create a price', run: ({ createPrice }) => createPrice() },
  'price.updated': {
    how: 'create a price, update it',
    run: async ({ client, createPrice }) =>
      (await client.prices.update(await createPrice(), { active: false })).id,
  },
  'price.deleted': {
    how: 'create a price, delete it',
    run: async ({ client, createPrice }) => (await client.prices.delete(await createPrice())).id,
  },
  'coupon.created': { how: 'create a coupon', run: createCoupon },
  'coupon.updated': {
    how: 'create a coupon, archive it',
    run: async (context) =>
      (await context.client.coupons.update(await createCoupon(context), { active: false })).id,
  },
  'discount.created': {
    how: 'give a customer a discount',
    run: async (context) => (await createDiscount(context)).id,
  },
  'discount.removed': {
    how: 'give a customer a discount, remove it',
    run: async (context) => {
      const { id, customer_id } = await createDiscount(context)
      await context.client.customers.updateDiscounts(customer_id, { discounts: [] })
      return id
    },
  },
  'usage_alert.created': {
    how: 'create a usage alert',
    run: async (context) => (await createUsageAlert(context)).id,
  },
  'usage_alert.updated': {
    how: 'create a usage alert, archive it',
    run: async (context) =>
      (await context.client.usageAlerts.update((await createUsageAlert(context)).id, { active: false })).id,
  },
  'usage_alert.triggered': {
    how: 'create a usage alert, record usage that reaches the threshold',
    run: triggerUsageAlert,
  },
  'promotion_code.created': { how: 'create a promotion code', run: createPromotionCode },
  'promotion_code.updated': {
    how: 'create a promotion code, deactivate it',
    run: async (context) =>
      (await context.client.promotionCodes.update(await createPromotionCode(context), { active: false })).id,
  },
  'dunning_policy.created': { how: 'create a dunning policy', run: createPolicy },
  'dunning_policy.updated': {
    how: 'create a dunning policy, update it',
    run: async (context) =>
      (await context.client.dunningPolicies.update(await createPolicy(context), { name: 'Another name' })).id,
  },
  'payment_link.created': { how: 'create a payment link', run: createLink },
  'payment_link.updated': {
    how: 'create a payment link, update it',
    run: async (context) =>
      (await context.client.paymentLinks.update(await createLink(context), { description: 'Another book' }))
        .id,
  },
  'payment_link.deactivated': {
    how: 'create a payment link, deactivate it',
    run: async (context) => (await context.client.paymentLinks.deactivate(await createLink(context))).id,
  },
  'payment_link.completed': {
    how: 'create a payment link, open it as a payer, pay',
    run: async (context) => {
      const { id, url } = await context.client.paymentLinks.create({ amount: 1299, currency: 'eur' })
      const session = await openPaymentLink(context, url)
      const token = await context.createToken(cards.good)
      await context.client.checkoutSessions.confirm(session.id, session.client_secret, { token })
      return id
    },
  },
  'payment_link.expired': {
    how: 'create a payment link that expires in two seconds',
    run: async ({ client }) => {
      const expires_at = new Date(Date.now() + 2_000)
      return (await client.paymentLinks.create({ amount: 1299, currency: 'eur', expires_at })).id
    },
  },
  'checkout_session.created': {
    how: 'create a checkout session',
    run: async (context) => (await createSession(context)).id,
  },
  'checkout_session.completed': {
    how: 'create a checkout session, pay it',
    run: async (context) => {
      const { id, client_secret } = await createSession(context)
      await context.client.checkoutSessions.confirm(id, client_secret ?? '', {
        token: await context.createToken(cards.good),
      })
      return id
    },
  },
  'checkout_session.payment_succeeded': {
    how: 'pay a checkout session by SEPA debit, which the bank confirms after two seconds',
    run: (context) => paySessionByDebit(context, 'DE89370400440532013000'),
  },
  'checkout_session.payment_failed': {
    how: 'pay a checkout session by SEPA debit, which the bank rejects after two seconds',
    run: (context) => paySessionByDebit(context, 'DE59370400440532018002'),
  },
  'checkout_session.expired': {
    how: 'create a checkout session, expire it',
    run: async (context) =>
      (await context.client.checkoutSessions.expire((await createSession(context)).id)).id,
  },
  'test_clock.ready': {
    how: 'create a test clock, advance it by a day',
    run: async ({ createClock, advanceClock }) => {
      const id = await createClock()
      await advanceClock(id, 'P1D')
      return id
    },
  },
  'test_clock.failed': {
    why: 'A test clock only fails after an internal error.',
  },
} satisfies Recipes

async function createProduct({ client }: TriggerContext): Promise<string> {
  return (await client.products.create({ name: 'Team plan' })).id
}

async function createCoupon({ client }: TriggerContext): Promise<string> {
  return (await client.coupons.create({ name: 'Spring offer', percent_off: '20', duration: 'once' })).id
}

async function createDiscount(context: TriggerContext): Promise<{ id: string; customer_id: string }> {
  const discounts = [{ coupon_id: await createCoupon(context) }]
  const updated = await context.client.customers.updateDiscounts(await context.createCustomer(), {
    discounts,
  })
  const [discount] = updated.discounts
  if (discount === undefined) throw new Error('The customer has no discount.')
  return discount
}

async function createPromotionCode(context: TriggerContext): Promise<string> {
  const code = `SPRING-${crypto.randomUUID()}`
  return (await context.client.promotionCodes.create({ coupon_id: await createCoupon(context), code })).id
}

async function createUsageAlert({ client }: TriggerContext) {
  const event_name = `trigger_${crypto.randomUUID()}`
  const meter = await client.meters.create({ event_name, aggregation: 'count' })
  const input = { meter_id: meter.id, name: 'Created by switchyard trigger', threshold: '1' }
  return { id: (await client.usageAlerts.create(input)).id, event_name }
}

/** Returns the id of the alert, which the event contains. */
async function triggerUsageAlert(context: TriggerContext): Promise<string> {
  const { id, event_name } = await createUsageAlert(context)
  const customer_id = await context.createCustomer()
  await context.client.meterEvents.create({ events: [{ id, event_name, customer_id }] })
  return id
}

async function createPolicy({ client }: TriggerContext): Promise<string> {
  return (await client.dunningPolicies.create({ name: 'Created by switchyard trigger' })).id
}

async function createLink({ client }: TriggerContext): Promise<string> {
  return (await client.paymentLinks.create({ amount: 1299, currency: 'eur', description: 'A book' })).id
}

/** Submits a cancellation without an API token, as a subscriber does. */
async function declareCancellation({ client, signal }: TriggerContext) {
  const { cancellation_url: url } = await client.portalConfiguration.get()
  const body = new URLSearchParams({ name: 'Ada Lovelace', email: `ada+${Date.now()}@example.com` })
  await fetch(`${url}/cancellation`, { method: 'POST', body, signal })
  const { data } = await client.cancellationRequests.list({ limit: 1 }).page()
  if (data[0] === undefined) throw new Error('The cancellation request was not stored.')
  return data[0]
}

async function paySessionByDebit(context: TriggerContext, iban: string): Promise<string> {
  const { id, client_secret } = await createSession(context)
  const { id: token } = await context.client.tokens.create({
    type: 'sepa_debit',
    sepa_debit: {
      iban,
      account_holder_name: 'Ada Lovelace',
      email: 'ada@example.com',
      mandate: { text_version: '2026-11' },
    },
  })
  await context.client.checkoutSessions.confirm(id, client_secret ?? '', { token })
  return id
}

/** Pays with a new e-mail address that simulates a bounce or a complaint, and returns the id of the receipt. */
async function payWithAddress(context: TriggerContext, kind: 'bounce' | 'complaint'): Promise<string> {
  const { client } = context
  const email = `${kind}+${Date.now()}@example.com`
  const session = await client.checkoutSessions.create({ amount: 1299, currency: 'eur', collect: ['email'] })
  const token = await context.createToken(cards.good)
  await client.checkoutSessions.confirm(session.id, session.client_secret ?? '', { token, email })
  const { data } = await client.mails.list({ limit: 100 }).page()
  const receipt = data.find(({ to }) => to === email)
  if (receipt === undefined)
    throw new Error('There is no receipt. Switch on `receipt` in the e-mail settings.')
  return receipt.id
}

async function openPaymentLink({ client, signal }: TriggerContext, url: string) {
  const slug = new URL(url).pathname.split('/').at(-1)
  const response = await fetch(`${client.baseUrl}/checkout/links/${slug}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal,
  })
  if (!response.ok) throw new Error(`Opening the payment link failed with status ${response.status}.`)
  return (await response.json()) as { readonly id: string; readonly client_secret: string }
}

function createSession({ client }: TriggerContext) {
  return client.checkoutSessions.create({ amount: 1299, currency: 'eur', description: 'A book' })
}
