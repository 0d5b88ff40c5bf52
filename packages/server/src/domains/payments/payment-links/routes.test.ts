import { expect, test } from 'vitest'
import { createLink, payerAt, slugOf } from '../../../../test/support/checkout.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { asOwner } from '../../../platform/db/owner.ts'
import { confirmation } from '../card-tokens/vault.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const payer = payerAt(switchyard.addresses.test)
const withVault = await switchyardForThisFile({ environment: { VAULT_LIVE: 'true' } })

const eventTypesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

test('a link is created with the requested members and defaults, and a read returns the same object', async () => {
  const { post, get, eventsOf, aCustomer } = await switchyard.newWorkspace()
  const customer_id = await aCustomer()
  const sent = {
    amount: 1299,
    currency: 'eur',
    customer_id,
    description: 'A book 漢字',
    locale: 'ja-JP',
    collect: ['phone'],
    custom_fields: [{ key: 'size', label: 'Size' }],
    after_completion: { type: 'redirect', url: 'https://shop.example.com/thanks' },
    metadata: { order: '4711' },
  }

  const created = await post('/payment-links', sent)

  expect(created.status).toBe(201)
  expect(created.headers.get('etag')).toBe('"1"')
  expect(created.body).toEqual({
    ...sent,
    mode: 'payment',
    subscription: null,
    saved_methods: { show: false, save: 'off' },
    allow_promotion_codes: false,
    id: expect.stringMatching(/^payment_link_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'payment_link',
    url: expect.stringMatching(/\/l\/[\w-]{64}$/),
    status: 'active',
    open_amount: null,
    line_items: null,
    max_completions: 1,
    completed_count: 0,
    payment_route_id: null,
    capture_method: 'automatic',
    custom_fields: [{ key: 'size', label: 'Size', type: 'text', required: false, options: [] }],
    after_completion: { type: 'redirect', message: null, url: 'https://shop.example.com/thanks' },
    expires_at: '2026-12-14T12:00:00.000Z',
    created_at: '2026-11-14T12:00:00.000Z',
    updated_at: '2026-11-14T12:00:00.000Z',
  })
  expect((await get(`/payment-links/${created.body.id}`)).body).toEqual(created.body)
  expect(await eventsOf(created.body.id)).toMatchObject([
    { type: 'payment_link.created', sequence: 1, object: created.body },
  ])
})

test('the public view of a link contains only the members that a payer needs', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.put('/workspace', {
    branding: { display_name: 'Café Zürich', accent_color: '#ffd200' },
  })
  const line_items = [{ name: 'A book', unit_amount: 500, quantity: 3 }]
  const link = await createLink(workspace, {
    currency: 'bhd',
    line_items,
    customer_id: await workspace.aCustomer(),
    metadata: { secret: 'mine' },
  })

  const { status, headers, body } = await payer.fetchLink(link.slug)

  expect(status).toBe(200)
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(body).toEqual({
    object: 'public_link',
    card_entry: { component: 'card_form', provider: null, provider_account_id: null, config: {} },
    other_methods: [],
    saved_methods: { access: 'none', save: 'off', cards: [] },
    allow_promotion_codes: false,
    discounts: [],
    id: link.id,
    checkout_mode: 'payment',
    subscription: null,
    mode: 'test',
    status: 'active',
    currency: 'bhd',
    exponent: 3,
    seller: {
      name: 'Café Zürich',
      logo_url: null,
      accent_color: '#ffd200',
      accent_text_color: '#000000',
    },
    amount: 1500,
    open_amount: null,
    line_items: link.line_items,
    collect: [],
    custom_fields: [],
    locale: null,
    description: null,
    expires_at: link.expires_at,
    test_cards: expect.arrayContaining([{ number: '4242424242424242', outcome: 'approved' }]),
  })
})

