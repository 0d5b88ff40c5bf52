// Confirms checkout sessions. The ledger of the simulator shows that each session is charged once, however
// often the payer confirms.

import { expect, test, vi } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { cards, createLink, type PublicSession, payerAt } from '../../../../test/support/checkout.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { openLedger } from '../../../../test/support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

// Every call to a provider that does not respond takes the full timeout.
vi.setConfig({ testTimeout: 60_000 })

const simulator = await simulatorForThisFile({ closesUnansweredCalls: true })
const ledger = openLedger(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})
const payer = payerAt(switchyard.addresses.test)

const paymentsOf = async ({ get }: Workspace) => (await get('/payments?limit=100')).body.data
const fetchLink = async ({ get }: Workspace, { id }: { id: string }) =>
  (await get(`/payment-links/${id}`)).body
const eventTypesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

/** The number and sum of the charges of all payments of the workspace, according to the simulator ledger. */
async function chargesOf(workspace: Workspace) {
  const payments = await paymentsOf(workspace)
  const sums = await Promise.all(payments.map(({ id }: { id: string }) => ledger.fetchTotals(id)))
  return {
    approvals: sums.reduce((sum, { approvals }) => sum + approvals, 0),
    captured: sums.reduce((sum, { captured }) => sum + captured, 0),
  }
}

/** Advances time and runs the resolver. */
async function advanceMinutes(minutes: number): Promise<void> {
  switchyard.clock.advance({ minutes })
  await ledger.advance(minutes * 60_000)
  await switchyard.settle()
}

test('a link is opened, paid with a test card, and completed', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { description: 'A book', metadata: { order: '4711' } })

  const publicLink = await payer.fetchLink(link.slug)
  const session = await payer.openSession(link.slug)
  const paid = await payer.pay(session, cards.approved, { email: 'ada@example.com' })

  expect(publicLink.body).toMatchObject({
    object: 'public_link',
    id: link.id,
    status: 'active',
    amount: 1299,
  })
  expect(paid, JSON.stringify(paid.body)).toMatchObject({
    status: 200,
    body: {
      object: 'public_session',
      id: session.id,
      status: 'completed',
      receipt_email: 'ada@example.com',
      payment: { status: 'succeeded', amount: 1299, unknown: false, card: { brand: 'visa', last4: '4242' } },
    },
  })
  const { body: payment } = await workspace.get(`/payments/${paid.body.payment.reference}`)
  expect(payment).toMatchObject({
    checkout_session_id: session.id,
    payment_link_id: link.id,
    description: 'A book',
    metadata: { order: '4711' },
  })
  await ledger.expectMatch(payment)
  const paymentsOfLink = await workspace.get(`/payments?payment_link_id=${link.id}`)
  expect(paymentsOfLink.body.data.map(({ id }: { id: string }) => id)).toEqual([payment.id])
  expect(await fetchLink(workspace, link)).toMatchObject({ status: 'completed', completed_count: 1 })
  expect((await payer.fetchLink(link.slug)).body.status).toBe('completed')
  expect(await payer.createSession(link.slug)).toMatchObject({
    status: 409,
    body: { current_status: 'completed' },
  })
  expect(await eventTypesOf(workspace, session.id)).toEqual([
    'checkout_session.created',
    'checkout_session.completed',
  ])
  expect(await eventTypesOf(workspace, link.id)).toEqual(['payment_link.created', 'payment_link.completed'])
})

test('if 20 payers pay concurrently through a link that can be paid once, exactly one is charged', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const sessions = await Promise.all(Array.from({ length: 20 }, () => payer.openSession(link.slug)))

  const responses = await Promise.all(sessions.map((session) => payer.pay(session)))

  const paid = responses.filter(({ status }) => status === 200)
  const refused = responses.filter(({ status }) => status !== 200)
  expect(paid).toMatchObject([{ body: { status: 'completed', payment: { status: 'succeeded' } } }])
  for (const { status, body } of refused) {
    expect(status, JSON.stringify(body)).toBe(409)
    expect(['no_places_left', 'invalid_state']).toContain(body.code)
  }
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
  expect(await fetchLink(workspace, link)).toMatchObject({ status: 'completed', completed_count: 1 })
})

