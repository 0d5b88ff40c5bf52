// Sessions created by a server, and merchant pages that pay in them with a publishable token.

import { expect, test } from 'vitest'
import { cards, createLink, payerAt } from '../../../../test/support/checkout.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import {
  type CallOptions,
  switchyardForThisFile,
  type Workspace,
} from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const payer = payerAt(switchyard.addresses.test)
const withFewOpens = await switchyardForThisFile({
  environment: { TRUST_PROXY: 'true', CHECKOUT_OPENS_PER_LINK: '1' },
})

const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
const order = { amount: 1299, currency: 'eur' }

async function createSession({ post }: Workspace, members: object = order) {
  const { status, body } = await post('/checkout-sessions', members)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** A merchant page: a publishable token, and the secret of the session. */
async function pageOf(workspace: Workspace, secret: string) {
  const token = await workspace.tokenFor('publishable')
  const options: CallOptions = { token, headers: { 'checkout-secret': secret } }
  return {
    tokenize: async () => (await workspace.post('/tokens', { type: 'card', card }, { token })).body.id,
    fetchSession: (id: string) => workspace.get(`/checkout-sessions/${id}/public`, options),
    confirm: (id: string, body: object, key?: string) =>
      workspace.post(`/checkout-sessions/${id}/confirm`, body, {
        token,
        headers: { 'checkout-secret': secret, ...(key === undefined ? {} : { 'idempotency-key': key }) },
      }),
  }
}

test('a session is created with the requested members, and its URL and secret are returned once', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const sent = {
    currency: 'eur',
    customer_id,
    description: 'Books',
    locale: 'de-CH',
    line_items: [
      { name: 'A book', unit_amount: 1299, quantity: 2 },
      { name: 'Wrapping', unit_amount: 0, description: 'With a ribbon' },
    ],
    collect: ['name', 'shipping_address'],
    custom_fields: [{ key: 'size', label: 'Size', type: 'dropdown', options: ['S', 'M'], required: true }],
    success_url: 'https://shop.example.com/thanks?a=1',
    cancel_url: 'https://shop.example.com/cart',
    metadata: { order: '4711' },
  }

  const created = await workspace.post('/checkout-sessions', sent, { headers: { 'idempotency-key': 'one' } })
  const repeated = await workspace.post('/checkout-sessions', sent, { headers: { 'idempotency-key': 'one' } })
  const { body: read } = await workspace.get(`/checkout-sessions/${created.body.id}`)

  expect(created.body).toMatchObject({
    object: 'checkout_session',
    status: 'open',
    amount: 2598,
    customer_id,
    tries_left: 5,
    payer: null,
    line_items: [
      { name: 'A book', unit_amount: 1299, quantity: 2, description: null, adjustable_quantity: false },
      { name: 'Wrapping', unit_amount: 0, quantity: 1, description: 'With a ribbon' },
    ],
    expires_at: '2026-11-15T12:00:00.000Z',
  })
  expect(created.body.url).toBe(
    `${switchyard.addresses.test}/c/${created.body.id}#${created.body.client_secret}`,
  )
  expect(repeated.body).toEqual({ ...created.body, url: null, client_secret: null })
  expect(read).toEqual(repeated.body)
  const [event] = await workspace.eventsOf(created.body.id)
  expect(event).toMatchObject({ type: 'checkout_session.created', object: read })
})

test('a merchant page fetches the session and confirms it, and the payer is charged once', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace, {
    ...order,
    success_url: 'https://shop.example.com/thanks?a=1',
  })
  const page = await pageOf(workspace, session.client_secret)

  const publicSession = await page.fetchSession(session.id)
  const token = await page.tokenize()
  const paid = await page.confirm(session.id, { token, email: 'ada@example.com' }, 'press-1')
  const again = await page.confirm(session.id, { token, email: 'ada@example.com' }, 'press-1')

  expect(publicSession.body).toMatchObject({
    object: 'public_session',
    mode: 'test',
    status: 'open',
    amount: 1299,
    exponent: 2,
    payment: null,
    seller: { name: 'A workspace', logo_url: null, accent_color: null },
    success_url: `https://shop.example.com/thanks?a=1&checkout_session_id=${session.id}`,
  })
  expect(paid).toMatchObject({ status: 200, body: { status: 'completed', payment: { status: 'succeeded' } } })
  expect(again).toMatchObject({ status: 200, body: { payment: { reference: paid.body.payment.reference } } })
  expect((await workspace.get(`/checkout-sessions/${session.id}`)).body).toMatchObject({
    status: 'completed',
    payment_id: paid.body.payment.reference,
    payer: { email: 'ada@example.com', name: null, custom_fields: {} },
  })
  expect((await workspace.get('/payments')).body.data).toHaveLength(1)
})

