// Saved cards of returning payers: who sees them, who can pay with them, and what an attacker could find out.

import { expect, test, vi } from 'vitest'
import { cards, createLink, type PublicSession, payerAt } from '../../../../test/support/checkout.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { createWebhookSender } from '../../../../test/support/provider-webhooks.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile()
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url, TRUST_PROXY: 'true', RATE_LIMIT_TEST: '1000000' },
})
createWebhookSender(simulator, switchyard)
const payer = payerAt(switchyard.addresses.test, '198.51.100.7')
const show = { saved_methods: { show: true, save: 'off' } }

/** A customer who has saved a card with an earlier payment. */
async function customerWithCard(workspace: Workspace, email: string, number: string = cards.approved) {
  const session = await createSession(workspace, { collect: ['email'], saved_methods: { save: 'required' } })
  const paid = await payer.pay(session, number, { email })
  expect(paid, JSON.stringify(paid.body)).toMatchObject({ status: 200, body: { status: 'completed' } })
  const { body } = await workspace.get(`/checkout-sessions/${session.id}`)
  return { customerId: body.customer_id as string, methodId: body.payment_method_id as string }
}

async function createSession({ post }: Workspace, members: object = {}): Promise<PublicSession> {
  const { status, body } = await post('/checkout-sessions', { amount: 1299, currency: 'eur', ...members })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

const confirm = (session: PublicSession, body: object) =>
  payer.call('POST', `/checkout/sessions/${session.id}/confirm`, body, {
    'checkout-secret': session.client_secret,
  })

const requestCode = (slug: string, email: string, from = payer) =>
  from.call('POST', `/checkout/links/${slug}/login-codes`, { email })
const enterCode = (slug: string, id: string, code: string) =>
  payer.call('POST', `/checkout/links/${slug}/login-codes/${id}`, { code })

const mailsOf = async ({ get }: Workspace) =>
  (await get('/mails')).body.data.filter(({ kind }: { kind: string }) => kind === 'login_code')

/** In test mode the merchant can read the code. */
async function readCode(workspace: Workspace, count = 1): Promise<string> {
  await vi.waitFor(async () => expect(await mailsOf(workspace)).toHaveLength(count))
  const [{ id }] = await mailsOf(workspace)
  const { body } = await workspace.get(`/mails/${id}`)
  return /\b\d{6}\b/.exec(body.text)?.[0] ?? ''
}

const wrongCodeFor = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('a card that was saved with a payment is listed and charged in a session that the server created for the customer', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId, methodId } = await customerWithCard(workspace, 'ada@example.com')
  expect((await workspace.get(`/payment-methods/${methodId}`)).body).toMatchObject({
    customer_id: customerId,
    status: 'attached',
    usage: 'on_session',
  })

  const session = await createSession(workspace, { customer_id: customerId, ...show })
  const shown = await payer.fetchSession(session)
  const paid = await confirm(session, { payment_method_id: methodId })

  expect(shown.body.saved_methods).toEqual({
    access: 'listed',
    save: 'off',
    cards: [{ payment_method_id: methodId, brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }],
  })
  expect(paid, JSON.stringify(paid.body)).toMatchObject({
    status: 200,
    body: { status: 'completed', payment: { status: 'succeeded', card: { last4: '4242' } } },
  })
  const { body: payment } = await workspace.get(`/payments/${paid.body.payment.reference}`)
  expect(payment).toMatchObject({
    customer_id: customerId,
    payment_method_id: methodId,
    initiator: 'customer',
  })
  await ledger.expectMatch(payment)
  expect((await workspace.get(`/payment-methods?customer_id=${customerId}`)).body.data).toHaveLength(1)
})