test('if eight payers pay through a link that can be paid three times, three are charged', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { max_completions: 3 })
  const sessions = await Promise.all(Array.from({ length: 8 }, () => payer.openSession(link.slug)))

  await Promise.all(sessions.map((session) => payer.pay(session)))

  expect(await chargesOf(workspace)).toEqual({ approvals: 3, captured: 3 * 1299 })
  expect(await fetchLink(workspace, link)).toMatchObject({ status: 'completed', completed_count: 3 })
})

test('ten concurrent confirmations in separate tabs create one payment, which all tabs show', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace, { max_completions: 5 })
  const session = await payer.openSession(link.slug)

  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, tab) => payer.pay(session, cards.approved, {}, `press-${tab}`)),
  )
  const later = await payer.pay(session, cards.other, {}, 'after-the-success')

  for (const { status, body } of [...responses, later]) {
    expect(status, JSON.stringify(body)).toBe(200)
    expect(['processing', 'completed']).toContain(body.status)
  }
  expect(later.body).toMatchObject({ status: 'completed', payment: { card: { last4: '4242' } } })
  expect(await paymentsOf(workspace)).toHaveLength(1)
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
  expect(await fetchLink(workspace, link)).toMatchObject({ status: 'active', completed_count: 1 })
})

test('after a decline the payer can try again and other payers can pay, and a repeated confirmation creates no payment', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const session = await payer.openSession(link.slug)

  const declined = await payer.pay(session, cards.declined, {}, 'first-press')
  const repeated = await payer.pay(session, cards.declined, {}, 'first-press')
  const reused = await payer.pay(session, cards.approved, {}, 'first-press')

  expect(declined).toMatchObject({
    status: 200,
    body: {
      status: 'open',
      tries_left: 4,
      payment: { status: 'failed', failure: { advice_code: 'other_method' }, unknown: false },
    },
  })
  expect(declined.body.payment.failure).toEqual({ advice_code: 'other_method', message: expect.any(String) })
  expect(repeated.body).toEqual(declined.body)
  expect(reused).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
  expect(await paymentsOf(workspace)).toHaveLength(1)

  // After the decline another payer can open the link, until the first payer has paid.
  const [other, late] = [
    await payer.openSession(link.slug),
    await payer.pay(session, cards.approved, {}, 'second-press'),
  ]
  expect(late.body).toMatchObject({ status: 'completed', payment: { status: 'succeeded' } })
  expect(await payer.pay(other)).toMatchObject({ status: 409, body: { current_status: 'completed' } })
  expect((await payer.fetchSession(other)).body.status).toBe('expired')
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
})

test('while the outcome is unknown, no other payer can pay through the link, and the payer is charged once', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const [session, other] = [await payer.openSession(link.slug), await payer.openSession(link.slug)]

  const unknown = await payer.pay(session, cards.noResponse)
  const secondClick = await payer.pay(session, cards.approved)
  const otherPayer = await payer.pay(other)

  expect(unknown.body).toMatchObject({
    status: 'processing',
    payment: { status: 'processing', unknown: true },
  })
  expect(secondClick.body).toMatchObject({ status: 'processing', payment: { card: { last4: '0007' } } })
  expect(otherPayer).toMatchObject({ status: 409, body: { code: 'no_places_left', retryable: true } })

  await advanceMinutes(10)

  expect((await payer.fetchSession(session)).body).toMatchObject({
    status: 'completed',
    payment: { status: 'succeeded', unknown: false },
  })
  expect(await paymentsOf(workspace)).toHaveLength(1)
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
  expect(await fetchLink(workspace, link)).toMatchObject({ status: 'completed', completed_count: 1 })
})

/**
 * Follows the redirects to the bank page, authenticates as the test card specifies, and returns the last
 * redirect.
 */