test('a session cannot be read without its secret, or with the secret of another session', async () => {
  const [workspace, otherWorkspace] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const [session, other] = [await createSession(workspace), await createSession(workspace)]

  for (const secret of ['', 'cs_', 'cs_junk', other.client_secret, `${session.client_secret}A`]) {
    const fromMerchantPage = await (await pageOf(workspace, secret)).fetchSession(session.id)
    expect(fromMerchantPage, secret).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const fromHostedPage = await payer.fetchSession({ id: session.id, client_secret: secret })
    expect(fromHostedPage, secret).toMatchObject({ status: 401, body: { code: 'checkout_secret_invalid' } })
  }
  expect((await payer.fetchSession(session)).status).toBe(200)
  // The secret is correct, but the token belongs to another workspace.
  const fromOtherWorkspace = await (await pageOf(otherWorkspace, session.client_secret)).fetchSession(
    session.id,
  )
  expect(fromOtherWorkspace).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('a session expires at its expiry time or on request, and then cannot be paid', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { max_completions: 9 })
  const [expiring, ended] = [await payer.openSession(link.slug), await payer.openSession(link.slug)]
  // A session of a link is created when its payer first tries to pay.
  for (const session of [expiring, ended]) await payer.pay(session, cards.declined)

  const expired = await workspace.post(`/checkout-sessions/${ended.id}/expire`)
  const again = await workspace.post(`/checkout-sessions/${ended.id}/expire`)
  switchyard.clock.advance({ minutes: 61 })
  const beforeWorker = await payer.fetchSession(expiring)
  const refused = await payer.pay(expiring)
  await switchyard.settle()

  expect(expired).toMatchObject({ status: 200, body: { status: 'expired' } })
  expect(again.body).toEqual(expired.body)
  expect(beforeWorker.body.status).toBe('expired')
  expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state', current_status: 'expired' } })
  expect((await workspace.get(`/checkout-sessions/${expiring.id}`)).body.status).toBe('expired')
  const types = (await workspace.eventsOf(expiring.id)).map(({ type }: { type: string }) => type)
  expect(types).toEqual(['checkout_session.created', 'checkout_session.expired'])
  const { body: payments } = await workspace.get('/payments')
  expect(payments.data.map(({ status }: { status: string }) => status)).toEqual(['failed', 'failed'])
})

test('opening a link stores nothing and emits nothing, and the first try to pay creates the session once', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.anEndpoint('http://127.0.0.1:9/hook', { event_types: ['*'] })
  const link = await createLink(workspace, { max_completions: null, open_amount: { min: 100, max: 900 } })
  const sessionsOfLink = async () =>
    (await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)).body.data
  const countDeliveries = async () => (await workspace.get('/deliveries')).body.data.length
  const before = await countDeliveries()

  const opened = await Promise.all(
    Array.from({ length: 50 }, () => payer.openSession(link.slug, { amount: 700 })),
  )
  const session = opened[0] as (typeof opened)[number]
  const publicSession = await payer.fetchSession(session)
  const [unknown] = [await workspace.get(`/checkout-sessions/${session.id}`)]

  expect(new Set(opened.map(({ id }) => id)).size).toBe(50)
  expect(publicSession.body).toMatchObject({ id: session.id, status: 'open', amount: 700, tries_left: 5 })
  expect(await sessionsOfLink()).toEqual([])
  expect(unknown.status).toBe(404)
  expect(await countDeliveries()).toBe(before)

  // Invalid input creates nothing either.
  expect((await payer.pay(session, '4242424242424241')).status).toBe(400)
  expect(await sessionsOfLink()).toEqual([])

  const responses = await Promise.all(Array.from({ length: 5 }, () => payer.pay(session)))
  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect(await sessionsOfLink()).toMatchObject([{ id: session.id, status: 'completed', amount: 700 }])
  const types = (await workspace.eventsOf(session.id)).map(({ type }: { type: string }) => type)
  expect(types).toEqual(['checkout_session.created', 'checkout_session.completed'])
  expect((await workspace.get('/payments')).body.data).toHaveLength(1)
})

test('a secret in which the choices of the payer were changed is rejected', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { max_completions: null, open_amount: { min: 100, max: 900 } })
  const session = await payer.openSession(link.slug, { amount: 700 })
  const bytes = Buffer.from(session.client_secret.slice(3), 'base64url')
  const changed = Buffer.concat([
    bytes.subarray(0, 32),
    Buffer.from(bytes.subarray(32).toString().replace('700', '100')),
  ])

  const forged = { ...session, client_secret: `cs_${changed.toString('base64url')}` }
  const truncated = { ...session, client_secret: `cs_${bytes.subarray(0, 32).toString('base64url')}` }

  for (const secret of [forged, truncated])
    expect(await payer.pay(secret)).toMatchObject({ status: 401, body: { code: 'checkout_secret_invalid' } })
})

test('a completed session cannot be expired', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace)
  await payer.pay(session)

  const refused = await workspace.post(`/checkout-sessions/${session.id}/expire`)

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'completed', allowed_actions: [] },
  })
})

