import { beforeAll, expect, test } from 'vitest'
import { createLink, payerAt } from '../../../../test/support/checkout.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { cards, createMethod, createToken, shortTimeouts } from '../../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { aSubscription } from '../../../../test/support/subscriptions.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { searchableKinds } from './query.ts'

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  plans: 'default',
})

/** With short timeouts, for a provider that does not respond. */
const shortTimeoutSwitchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: shortTimeouts,
})

type Hit = { object: string; id: string; title: string; detail: string | null }

async function search({ get }: Workspace, q: string): Promise<Hit[]> {
  const { status, body } = await get(`/search?q=${encodeURIComponent(q)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

async function createPayment(workspace: Workspace, members: object = {}) {
  const input = { amount: 4000, currency: 'eur', token: await createToken(workspace), ...members }
  return (await workspace.post('/payments', input)).body
}

/** Creates one object of each searchable kind, and returns their ids. */
async function createOneOfEach(workspace: Workspace): Promise<Record<string, string>> {
  const { get, post } = workspace
  const customer = await workspace.aCustomer({ name: 'Ada Lovelace' })
  const payment = await createPayment(workspace)
  const endpoint = await workspace.anEndpoint('http://127.0.0.1:1024/webhooks')
  const { body: delivery } = await post(`/webhook-endpoints/${endpoint}/test`)
  const subscription = await aSubscription(workspace, { customer_id: customer, trial: { days: 14 } })
  const { body: link } = await post('/payment-links', { amount: 1299, currency: 'eur' })
  const { body: session } = await post('/checkout-sessions', { amount: 1299, currency: 'eur' })
  const { body: route } = await post('/payment-routes', { name: 'Cards', default: { type: 'decline' } })
  const request = String((await get('/me')).headers.get('request-id'))
  await switchyard.flushRequestLog()
  return {
    customer,
    payment: payment.id,
    webhook_endpoint: endpoint,
    delivery: delivery.id,
    request,
    refund: (await post('/refunds', { payment_id: payment.id })).body.id,
    payment_method: (await createMethod(workspace)).body.id,
    subscription: subscription.id,
    price: subscription.items[0].price_id,
    product: (await get('/products')).body.data[0].id,
    invoice: await workspace.anInvoice(),
    payment_link: link.id,
    checkout_session: session.id,
    payment_route: route.id,
    provider_account: (await get('/provider-accounts')).body.data[0].id,
    event: (await get('/events?limit=1')).body.data[0].id,
    dunning_campaign: await workspace.aCampaign(),
    dunning_policy: (await post('/dunning-policies', { name: 'Patient' })).body.id,
    test_clock: (await post('/test-clocks', { name: 'A year' })).body.id,
  }
}

test('an object of each kind is found by its id immediately, and not in other workspaces', async () => {
  const workspace = await switchyard.newWorkspace()
  const otherWorkspace = await switchyard.newWorkspace()
  const ids = await createOneOfEach(workspace)

  expect(Object.keys(ids).toSorted()).toEqual([...searchableKinds].toSorted())
  for (const [object, id] of Object.entries(ids)) {
    const hits = await search(workspace, id)
    expect(hits).toEqual([{ object, id, title: expect.stringMatching(/./), detail: hits[0]?.detail }])
    expect(await search(otherWorkspace, id)).toEqual([])
  }
})

test('a customer is found by email address, ignoring case, until it is deleted', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.aCustomer({ name: 'Ada Lovelace', email: 'Ada@Example.com' })

  const hit = { object: 'customer', id, title: 'Ada Lovelace', detail: 'Ada@Example.com' }
  expect(await search(workspace, 'ADA@example.com')).toEqual([hit])

  await workspace.delete(`/customers/${id}`)
  expect(await search(workspace, 'ADA@example.com')).toEqual([])
  expect(await search(workspace, id)).toEqual([])
})

test('a customer is found by the beginnings of words of the name in any order, until it is renamed or deleted', async () => {
  const workspace = await switchyard.newWorkspace()
  const otherWorkspace = await switchyard.newWorkspace()
  const id = await workspace.aCustomer({ name: 'Zoë Müller-Lüdenscheidt', email: 'zoe@example.com' })
  await workspace.aCustomer({ name: 'Zoe Smith' })
  const hit = { object: 'customer', id, title: 'Zoë Müller-Lüdenscheidt', detail: 'zoe@example.com' }

  for (const q of ['Zoë Müller', 'muller', 'LÜDEN zoe', 'lud zo mul', 'zoe@exam', 'Müller-Lüdenscheidt'])
    expect(await search(workspace, q), q).toEqual([hit])
  for (const q of ['üller', 'muller smith', 'muller zoey', '@example.com', '!'])
    expect(await search(workspace, q), q).toEqual([])
  expect(await search(workspace, 'zoe')).toHaveLength(2)
  expect(await search(otherWorkspace, 'zoe')).toEqual([])

  await workspace.put(`/customers/${id}`, { name: 'Ada Lovelace' })
  expect(await search(workspace, 'muller')).toEqual([])
  expect(await search(workspace, 'lovelace')).toMatchObject([{ id }])

  await workspace.delete(`/customers/${id}`)
  expect(await search(workspace, 'lovelace')).toEqual([])
  expect(await termsOf(id as Id<'customer'>)).toEqual([])
})

/**
 * The search index entries of a customer. A deleted customer must have none, since they are personal data.
 */
async function termsOf(id: Id<'customer'>): Promise<string[]> {
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select term from search_terms where object_id = $1', [uuidOf(id)]),
  )
  return rows.map(({ term }) => term)
}

test('a product is found by name until it is deleted', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: product } = await workspace.post('/products', { name: 'Northern Atlas' })

  expect(await search(workspace, 'atlas')).toEqual([
    { object: 'product', id: product.id, title: 'Northern Atlas', detail: 'active' },
  ])
  await workspace.delete(`/products/${product.id}`)
  expect(await search(workspace, 'atlas')).toEqual([])
})

test('the payer of a payment link is found by name and by email address', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { collect: ['name', 'email'] })
  const payer = payerAt(workspace.address)
  const session = await payer.openSession(link.slug)
  await payer.pay(session, cards.approved, { name: 'Grace Hopper', email: 'Grace@Example.com' })

  for (const q of ['hopper', 'grace hop', 'grace@example.com'])
    expect(await search(workspace, q), q).toEqual([
      {
        object: 'checkout_session',
        id: session.id,
        title: 'Grace Hopper',
        detail: 'checkout session · €12.99 · completed',
      },
    ])
})

test('the last four digits of a card find its payments, the newest first', async () => {
  const workspace = await switchyard.newWorkspace()
  const first = await createPayment(workspace)
  const second = await createPayment(workspace, { amount: 999 })

  expect((await search(workspace, '4242')).map(({ id }) => id)).toEqual([second.id, first.id])
  expect(await search(workspace, '4243')).toEqual([])
})

test('a payment is found by order reference, by card with amount, and by provider reference', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, provider_reference } = await createPayment(workspace, { order_reference: 'Order 4711' })
  await createPayment(workspace, { amount: 4001 })
  await createPayment(workspace, { amount: 4000, currency: 'jpy' })
  const hit = { object: 'payment', id, title: '€40.00', detail: 'succeeded · Visa •••• 4242 · Order 4711' }

  for (const q of ['Order 4711', '4242 40.00', '4242 40.00 eur', provider_reference, `${id.slice(-26)}-1`])
    expect(await search(workspace, q), q).toEqual([hit])
  for (const q of ['order 4711', 'Order', '4242 40.00 usd', '1111 40.00', provider_reference.slice(0, -1)])
    expect(await search(workspace, q), q).toEqual([])
  expect(await search(workspace, '4242 4000')).toMatchObject([{ title: '¥4,000' }])
})

test('a payment with an unknown outcome is also found by its card', async () => {
  const workspace = await shortTimeoutSwitchyard.newWorkspace()
  const token = await createToken(workspace, cards.noResponse)
  const { body } = await workspace.post('/payments', { amount: 4000, currency: 'eur', token })

  expect(await search(workspace, '0007 40.00')).toMatchObject([
    { object: 'payment', id: body.id ?? body.payment?.id, detail: 'processing · Visa •••• 0007' },
  ])
})

test('a refund is found by provider reference, and an invoice by its number', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id: payment_id } = await createPayment(workspace)
  const { body: refund } = await workspace.post('/refunds', { payment_id, amount: 100 })
  const { body: invoice } = await workspace.get(`/invoices/${await workspace.anInvoice()}`)

  expect(await search(workspace, refund.provider_reference)).toEqual([
    { object: 'refund', id: refund.id, title: '€1.00', detail: 'refund · succeeded' },
  ])
  expect(await search(workspace, invoice.number.toLowerCase())).toEqual([
    { object: 'invoice', id: invoice.id, title: invoice.number, detail: '€29.99 · open' },
  ])
})

test('at most 20 results are returned, newest first', async () => {
  const workspace = await switchyard.newWorkspace()
  const ids: string[] = []
  for (let nth = 0; nth < 22; nth += 1) ids.push(await workspace.aCustomer({ email: 'many@example.com' }))

  const hits = await search(workspace, 'many@example.com')

  expect(hits.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20))
})

test.each(['', 'q=', `q=${'x'.repeat(201)}`, 'q=a&limit=3'])('GET /search?%s is rejected', async (query) => {
  const { get } = await switchyard.newWorkspace()

  expect(await get(`/search?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

let largeWorkspace: Workspace
beforeAll(async () => {
  largeWorkspace = await switchyard.newWorkspace()
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('create extension if not exists pg_stat_statements')
    // These rows emit no event, so the triggers that require one are disabled.
    await client.query('set session_replication_role = replica')
    for (const text of fillStatements)
      await client.query(text, [uuidOf(largeWorkspace.workspaceId as Id<'workspace'>)])
    await client.query('analyze')
  })
})

