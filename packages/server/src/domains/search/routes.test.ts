import { beforeAll, expect, test } from 'vitest'
import { aToken, cards, createMethod, impatient } from '../../../test/support/payment-methods.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { aSubscription } from '../../../test/support/subscriptions.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { foundKinds } from './query.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

/** The same with little patience, for a provider that is silent. */
const impatientOne = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: impatient,
})

type Found = { object: string; id: string; title: string; detail: string | null }

async function search({ get }: Workspace, q: string): Promise<Found[]> {
  const { status, body } = await get(`/search?q=${encodeURIComponent(q)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

async function aPayment(workspace: Workspace, members: object = {}) {
  const order = { amount: 4000, currency: 'eur', token: await aToken(workspace), ...members }
  return (await workspace.post('/payments', order)).body
}

/** One object of each kind that can be found. */
async function everything(workspace: Workspace): Promise<Record<string, string>> {
  const { get, post } = workspace
  const customer = await workspace.aCustomer({ name: 'Ada Lovelace' })
  const payment = await aPayment(workspace)
  const endpoint = await workspace.anEndpoint('http://127.0.0.1:1024/webhooks')
  const { body: delivery } = await post(`/webhook-endpoints/${endpoint}/test`)
  const subscription = await aSubscription(workspace, { customer_id: customer, trial: { days: 14 } })
  const { body: link } = await post('/payment-links', { amount: 1299, currency: 'eur' })
  const { body: session } = await post('/checkout-sessions', { amount: 1299, currency: 'eur' })
  const { body: route } = await post('/payment-routes', { name: 'Cards', default: { type: 'decline' } })
  const request = String((await get('/me')).headers.get('request-id'))
  await switchyard.flushRequestLog()
  return {
    ...{ customer, payment: payment.id, webhook_endpoint: endpoint, delivery: delivery.id, request },
    refund: (await post('/refunds', { payment_id: payment.id })).body.id,
    payment_method: (await createMethod(workspace)).body.id,
    ...{ subscription: subscription.id, price: subscription.items[0].price_id },
    product: (await get('/products')).body.data[0].id,
    invoice: await workspace.anInvoice(),
    ...{ payment_link: link.id, checkout_session: session.id, payment_route: route.id },
    provider_account: (await get('/provider-accounts')).body.data[0].id,
    event: (await get('/events?limit=1')).body.data[0].id,
    dunning_campaign: await workspace.aCampaign(),
    dunning_policy: (await post('/dunning-policies', { name: 'Patient' })).body.id,
    test_clock: (await post('/test-clocks', { name: 'A year' })).body.id,
  }
}

test('each kind is found by its id at once, and by nobody else', async () => {
  const workspace = await switchyard.newWorkspace()
  const stranger = await switchyard.newWorkspace()
  const ids = await everything(workspace)

  expect(Object.keys(ids).toSorted()).toEqual([...foundKinds].toSorted())
  for (const [object, id] of Object.entries(ids)) {
    const hits = await search(workspace, id)
    expect(hits).toEqual([{ object, id, title: expect.stringMatching(/./), detail: hits[0]?.detail }])
    expect(await search(stranger, id)).toEqual([])
  }
})

test('a customer is found by e-mail whatever its case, until it is deleted', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await workspace.aCustomer({ name: 'Ada Lovelace', email: 'Ada@Example.com' })

  const hit = { object: 'customer', id, title: 'Ada Lovelace', detail: 'Ada@Example.com' }
  expect(await search(workspace, 'ADA@example.com')).toEqual([hit])

  await workspace.delete(`/customers/${id}`)
  expect(await search(workspace, 'ADA@example.com')).toEqual([])
  expect(await search(workspace, id)).toEqual([])
})

test('a payment is found by its order, by its card with the amount, and by what the provider calls it', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, provider_reference } = await aPayment(workspace, { order_reference: 'Order 4711' })
  await aPayment(workspace, { amount: 4001 })
  await aPayment(workspace, { amount: 4000, currency: 'jpy' })
  const hit = { object: 'payment', id, title: 'EUR 40.00', detail: 'succeeded · visa 4242 · Order 4711' }

  for (const q of ['Order 4711', '4242 40.00', '4242 40.00 eur', provider_reference, `${id.slice(-26)}-1`])
    expect(await search(workspace, q), q).toEqual([hit])
  for (const q of ['order 4711', 'Order', '4242 40.00 usd', '1111 40.00', provider_reference.slice(0, -1)])
    expect(await search(workspace, q), q).toEqual([])
  expect(await search(workspace, '4242 4000')).toMatchObject([{ title: 'JPY 4000' }])
})

test('a payment of which nobody knows what became of it is found by its card all the same', async () => {
  const workspace = await impatientOne.newWorkspace()
  const token = await aToken(workspace, cards.silentAfterCharging)
  const { body } = await workspace.post('/payments', { amount: 4000, currency: 'eur', token })

  expect(await search(workspace, '0007 40.00')).toMatchObject([
    { object: 'payment', id: body.id ?? body.payment?.id, detail: 'processing · visa 0007' },
  ])
})

test('a refund is found by what the provider calls it, an invoice by its number', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id: payment_id } = await aPayment(workspace)
  const { body: refund } = await workspace.post('/refunds', { payment_id, amount: 100 })
  const { body: invoice } = await workspace.get(`/invoices/${await workspace.anInvoice()}`)

  expect(await search(workspace, refund.provider_reference)).toEqual([
    { object: 'refund', id: refund.id, title: 'EUR 1.00', detail: 'refund · succeeded' },
  ])
  expect(await search(workspace, invoice.number.toLowerCase())).toEqual([
    { object: 'invoice', id: invoice.id, title: invoice.number, detail: 'EUR 29.99 · open' },
  ])
})

test('at most 20 are answered, the newest first', async () => {
  const workspace = await switchyard.newWorkspace()
  const ids: string[] = []
  for (let nth = 0; nth < 22; nth += 1) ids.push(await workspace.aCustomer({ email: 'many@example.com' }))

  const hits = await search(workspace, 'many@example.com')

  expect(hits.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20))
})

test.each(['', 'q=', `q=${'x'.repeat(201)}`, 'q=a&limit=3'])('GET /search?%s is refused', async (query) => {
  const { get } = await switchyard.newWorkspace()

  expect(await get(`/search?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
})