async function authenticateAtBank(url: string): Promise<string> {
  const redirectOf = async (address: string) =>
    (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? ''
  const bank = await redirectOf(url)
  return redirectOf(await redirectOf(`${bank}?auto`))
}

test('a payer who authenticates with the bank returns to the page, and the session is completed', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const session = await payer.openSession(link.slug)

  const confirmed = await payer.pay(session, cards.requiresAuthentication)
  expect(confirmed.body).toMatchObject({ status: 'processing', payment: { status: 'requires_action' } })
  const returnUrl = await authenticateAtBank(confirmed.body.payment.next_action.url)

  const reference = confirmed.body.payment.reference
  expect(returnUrl).toBe(`${switchyard.addresses.test}/c/${session.id}?payment_id=${reference}`)
  expect((await payer.fetchSession(session)).body).toMatchObject({
    status: 'completed',
    payment: { status: 'succeeded', next_action: null },
  })
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
})

test('the result is recorded even if the payer does not return to the page', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const session = await payer.openSession(link.slug)
  const { body } = await payer.pay(session, cards.requiresAuthentication)
  await authenticateAtBank(body.payment.next_action.url)

  await switchyard.settle()

  expect((await workspace.get(`/checkout-sessions/${session.id}`)).body).toMatchObject({
    status: 'completed',
    payment_id: body.payment.reference,
    completed_at: expect.any(String),
  })
  expect(await eventTypesOf(workspace, session.id)).toEqual([
    'checkout_session.created',
    'checkout_session.completed',
  ])
})

test('half an hour after a payer has left the bank page, another payer can pay through the link', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const session = await payer.openSession(link.slug)
  await payer.pay(session, cards.requiresAuthentication)

  await advanceMinutes(31)
  await advanceMinutes(31)

  expect((await payer.fetchSession(session)).body).toMatchObject({
    status: 'expired',
    payment: { status: 'failed' },
  })
  const next = await payer.openSession(link.slug)
  expect((await payer.pay(next)).body.status).toBe('completed')
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
})

test('after five declines a session expires, with an event', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await createLink(workspace)
  const session = await payer.openSession(link.slug)

  const triesLeft: number[] = []
  for (let tries = 0; tries < 5; tries += 1)
    triesLeft.push((await payer.pay(session, cards.declined)).body.tries_left)
  const sixth = await payer.pay(session, cards.approved)

  expect(triesLeft).toEqual([4, 3, 2, 1, 0])
  expect(sixth).toMatchObject({ status: 409, body: { code: 'invalid_state', current_status: 'expired' } })
  expect(await eventTypesOf(workspace, session.id)).toEqual([
    'checkout_session.created',
    'checkout_session.expired',
  ])
  expect(await chargesOf(workspace)).toEqual({ approvals: 0, captured: 0 })
})

test('a fourth card in one session is rejected and does not reach a provider', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await payer.openSession((await createLink(workspace)).slug)
  for (const number of ['0051', '0005', '0062'].map(cardNumberForScenario))
    expect((await payer.pay(session, number)).body.status).toBe('open')

  const fourth = await payer.pay(session, cards.approved)

  expect(fourth).toMatchObject({ status: 429, body: { code: 'too_many_tries' } })
  expect(fourth.headers.get('retry-after')).toBeNull()
  expect(await paymentsOf(workspace)).toHaveLength(3)
  expect((await payer.fetchSession(session)).body).toMatchObject({ status: 'open', tries_left: 2 })
})

test('a payment with manual capture completes the session when it is authorized', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await payer.openSession((await createLink(workspace, { capture_method: 'manual' })).slug)

  const { body } = await payer.pay(session)

  expect(body).toMatchObject({ status: 'completed', payment: { status: 'requires_capture' } })
})

test('if no provider account can process the payment, the session stays open', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: accounts } = await workspace.get('/provider-accounts')
  for (const { id } of accounts.data) await workspace.post(`/provider-accounts/${id}/disable`)
  const link = await createLink(workspace)
  const session: PublicSession = await payer.openSession(link.slug)

  const failed = await payer.pay(session)

  expect(failed.body).toMatchObject({
    status: 'open',
    payment: { status: 'failed', failure: { advice_code: 'contact_merchant' } },
  })
})