test('a link with an invalid signature in its slug is not found', async () => {
  const workspace = await switchyard.newWorkspace()
  const { slug } = await createLink(workspace)
  const tampered = `${slug.slice(0, 30)}${slug[30] === 'A' ? 'B' : 'A'}${slug.slice(31)}`

  for (const text of [tampered, slug.slice(1), `${slug}A`, 'x', `${slug.slice(0, -1)}=`])
    expect(await payer.fetchLink(text), text).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await payerAt(switchyard.addresses.live).fetchLink(slug)).toMatchObject({ status: 404 })
  expect((await payer.fetchLink(slug)).status).toBe(200)
})

test('a link can be deactivated and activated again, with events', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const session = await payer.openSession(link.slug)

  const key = { headers: { 'idempotency-key': 'deactivate' } }
  const deactivated = await workspace.post(`/payment-links/${link.id}/deactivate`, {}, key)
  const repeated = await workspace.post(`/payment-links/${link.id}/deactivate`, {}, key)
  const again = await workspace.post(`/payment-links/${link.id}/deactivate`)
  const [publicLink, opened, publicSession, paid] = [
    await payer.fetchLink(link.slug),
    await payer.createSession(link.slug),
    await payer.fetchSession(session),
    await payer.pay(session),
  ]
  const activated = await workspace.post(`/payment-links/${link.id}/activate`)

  expect(deactivated).toMatchObject({ status: 200, body: { status: 'inactive' } })
  expect([repeated.body, again.body]).toEqual([deactivated.body, deactivated.body])
  expect(publicLink.body.status).toBe('inactive')
  expect(publicSession.body.status).toBe('expired')
  for (const refused of [opened, paid])
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'invalid_state', current_status: 'inactive' },
    })
  expect(activated.body.status).toBe('active')
  expect((await payer.pay(session)).body.status).toBe('completed')
  expect(await eventTypesOf(workspace, link.id)).toEqual(
    ['created', 'deactivated', 'updated', 'completed'].map((verb) => `payment_link.${verb}`),
  )
})

test('a link expires, and its expiry can be extended', async () => {
  const workspace = await switchyard.newWorkspace()
  const expires_at = '2026-11-14T13:00:00.000Z'
  const link = await createLink(workspace, { expires_at })
  const session = await payer.openSession(link.slug)
  expect((await payer.fetchSession(session)).body.expires_at).toBe(expires_at)

  switchyard.clock.advance({ hours: 2 })
  const beforeWorker = await payer.fetchLink(link.slug)
  await switchyard.settle()
  const expired = await workspace.get(`/payment-links/${link.id}`)
  const tooLate = await workspace.post(`/payment-links/${link.id}/activate`)
  await workspace.put(`/payment-links/${link.id}`, { expires_at: '2026-12-24T12:00:00.000Z' })
  const active = await workspace.post(`/payment-links/${link.id}/activate`)

  expect(beforeWorker.body.status).toBe('expired')
  expect(expired.body.status).toBe('expired')
  expect(tooLate).toMatchObject({ status: 409, body: { current_status: 'expired' } })
  expect(active).toMatchObject({ status: 200, body: { status: 'active' } })
  expect(await eventTypesOf(workspace, link.id)).toEqual(
    ['created', 'expired', 'updated', 'updated'].map((verb) => `payment_link.${verb}`),
  )
})

test('the limit of a completed link can be raised, but not set below the number of payments', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { max_completions: 2 })
  for (const session of [await payer.openSession(link.slug), await payer.openSession(link.slug)])
    await payer.pay(session)

  const tooFew = await workspace.put(`/payment-links/${link.id}`, { max_completions: 1 })
  await workspace.put(`/payment-links/${link.id}`, { max_completions: null })
  await workspace.post(`/payment-links/${link.id}/activate`)
  const third = await payer.pay(await payer.openSession(link.slug))

  expect(tooFew).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/max_completions', code: 'too_small' }] },
  })
  expect(third.body.status).toBe('completed')
  expect((await workspace.get(`/payment-links/${link.id}`)).body).toMatchObject({
    status: 'active',
    max_completions: null,
    completed_count: 3,
  })
})

