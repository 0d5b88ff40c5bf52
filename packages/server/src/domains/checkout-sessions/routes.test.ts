// Sessions that a server makes, and pages of merchants that pay in them with a publishable token.

import { expect, test } from 'vitest'
import { aLink, payerAt } from '../../../test/support/checkout.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { type CallOptions, switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const payer = payerAt(switchyard.addresses.test)

const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
const anOrder = { amount: 1299, currency: 'eur' }

async function aSession({ post }: Workspace, members: object = anOrder) {
  const { status, body } = await post('/checkout-sessions', members)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** A page of the merchant: a publishable token, and the secret of the session. */
async function pageOf(workspace: Workspace, secret: string) {
  const token = await workspace.tokenFor('publishable')
  const options: CallOptions = { token, headers: { 'checkout-secret': secret } }
  return {
    tokenize: async () => (await workspace.post('/tokens', { type: 'card', card }, { token })).body.id,
    see: (id: string) => workspace.get(`/checkout-sessions/${id}/public`, options),
    confirm: (id: string, body: object, key?: string) =>
      workspace.post(`/checkout-sessions/${id}/confirm`, body, {
        token,
        headers: { 'checkout-secret': secret, ...(key === undefined ? {} : { 'idempotency-key': key }) },
      }),
  }
}

test('a session is created with what was sent; address and secret are shown once', async () => {
  const workspace = await switchyard.newWorkspace()
  const customer_id = await workspace.aCustomer()
  const sent = {
    ...{ currency: 'eur', customer_id, description: 'Books', locale: 'de-CH' },
    line_items: [
      { name: 'A book', unit_amount: 1299, quantity: 2 },
      { name: 'Wrapping', unit_amount: 0, description: 'With a ribbon' },
    ],
    collect: ['name', 'shipping_address'],
    custom_fields: [{ key: 'size', label: 'Size', type: 'dropdown', options: ['S', 'M'], required: true }],
    ...{ success_url: 'https://shop.example.com/thanks?a=1', cancel_url: 'https://shop.example.com/cart' },
    metadata: { order: '4711' },
  }

  const created = await workspace.post('/checkout-sessions', sent, { headers: { 'idempotency-key': 'one' } })
  const repeated = await workspace.post('/checkout-sessions', sent, { headers: { 'idempotency-key': 'one' } })
  const { body: read } = await workspace.get(`/checkout-sessions/${created.body.id}`)

  expect(created.body).toMatchObject({
    ...{ object: 'checkout_session', status: 'open', amount: 2598, customer_id, tries_left: 5, payer: null },
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

test('a page of the merchant sees the session and pays in it, once', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await aSession(workspace, {
    ...anOrder,
    success_url: 'https://shop.example.com/thanks?a=1',
  })
  const page = await pageOf(workspace, session.client_secret)

  const seen = await page.see(session.id)
  const token = await page.tokenize()
  const paid = await page.confirm(session.id, { token, email: 'ada@example.com' }, 'press-1')
  const again = await page.confirm(session.id, { token, email: 'ada@example.com' }, 'press-1')

  expect(seen.body).toMatchObject({
    ...{ object: 'public_session', mode: 'test', status: 'open', amount: 1299, exponent: 2, payment: null },
    seller: { name: 'A workspace', logo_url: null, accent_color: null },
    success_url: `https://shop.example.com/thanks?a=1&checkout_session_id=${session.id}`,
  })
  expect(paid).toMatchObject({ status: 200, body: { status: 'completed', payment: { status: 'succeeded' } } })
  expect(again).toMatchObject({ status: 200, body: { payment: { reference: paid.body.payment.reference } } })
  expect((await workspace.get(`/checkout-sessions/${session.id}`)).body).toMatchObject({
    ...{ status: 'completed', payment_id: paid.body.payment.reference },
    payer: { email: 'ada@example.com', name: null, custom_fields: {} },
  })
  expect((await workspace.get('/payments')).body.data).toHaveLength(1)
})

test('without its secret nobody sees a session, and a secret opens no other one', async () => {
  const [workspace, stranger] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  const [one, other] = [await aSession(workspace), await aSession(workspace)]

  for (const secret of ['', 'cs_', 'cs_junk', other.client_secret, `${one.client_secret}A`]) {
    const answer = await (await pageOf(workspace, secret)).see(one.id)
    expect(answer, secret).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const door = await payer.see({ id: one.id, client_secret: secret })
    expect(door, secret).toMatchObject({ status: 401, body: { code: 'checkout_secret_invalid' } })
  }
  expect((await payer.see(one)).status).toBe(200)
  // The secret is right, but the token is that of somebody else.
  const elsewhere = await (await pageOf(stranger, one.client_secret)).see(one.id)
  expect(elsewhere).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('a session is over after its time, or when its seller says so, and cannot be paid then', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace, { max_completions: 9 })
  const [late, ended] = [await payer.openOne(link.slug), await payer.openOne(link.slug)]

  const expired = await workspace.post(`/checkout-sessions/${ended.id}/expire`)
  const again = await workspace.post(`/checkout-sessions/${ended.id}/expire`)
  switchyard.clock.advance({ minutes: 61 })
  const beforeItIsWritten = await payer.see(late)
  const refused = await payer.pay(late)
  await switchyard.settle()

  expect(expired).toMatchObject({ status: 200, body: { status: 'expired' } })
  expect(again.body).toEqual(expired.body)
  expect(beforeItIsWritten.body.status).toBe('expired')
  expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state', current_status: 'expired' } })
  expect((await workspace.get(`/checkout-sessions/${late.id}`)).body.status).toBe('expired')
  const types = (await workspace.eventsOf(late.id)).map(({ type }: { type: string }) => type)
  expect(types).toEqual(['checkout_session.created', 'checkout_session.expired'])
  expect((await workspace.get('/payments')).body.data).toEqual([])
})

test('a session that is completed cannot be expired', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await aSession(workspace)
  await payer.pay(session)

  const refused = await workspace.post(`/checkout-sessions/${session.id}/expire`)

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'invalid_state', current_status: 'completed', allowed_actions: [] },
  })
})