const fillStatements = [
  `insert into customers (workspace_id, id, name, email, created_at, updated_at)
   select $1, uuidv7(), 'Given' || n % 100 || ' Family' || n, 'c' || n || '@example.com', now(), now()
   from generate_series(1, 20000) as n`,
  `insert into search_terms (workspace_id, kind, object_id, term)
   select $1, 'customer', id, unnest(search_terms_of(name, email)) from customers where workspace_id = $1`,
  // Every thousandth payment has another card.
  `insert into payments (workspace_id, id, status, purpose, amount, currency, capture_method, initiator,
     three_d_secure, card, card_last4, order_reference, created_at, updated_at)
   select $1, uuidv7(), 'failed', 'payment', 1000 + n, 'eur', 'automatic', 'customer', 'auto',
     '{"brand": "visa", "last4": "4242"}', case n % 1000 when 0 then '1881' else '4242' end, 'order ' || n, now(), now()
   from generate_series(1, 20000) as n`,
  `insert into operations (workspace_id, payment_id, id, attempt_id, kind, number, reference, status, amount, currency,
     provider_account_id, provider_reference, lease_until, created_at, updated_at)
   select $1, id, uuidv7(), id, 'authorize', 1, id::text, 'declined', amount, 'eur', id, 'ref ' || order_reference,
     now(), now(), now() from payments where workspace_id = $1`,
]