test('an update keeps omitted members, and cannot change the amount', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { description: 'A book', metadata: { a: '1', b: '2' } })
  const path = `/payment-links/${link.id}`

  const changed = await workspace.put(path, { locale: 'fr', metadata: { a: null } })
  const same = await workspace.put(path, { locale: 'fr' })
  const stale = await workspace.put(path, { locale: 'de' }, { headers: { 'if-match': '"1"' } })
  const withNewAmount = await workspace.put(path, { amount: 9999 })

  expect(changed.body).toMatchObject({
    description: 'A book',
    locale: 'fr',
    metadata: { b: '2' },
    amount: 1299,
  })
  expect(same.headers.get('etag')).toBe('"2"')
  expect(stale).toMatchObject({ status: 412, body: { code: 'version_mismatch' } })
  expect(withNewAmount).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/amount', code: 'unknown_member' }] },
  })
  expect(await workspace.eventsOf(link.id)).toMatchObject([
    { type: 'payment_link.created' },
    { type: 'payment_link.updated', previous: { locale: null, metadata: { a: '1', b: '2' } } },
  ])
})

test('payers choose an open amount within its bounds, when opening the link or when paying', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, {
    open_amount: { min: 500, max: 5000, suggested: 1000 },
    max_completions: 9,
  })

  const low = await payer.createSession(link.slug, { amount: 499 })
  const chosen = await payer.pay(await payer.openSession(link.slug, { amount: 700 }))
  const open = await payer.openSession(link.slug)
  const missing = await payer.pay(open)
  const high = await payer.pay(open, '4242424242424242', { amount: 5001 })
  const atMaximum = await payer.pay(open, '4242424242424242', { amount: 5000 })

  expect(low).toMatchObject({ status: 400, body: { errors: [{ pointer: '/amount', code: 'too_small' }] } })
  expect(chosen.body).toMatchObject({ status: 'completed', amount: 700, payment: { amount: 700 } })
  expect(missing).toMatchObject({ status: 400, body: { errors: [{ pointer: '/amount', code: 'required' }] } })
  expect(high).toMatchObject({ status: 400, body: { errors: [{ pointer: '/amount', code: 'too_large' }] } })
  expect(atMaximum.body).toMatchObject({ status: 'completed', amount: 5000, payment: { amount: 5000 } })
})

test('payers choose an adjustable quantity, but never the price', async () => {
  const workspace = await switchyard.newWorkspace()
  const books = [{ name: 'A book', unit_amount: 1000, adjustable_quantity: true }]
  const link = await createLink(workspace, { line_items: books, max_completions: 9 })
  const fixed = await createLink(workspace)

  const three = await payer.openSession(link.slug, { quantity: 3 })
  const cheap = await payer.pay(three, '4242424242424242', { amount: 1 })
  const paid = await payer.pay(three)

  expect(cheap).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/amount', code: 'not_together' }] },
  })
  expect(paid.body).toMatchObject({
    amount: 3000,
    payment: { amount: 3000 },
    items: [{ name: 'A book', quantity: 3, unit_amount: 1000, amount: 3000 }],
  })
  for (const body of [{ quantity: 2 }, { amount: 1 }])
    expect(await payer.createSession(fixed.slug, body)).toMatchObject({ status: 400 })
})

test('links are listed, and can be filtered by status', async () => {
  const workspace = await switchyard.newWorkspace()
  const [first, second] = [await createLink(workspace), await createLink(workspace)]
  await workspace.post(`/payment-links/${first.id}/deactivate`)

  const all = await workspace.get('/payment-links')
  const active = await workspace.get('/payment-links?status=active')

  const idsOf = ({ body }: typeof all) => body.data.map(({ id }: { id: string }) => id)
  expect(idsOf(all)).toEqual([second.id, first.id])
  expect(idsOf(active)).toEqual([second.id])
})