test('sessions are listed for the workspace or for one payment link', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const [created, opened] = [await createSession(workspace), await payer.openSession(link.slug)]
  await payer.pay(opened)

  const all = await workspace.get('/checkout-sessions')
  const sessionsOfLink = await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)
  const invalidFilter = await workspace.get('/checkout-sessions?payment_link_id=nonsense')

  const idsOf = ({ body }: typeof all) => body.data.map(({ id }: { id: string }) => id)
  expect(idsOf(all)).toEqual([opened.id, created.id])
  expect(idsOf(sessionsOfLink)).toEqual([opened.id])
  expect(invalidFilter).toMatchObject({ status: 400, body: { errors: [{ pointer: '/payment_link_id' }] } })
})

const withFields = {
  ...order,
  collect: ['name', 'email', 'billing_address'],
  custom_fields: [
    { key: 'size', label: 'Size', type: 'dropdown', options: ['S', 'M'], required: true },
    { key: 'age', label: 'Age', type: 'numeric' },
  ],
}

test('all missing and invalid members are reported together, before the card is checked', async () => {
  const session = await createSession(await switchyard.newWorkspace(), withFields)

  const refused = await payer.pay(session, '4242424242424242', {
    email: 'ada@example.com',
    billing_address: { line1: 'Square 1', country: 'GB' },
    custom_fields: { age: 'old', shoe: '42' },
  })

  expect(refused.status).toBe(400)
  const errors = refused.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [
    pointer,
    code,
  ])
  expect(errors).toEqual([
    ['/name', 'required'],
    ['/billing_address/city', 'required'],
    ['/custom_fields/shoe', 'unknown_member'],
    ['/custom_fields/size', 'required'],
    ['/custom_fields/age', 'bad_format'],
  ])
})

test('the details that the payer entered are stored with the session and sent to the provider', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace, withFields)
  const details = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    billing_address: { line1: 'Square 1', city: 'London', country: 'GB', postal_code: 'SW1Y 4JH' },
    custom_fields: { size: 'M' },
  }

  const { status } = await payer.pay(session, '4242424242424242', details)

  expect(status).toBe(200)
  const { body } = await workspace.get(`/checkout-sessions/${session.id}`)
  expect(body.payer).toEqual({
    ...details,
    billing_address: { ...details.billing_address, line2: null, state: null },
    phone: null,
    shipping_address: null,
  })
})

test.each([
  [{ number: '4242424242424241' }, 400, '/card/number'],
  [{ exp_year: 2020 }, 400, '/card/exp_year'],
  [{ cvc: '12' }, 400, '/card/cvc'],
  [{ number: '4000000000000002' }, 422, undefined],
])('a card with %j is rejected with a pointer to the member', async (change, status, pointer) => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace)
  const secret = { 'checkout-secret': session.client_secret }

  const refused = await payer.call(
    'POST',
    `/checkout/sessions/${session.id}/confirm`,
    { card: { ...card, ...change } },
    secret,
  )

  expect(refused.status).toBe(status)
  expect(refused.body.errors?.[0]?.pointer).toBe(pointer)
  expect(JSON.stringify(refused.body)).not.toContain('42424242')
  expect((await workspace.get('/payments')).body.data).toEqual([])
})

test.each([
  [{}, '/amount', 'required'],
  [{ amount: 5, open_amount: { min: 1, max: 2 } }, '/open_amount', 'not_together'],
  [{ open_amount: { min: 5, max: 2 } }, '/open_amount/max', 'too_small'],
  [{ open_amount: { min: 5, max: 9, suggested: 10 } }, '/open_amount/suggested', 'bad_format'],
  [{ line_items: [{ name: 'Nothing', unit_amount: 0 }] }, '/line_items', 'too_small'],
  [{ amount: 5, success_url: 'javascript:alert(1)' }, '/success_url', 'bad_format'],
  [{ amount: 5, expires_at: '2026-11-10T12:00:00.000Z' }, '/expires_at', 'too_small'],
  [{ amount: 5, expires_at: '2026-12-14T12:00:00.000Z' }, '/expires_at', 'too_large'],
  [
    { amount: 5, custom_fields: [{ key: 'size', label: 'Size', type: 'dropdown' }] },
    '/custom_fields/0/options',
    'required',
  ],
])('%j is rejected with an error at %s: %s', async (members, pointer, code) => {
  const { post } = await switchyard.newWorkspace()

  const refused = await post('/checkout-sessions', { currency: 'eur', ...members })

  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } })
})

test('a link that is opened too often, even from many networks, returns 429 with Retry-After, and is not locked', async () => {
  const workspace = await withFewOpens.newWorkspace()
  const [link, otherLink] = [await createLink(workspace), await createLink(workspace)]
  const open = (slug: string, index: number) =>
    payerAt(withFewOpens.addresses.test, `192.0.${index}.1`).createSession(slug)

  const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => open(link.slug, index)))
  const refused = responses.filter(({ status }) => status !== 201)

  expect(responses.length - refused.length).toBeGreaterThanOrEqual(2)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers, body } of refused) {
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(headers.get('retry-after')).toBe('1')
  }
  expect((await open(otherLink.slug, 1)).status).toBe(201)
  await expect.poll(async () => (await open(link.slug, 1)).status, { interval: 1_100 }).toBe(201)
})