test('a payment link shows saved cards only after the payer has entered the code from the e-mail, for subscriptions too', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId, methodId } = await customerWithCard(workspace, 'Ada@Example.com')
  const { body: product } = await workspace.post('/products', { name: 'Plan' })
  const { body: price } = await workspace.post('/prices', {
    product_id: product.id,
    currency: 'eur',
    unit_amount: 900,
    recurring: { interval: 'month' },
  })
  const link = await createLink(workspace, {
    mode: 'subscription',
    line_items: [{ price_id: price.id }],
    currency: undefined,
    ...show,
  })
  expect((await payer.fetchLink(link.slug)).body.saved_methods).toEqual({
    access: 'code',
    save: 'off',
    cards: [],
  })

  const requested = await requestCode(link.slug, 'ada@example.com')
  const code = await readCode(workspace)
  const wrong = await enterCode(link.slug, requested.body.id, wrongCodeFor(code))
  const entered = await enterCode(link.slug, requested.body.id, code)

  expect(wrong).toMatchObject({ status: 422, body: { code: 'login_code_invalid' } })
  expect(entered, JSON.stringify(entered.body)).toMatchObject({
    status: 200,
    body: { cards: [{ payment_method_id: methodId, brand: 'visa', last4: '4242' }] },
  })
  expect(Object.keys(entered.body.cards[0]).sort()).toEqual(
    ['brand', 'exp_month', 'exp_year', 'last4', 'payment_method_id'].sort(),
  )
  const session = await payer.openSession(link.slug)
  const { payer_secret } = entered.body
  const paid = await confirm(session, { payment_method_id: methodId, payer_secret, email: 'ada@example.com' })
  expect(paid, JSON.stringify(paid.body)).toMatchObject({ status: 200, body: { status: 'completed' } })
  expect((await workspace.get(`/checkout-sessions/${session.id}`)).body).toMatchObject({
    customer_id: customerId,
    payment_method_id: methodId,
  })
  await switchyard.settle()
  const { body: subscriptions } = await workspace.get(`/subscriptions?customer_id=${customerId}`)
  expect(subscriptions.data).toMatchObject([{ status: 'active', payment_method_id: methodId }])
})

test('with `ask`, the card is saved only if the payer agrees, and that requires an e-mail address', async () => {
  const workspace = await switchyard.newWorkspace()
  const ask = { saved_methods: { save: 'ask' } }
  const [first, second] = [await createSession(workspace, ask), await createSession(workspace, ask)]

  await payer.pay(first, cards.approved, { email: 'ada@example.com' })
  const withoutAddress = await payer.pay(second, cards.approved, { save_card: true })
  await payer.pay(second, cards.approved, { save_card: true, email: 'ada@example.com' })

  expect(withoutAddress).toMatchObject({ status: 400, body: { errors: [{ pointer: '/email' }] } })
  const saved = async ({ id }: PublicSession) =>
    (await workspace.get(`/checkout-sessions/${id}`)).body.payment_method_id
  expect(await saved(first)).toBeNull()
  expect(await saved(second)).toMatch(/^payment_method_test_/)
})

test('a code is invalid after five wrong entries, after ten minutes, and on another page', async () => {
  const workspace = await switchyard.newWorkspace()
  await customerWithCard(workspace, 'ada@example.com')
  const link = await createLink(workspace, { ...show, max_completions: null })
  const otherLink = await createLink(workspace, show)

  const first = await requestCode(link.slug, 'ada@example.com')
  const code = await readCode(workspace)
  expect(await enterCode(otherLink.slug, first.body.id, code)).toMatchObject({ status: 422 })
  const guesses = await Promise.all(
    Array.from({ length: 10 }, () => enterCode(link.slug, first.body.id, wrongCodeFor(code))),
  )
  expect(guesses.map(({ status }) => status)).toEqual(Array(10).fill(422))
  expect(await enterCode(link.slug, first.body.id, code)).toMatchObject({ status: 422 })

  const second = await requestCode(link.slug, 'ada@example.com')
  const secondCode = await readCode(workspace, 2)
  switchyard.clock.advance({ minutes: 11 })
  expect(await enterCode(link.slug, second.body.id, secondCode)).toMatchObject({ status: 422 })
})

test('known and unknown addresses get the same responses, and codes are limited per address and per network', async () => {
  const workspace = await switchyard.newWorkspace()
  await customerWithCard(workspace, 'ada@example.com')
  await workspace.post('/customers', { email: 'without-card@example.com' })
  const link = await createLink(workspace, { ...show, max_completions: null })
  const from = payerAt(switchyard.addresses.test, '203.0.113.5')
  const shapeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => ({
    status,
    members: Object.keys(body),
    object: body.object,
  })

  const known = await requestCode(link.slug, 'ada@example.com', from)
  const unknown = await requestCode(link.slug, 'eve@example.com', from)
  const withoutCard = await requestCode(link.slug, 'without-card@example.com', from)

  expect(shapeOf(unknown)).toEqual(shapeOf(known))
  expect(shapeOf(withoutCard)).toEqual(shapeOf(known))
  await readCode(workspace)
  expect(await mailsOf(workspace)).toMatchObject([{ to: 'ada@example.com' }])
  const guess = async (id: string) => (await enterCode(link.slug, id, '000000')).body.code
  expect([await guess(known.body.id), await guess(unknown.body.id)]).toEqual(
    Array(2).fill('login_code_invalid'),
  )
  const again = await Promise.all(
    Array.from({ length: 8 }, () => requestCode(link.slug, 'EVE@example.com', from)),
  )
  expect(again.filter(({ status }) => status === 201)).toHaveLength(4)
  expect(again.filter(({ status }) => status === 429)).toHaveLength(4)
  const others = await Promise.all(
    Array.from({ length: 20 }, (_, at) => requestCode(link.slug, `p${at}@example.com`, from)),
  )
  expect(others.filter(({ status }) => status === 201)).toHaveLength(20 - 7)
  const elsewhere = payerAt(switchyard.addresses.test, '192.0.2.5')
  expect(await requestCode(link.slug, 'p1@example.com', elsewhere)).toMatchObject({ status: 201 })
})