test('sessions are listed, all or those of a link', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace)
  const [own, opened] = [await aSession(workspace), await payer.openOne(link.slug)]

  const all = await workspace.get('/checkout-sessions')
  const ofLink = await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)
  const odd = await workspace.get('/checkout-sessions?payment_link_id=nonsense')

  const idsOf = ({ body }: typeof all) => body.data.map(({ id }: { id: string }) => id)
  expect(idsOf(all)).toEqual([opened.id, own.id])
  expect(idsOf(ofLink)).toEqual([opened.id])
  expect(odd).toMatchObject({ status: 400, body: { errors: [{ pointer: '/payment_link_id' }] } })
})

const withFields = {
  ...anOrder,
  collect: ['name', 'email', 'billing_address'],
  custom_fields: [
    { key: 'size', label: 'Size', type: 'dropdown', options: ['S', 'M'], required: true },
    { key: 'age', label: 'Age', type: 'numeric' },
  ],
}

test('all that is missing is told at once, before a card is looked at', async () => {
  const session = await aSession(await switchyard.newWorkspace(), withFields)

  const refused = await payer.pay(session, '4242424242424242', {
    email: 'ada@example.com',
    billing_address: { line1: 'Square 1', country: 'GB' },
    custom_fields: { age: 'old', shoe: '42' },
  })

  expect(refused.status).toBe(400)
  const places = refused.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [
    pointer,
    code,
  ])
  expect(places).toEqual([
    ['/name', 'required'],
    ['/billing_address/city', 'required'],
    ['/custom_fields/shoe', 'unknown_member'],
    ['/custom_fields/size', 'required'],
    ['/custom_fields/age', 'bad_format'],
  ])
})

test('what the payer typed is kept with the session and told to the provider', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await aSession(workspace, withFields)
  const typed = {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    billing_address: { line1: 'Square 1', city: 'London', country: 'GB', postal_code: 'SW1Y 4JH' },
    custom_fields: { size: 'M' },
  }

  const { status } = await payer.pay(session, '4242424242424242', typed)

  expect(status).toBe(200)
  const { body } = await workspace.get(`/checkout-sessions/${session.id}`)
  expect(body.payer).toEqual({
    ...typed,
    billing_address: { ...typed.billing_address, line2: null, state: null },
    phone: null,
    shipping_address: null,
  })
})

test.each([
  [{ number: '4242424242424241' }, 400, '/card/number'],
  [{ exp_year: 2020 }, 400, '/card/exp_year'],
  [{ cvc: '12' }, 400, '/card/cvc'],
  [{ number: '4000000000000002' }, 422, undefined],
])('a card with %j is refused, and points at the field', async (change, status, pointer) => {
  const workspace = await switchyard.newWorkspace()
  const session = await aSession(workspace)
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
])('%j is refused at %s as %s', async (members, pointer, code) => {
  const { post } = await switchyard.newWorkspace()

  const refused = await post('/checkout-sessions', { currency: 'eur', ...members })

  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } })
})