// biome-ignore format: a table.
test.each([
  ['c777@example.com', 1],
  ['order 777', 1],
  ['ref order 777', 1],
  ['4242 17.77', 1],
  ['family777', 11],
  ['given77 family777', 2],
  ['4242', 20],
  ['1881', 20],
  ['INV-777', 0],
] as const)(
  'in a workspace with 20,000 customers and payments, a search for "%s" reads only a few index pages',
  async (q, count) => {
    const query = (text: string) => asOwner(switchyard.databaseUrl, (client) => client.query(text))
    // Postgres plans the first executions of a statement, which reads catalogs.
    for (let nth = 0; nth < 7; nth += 1) await search(largeWorkspace, q)
    await query('select pg_stat_statements_reset()')
    const hits = await search(largeWorkspace, q)
    const { rows } = await query(
      `select query, (shared_blks_hit + shared_blks_read)::int as pages from pg_stat_statements
       where query like '%order by id desc limit%'
         and dbid = (select oid from pg_database where datname = current_database())`,
    )

    expect(hits).toHaveLength(count)
    expect(rows.length).toBeGreaterThan(0)
    // The tables have hundreds of pages. An index has three levels, and payments have four partitions.
    for (const { query: statement, pages } of rows) expect(pages, statement).toBeLessThan(80)
  },
)