let filled: Workspace
beforeAll(async () => {
  filled = await switchyard.newWorkspace()
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('create extension if not exists pg_stat_statements')
    // Nothing tells of these rows, so the triggers that ask for an event sleep meanwhile.
    await client.query('set session_replication_role = replica')
    for (const text of filling) await client.query(text, [uuidOf(filled.workspaceId as Id<'workspace'>)])
    await client.query('analyze')
  })
})

const filling = [
  `insert into customers (workspace_id, id, email, created_at, updated_at)
   select $1, uuidv7(), 'c' || n || '@example.com', now(), now() from generate_series(1, 20000) as n`,
  `insert into payments (workspace_id, id, status, purpose, amount, currency, capture_method, initiator,
     three_d_secure, card, card_last4, order_reference, created_at, updated_at)
   select $1, uuidv7(), 'failed', 'payment', 1000 + n, 'eur', 'automatic', 'customer', 'auto',
     '{"brand": "visa", "last4": "4242"}', '4242', 'order ' || n, now(), now() from generate_series(1, 20000) as n`,
  `insert into operations (workspace_id, payment_id, id, attempt_id, kind, number, reference, status, amount, currency,
     provider_account_id, provider_reference, lease_until, created_at, updated_at)
   select $1, id, uuidv7(), id, 'authorize', 1, id::text, 'declined', amount, 'eur', id, 'ref ' || order_reference,
     now(), now(), now() from payments where workspace_id = $1`,
]

test.each(['c777@example.com', 'order 777', 'ref order 777', '4242 17.77', 'INV-777'])(
  'in a filled workspace, "%s" reads a few pages and not the table',
  async (q) => {
    const reset = (text: string) => asOwner(switchyard.databaseUrl, (client) => client.query(text))
    // The first calls of a statement plan it, and that reads catalogs.
    for (let nth = 0; nth < 7; nth += 1) await search(filled, q)
    await reset('select pg_stat_statements_reset()')
    const hits = await search(filled, q)
    const { rows } = await reset(
      `select query, (shared_blks_hit + shared_blks_read)::int as pages from pg_stat_statements
       where query like '%order by id desc limit%'
         and dbid = (select oid from pg_database where datname = current_database())`,
    )

    expect(hits).toHaveLength(q === 'INV-777' ? 0 : 1)
    expect(rows.length).toBeGreaterThan(0)
    // The tables have hundreds of pages. An index is three high, and payments lie in four partitions.
    for (const { query, pages } of rows) expect(pages, query).toBeLessThan(80)
  },
)
