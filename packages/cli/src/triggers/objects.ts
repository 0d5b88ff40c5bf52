/** Objects that one makes, changes and removes: customers, products, prices, policies, links, sessions, endpoints. */
import { cards, type Recipes, type World } from './world.ts'

export const objectRecipes = {
  'customer.created': { how: 'create a customer', run: ({ customer }) => customer() },
  'customer.updated': {
    how: 'create a customer, change it',
    run: async ({ client, customer }) =>
      (await client.customers.update(await customer(), { name: 'A. Lovelace' })).id,
  },
  'customer.deleted': {
    how: 'create a customer, delete it',
    run: async ({ client, customer }) => (await client.customers.delete(await customer())).id,
  },
  'product.created': { how: 'create a product', run: aProduct },
  'product.updated': {
    how: 'create a product, change it',
    run: async (world) =>
      (await world.client.products.update(await aProduct(world), { name: 'Family plan' })).id,
  },
  'product.deleted': {
    how: 'create a product, delete it',
    run: async (world) => (await world.client.products.delete(await aProduct(world))).id,
  },
  'price.created': { how: 'create a price', run: ({ price }) => price() },
  'price.updated': {
    how: 'create a price, change it',
    run: async ({ client, price }) => (await client.prices.update(await price(), { active: false })).id,
  },
  'price.deleted': {
    how: 'create a price, delete it',
    run: async ({ client, price }) => (await client.prices.delete(await price())).id,
  },
  'dunning_policy.created': { how: 'create a dunning policy', run: aPolicy },
  'dunning_policy.updated': {
    how: 'create a dunning policy, change it',
    run: async (world) =>
      (await world.client.dunningPolicies.update(await aPolicy(world), { name: 'Another name' })).id,
  },
  'payment_link.created': { how: 'create a payment link', run: aLink },
  'payment_link.updated': {
    how: 'create a payment link, change it',
    run: async (world) =>
      (await world.client.paymentLinks.update(await aLink(world), { description: 'Another book' })).id,
  },
  'payment_link.deactivated': {
    how: 'create a payment link, deactivate it',
    run: async (world) => (await world.client.paymentLinks.deactivate(await aLink(world))).id,
  },
  'payment_link.completed': {
    how: 'create a payment link, open it as its payer, pay there',
    run: async (world) => {
      const { id, url } = await world.client.paymentLinks.create({ amount: 1299, currency: 'eur' })
      const session = await openedBy(world, url)
      const token = await world.token(cards.good)
      await world.client.checkoutSessions.confirm(session.id, session.client_secret, { token })
      return id
    },
  },
  'payment_link.expired': {
    how: 'create a payment link that ends in two seconds',
    run: async ({ client }) => {
      const expires_at = new Date(Date.now() + 2_000)
      return (await client.paymentLinks.create({ amount: 1299, currency: 'eur', expires_at })).id
    },
  },
  'checkout_session.created': {
    how: 'create a checkout session',
    run: async (world) => (await aSession(world)).id,
  },
  'checkout_session.completed': {
    how: 'create a checkout session, pay in it',
    run: async (world) => {
      const { id, client_secret } = await aSession(world)
      await world.client.checkoutSessions.confirm(id, client_secret ?? '', {
        token: await world.token(cards.good),
      })
      return id
    },
  },
  'checkout_session.expired': {
    how: 'create a checkout session, expire it',
    run: async (world) => (await world.client.checkoutSessions.expire((await aSession(world)).id)).id,
  },
  'test_clock.ready': {
    how: 'create a test clock, advance it by a day',
    run: async ({ clock, advance }) => {
      const id = await clock()
      await advance(id, 'P1D')
      return id
    },
  },
  'test_clock.failed': {
    why: 'Something on a clock has to fail that never should: no call brings it about.',
  },
} satisfies Recipes

async function aProduct({ client }: World): Promise<string> {
  return (await client.products.create({ name: 'Team plan' })).id
}

async function aPolicy({ client }: World): Promise<string> {
  return (await client.dunningPolicies.create({ name: 'Made by switchyard trigger' })).id
}

async function aLink({ client }: World): Promise<string> {
  return (await client.paymentLinks.create({ amount: 1299, currency: 'eur', description: 'A book' })).id
}

/** What the page of a link asks for when a payer comes. It has no token, so it is not a call of the API. */
async function openedBy({ client, signal }: World, url: string) {
  const slug = new URL(url).pathname.split('/').at(-1)
  const answer = await fetch(`${client.baseUrl}/checkout/links/${slug}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal,
  })
  if (!answer.ok) throw new Error(`The page of the link was answered with ${answer.status}.`)
  return (await answer.json()) as { readonly id: string; readonly client_secret: string }
}

function aSession({ client }: World) {
  return client.checkoutSessions.create({ amount: 1299, currency: 'eur', description: 'A book' })
}