test.each([
  [{ currency: 'eur' }, 400, '/amount'],
  [{ currency: 'eur', amount: 0 }, 400, '/amount'],
  [{ currency: 'eur', amount: 5, expires_at: '2026-11-13T12:00:00.000Z' }, 400, '/expires_at'],
  [
    { currency: 'eur', amount: 5, after_completion: { type: 'redirect', url: 'javascript:alert(1)' } },
    400,
    '/after_completion/url',
  ],
  [{ currency: 'eur', amount: 5, after_completion: { type: 'redirect' } }, 400, '/after_completion/url'],
  [{ currency: 'eur', amount: 5, customer_id: 'customer_test_nobody' }, 422, '/customer_id'],
  [{ currency: 'eur', amount: 5, payment_route_id: 'payment_route_test_none' }, 422, '/payment_route_id'],
  [{ currency: 'eur', amount: 5, collect: ['shoe_size'] }, 400, '/collect/0'],
  [{ currency: 'eur', amount: 5, max_completions: 0 }, 400, '/max_completions'],
])('%j is rejected with status %i and an error at %s', async (body, status, pointer) => {
  const { post } = await switchyard.newWorkspace()

  const refused = await post('/payment-links', body)

  expect(refused, JSON.stringify(refused.body)).toMatchObject({ status, body: { errors: [{ pointer }] } })
})

test('in live mode without the vault, no link or session can be created, and the page of an existing one takes no card', async () => {
  const workspace = await withVault.newWorkspace('live')
  const order = { amount: 5, currency: 'eur' }
  const refused = {
    status: 403,
    body: { code: 'raw_cards_disabled', detail: expect.stringContaining('cannot take a card in production') },
  }

  expect(await workspace.post('/payment-links', order)).toMatchObject(refused)
  expect(await workspace.post('/checkout-sessions', order)).toMatchObject(refused)
  expect((await workspace.get('/payment-links')).body.data).toEqual([])

  await workspace.post('/vault/confirm', { confirmation })
  const { status, body: link } = await workspace.post('/payment-links', order)
  const session = await workspace.post('/checkout-sessions', order)
  const livePayer = payerAt(withVault.addresses.live)
  const slug = slugOf(link)
  expect([status, session.status]).toEqual([201, 201])

  const page = {
    token: await workspace.tokenFor('publishable'),
    headers: { 'checkout-secret': session.body.client_secret },
  }
  const fetchFromMerchantPage = () => workspace.get(`/checkout-sessions/${session.body.id}/public`, page)
  expect((await livePayer.fetchSession(session.body)).body.status).toBe('open')
  expect((await fetchFromMerchantPage()).body.status).toBe('open')

  // The vault was disabled, but the link and the session still exist.
  await asOwner(withVault.databaseUrl, (client) => client.query('delete from vault_confirmations'))
  const withoutCards = { body: { card_entry: null } }
  expect(await livePayer.fetchLink(slug)).toMatchObject({ status: 200, ...withoutCards })
  expect(await livePayer.createSession(slug)).toMatchObject({ status: 201, ...withoutCards })
  expect(await livePayer.fetchSession(session.body)).toMatchObject({ status: 200, ...withoutCards })
  expect(await fetchFromMerchantPage()).toMatchObject({ status: 200, ...withoutCards })
  expect(await livePayer.pay(session.body)).toMatchObject({
    status: 403,
    body: { code: 'raw_cards_disabled' },
  })
})

test('in live mode a link can redirect payers only to an https URL', async () => {
  const { post } = await withVault.newWorkspace('live')
  await post('/vault/confirm', { confirmation })
  const createLink = (url: string) =>
    post('/payment-links', { ...order, after_completion: { type: 'redirect', url } })
  const order = { amount: 5, currency: 'eur' }

  expect(await createLink('http://shop.example.com')).toMatchObject({ status: 400 })
  const { status, body } = await createLink('https://shop.example.com')
  expect(status).toBe(201)
  expect(await payerAt(withVault.addresses.live).fetchLink(slugOf(body))).toMatchObject({
    status: 200,
    body: { mode: 'live' },
  })
})