test('a new code replaces the earlier one, and wrong codes for many addresses block the codes of the workspace', async () => {
  const workspace = await switchyard.newWorkspace()
  await customerWithCard(workspace, 'ada@example.com')
  const link = await createLink(workspace, show)
  const first = await requestCode(link.slug, 'ada@example.com')
  const firstCode = await readCode(workspace)
  switchyard.clock.advance({ seconds: 1 })
  const second = await requestCode(link.slug, 'ada@example.com')
  const secondCode = await readCode(workspace, 2)
  expect(await enterCode(link.slug, first.body.id, firstCode)).toMatchObject({ status: 422 })
  expect(await enterCode(link.slug, second.body.id, secondCode)).toMatchObject({ status: 200 })

  // Wrong codes for 200 addresses, each from another network.
  const workspaceUuid = uuidOf(workspace.workspaceId as Id<'workspace'>)
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into login_codes (workspace_id, id, scope_id, email_hash, tries, created_at, expires_at)
       select workspace_id, gen_random_uuid(), scope_id, sha256(number::text::bytea), 1, created_at, expires_at
       from (select * from login_codes where workspace_id = $1 limit 1) as code, generate_series(1, 199) as number`,
      [workspaceUuid],
    ),
  )
  expect((await requestCode(link.slug, 'grace@example.com')).status).toBe(201)
  const { body: last } = await requestCode(link.slug, 'ada@example.com')
  await enterCode(link.slug, last.id, wrongCodeFor(await readCode(workspace, 3)))
  expect(await requestCode(link.slug, 'grace@example.com')).toMatchObject({ status: 429 })
  switchyard.clock.advance({ minutes: 61 })
  expect((await requestCode(link.slug, 'grace@example.com')).status).toBe(201)
})

test('a saved card of another customer or workspace is never charged, and no card is charged without a code', async () => {
  const workspace = await switchyard.newWorkspace()
  const foreign = await switchyard.newWorkspace()
  const ada = await customerWithCard(workspace, 'ada@example.com')
  const eve = await customerWithCard(workspace, 'eve@example.com', cards.other)
  const stranger = await customerWithCard(foreign, 'eve@example.com')
  const link = await createLink(workspace, { ...show, max_completions: null })
  const linkOfAda = await createLink(workspace, {
    ...show,
    customer_id: ada.customerId,
    max_completions: null,
  })
  const foreignLink = await createLink(foreign, { ...show, max_completions: null })

  const codeOfEve = await requestCode(link.slug, 'eve@example.com')
  const { body: asEve } = await enterCode(link.slug, codeOfEve.body.id, await readCode(workspace))
  const foreignCode = await requestCode(foreignLink.slug, 'eve@example.com')
  const { body: asForeignEve } = await enterCode(
    foreignLink.slug,
    foreignCode.body.id,
    await readCode(foreign),
  )
  // Ada's link sends no code to Eve, although Eve has a saved card.
  await requestCode(linkOfAda.slug, 'eve@example.com')

  const open = () => payer.openSession(link.slug)
  const ofEve = () => createSession(workspace, { customer_id: eve.customerId, ...show })
  const hidden = () => createSession(workspace, { customer_id: eve.customerId })
  const attacks: (readonly [PublicSession, object])[] = [
    [await open(), { payment_method_id: ada.methodId }],
    [await open(), { payment_method_id: eve.methodId }],
    [await open(), { payment_method_id: ada.methodId, payer_secret: asEve.payer_secret }],
    [await open(), { payment_method_id: stranger.methodId, payer_secret: asEve.payer_secret }],
    [await open(), { payment_method_id: stranger.methodId, payer_secret: asForeignEve.payer_secret }],
    [await open(), { payment_method_id: eve.methodId, payer_secret: asForeignEve.payer_secret }],
    [await open(), { payment_method_id: eve.methodId, payer_secret: 'x' }],
    [await payer.openSession(linkOfAda.slug), { payment_method_id: ada.methodId }],
    [
      await payer.openSession(linkOfAda.slug),
      { payment_method_id: ada.methodId, payer_secret: asEve.payer_secret },
    ],
    [await ofEve(), { payment_method_id: ada.methodId }],
    [await ofEve(), { payment_method_id: stranger.methodId }],
    [await ofEve(), { payment_method_id: 'payment_method_test_01M7CYVSCBEAKS6M475NRJM4KW' }],
    [await hidden(), { payment_method_id: eve.methodId }],
  ]
  for (const [session, body] of attacks) {
    const response = await confirm(session, { email: 'eve@example.com', ...body })
    expect([400, 422], JSON.stringify([body, response.body])).toContain(response.status)
  }

  expect((await payer.fetchLink(linkOfAda.slug)).body.saved_methods.cards).toEqual([])
  expect((await workspace.get('/payments?limit=100')).body.data).toHaveLength(2)
  expect((await foreign.get('/payments?limit=100')).body.data).toHaveLength(1)
  expect(await mailsOf(workspace)).toHaveLength(1)
  // The same proof can be used to pay with a card of its own customer.
  const allowed = await confirm(await open(), {
    payment_method_id: eve.methodId,
    payer_secret: asEve.payer_secret,
  })
  expect(allowed.body).toMatchObject({ status: 'completed', payment: { card: { last4: '4444' } } })
})

test.each([
  ['required', { email: 'ada@example.com' }],
  ['ask', { save_card: true }],
])(
  'with save %s, a payment with a method other than a card succeeds, and the method is not saved',
  async (save, members) => {
    const workspace = await switchyard.newWorkspace()
    const saved_methods = { save }
    const redirected = await createSession(workspace, { saved_methods })
    const debited = await createSession(workspace, { saved_methods })
    const sepa_debit = {
      iban: 'DE89370400440532013000',
      account_holder_name: 'Ada Lovelace',
      email: 'ada@example.com',
      mandate: { text_version: '2026-11' },
    }

    const ideal = await confirm(redirected, { ideal: {}, ...members })
    const debit = await confirm(debited, { sepa_debit, ...members })
    expect(ideal, JSON.stringify(ideal.body)).toMatchObject({
      status: 200,
      body: { status: 'processing', payment: { status: 'requires_action' } },
    })
    expect(debit, JSON.stringify(debit.body)).toMatchObject({
      status: 200,
      body: { status: 'completed', payment: { status: 'processing' } },
    })

    const { body: payment } = await workspace.get(`/payments/${debit.body.payment.reference}`)
    await ledger.advance(5_000)
    await ledger.flush(payment.provider_account_id)
    await switchyard.settle()
    expect((await workspace.get(`/checkout-sessions/${debited.id}`)).body).toMatchObject({
      payment_status: 'paid',
      customer_id: null,
      payment_method_id: null,
    })
    expect((await workspace.get(`/payments/${payment.id}`)).body.payment_method_id).toBeNull()
    expect((await workspace.get('/payment-methods')).body.data).toEqual([])
  },
)

test('a payment that no account can process does not count against the limit of the payer', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await createSession(workspace)
  for (const { id } of (await workspace.get('/provider-accounts')).body.data)
    await workspace.put(`/provider-accounts/${id}`, { capabilities: { methods: ['paypal'] } })
  const { tries_left: before } = (await payer.fetchSession(session)).body

  const refused = await confirm(session, { ideal: {} })

  expect(refused.body).toMatchObject({ status: 'open', payment: { status: 'failed' }, tries_left: before })
})

test('a removed card is neither shown nor charged', async () => {
  const workspace = await switchyard.newWorkspace()
  const { customerId, methodId } = await customerWithCard(workspace, 'ada@example.com')
  const session = await createSession(workspace, { customer_id: customerId, ...show })
  await workspace.post(`/payment-methods/${methodId}/detach`)

  expect((await payer.fetchSession(session)).body.saved_methods).toMatchObject({
    access: 'listed',
    cards: [],
  })
  expect(await confirm(session, { payment_method_id: methodId })).toMatchObject({ status: 400 })
})
