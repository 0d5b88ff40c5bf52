// Somebody pays. The books of the simulator are the judge: each session is charged once, whatever is pressed.

import { expect, test, vi } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { aLink, cards, type PublicSession, payerAt } from '../../../test/support/checkout.ts'
import { ledgerOf } from '../../../test/support/ledger.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

// Who is silent is waited for each time that they are asked.
vi.setConfig({ testTimeout: 60_000 })

const simulator = await simulatorForThisFile()
const ledger = ledgerOf(simulator.url)
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})
const payer = payerAt(switchyard.addresses.test)

const paymentsOf = async ({ get }: Workspace) => (await get('/payments?limit=100')).body.data
const linkOf = async ({ get }: Workspace, { id }: { id: string }) => (await get(`/payment-links/${id}`)).body
const typesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

/** What was taken for all payments of the workspace, by the books of the simulator. */
async function chargesOf(workspace: Workspace) {
  const payments = await paymentsOf(workspace)
  const sums = await Promise.all(payments.map(({ id }: { id: string }) => ledger.sumsOf(id)))
  return {
    approvals: sums.reduce((sum, { approvals }) => sum + approvals, 0),
    captured: sums.reduce((sum, { captured }) => sum + captured, 0),
  }
}

/** The resolver asks, until it knows. */
async function letPass(minutes: number): Promise<void> {
  switchyard.clock.advance({ minutes })
  await ledger.advance(minutes * 60_000)
  await switchyard.settle()
}

test('a link is opened, paid with a test card, and full', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace, { description: 'A book', metadata: { order: '4711' } })

  const seen = await payer.look(link.slug)
  const session = await payer.openOne(link.slug)
  const paid = await payer.pay(session, cards.good, { email: 'ada@example.com' })

  expect(seen.body).toMatchObject({ object: 'public_link', id: link.id, status: 'active', amount: 1299 })
  expect(paid, JSON.stringify(paid.body)).toMatchObject({
    status: 200,
    body: {
      ...{ object: 'public_session', id: session.id, status: 'completed', receipt_email: 'ada@example.com' },
      payment: { status: 'succeeded', amount: 1299, unknown: false, card: { brand: 'visa', last4: '4242' } },
    },
  })
  const { body: payment } = await workspace.get(`/payments/${paid.body.payment.reference}`)
  expect(payment).toMatchObject({
    ...{ checkout_session_id: session.id, payment_link_id: link.id, description: 'A book' },
    metadata: { order: '4711' },
  })
  await ledger.agreesWith(payment)
  const ofLink = await workspace.get(`/payments?payment_link_id=${link.id}`)
  expect(ofLink.body.data.map(({ id }: { id: string }) => id)).toEqual([payment.id])
  expect(await linkOf(workspace, link)).toMatchObject({ status: 'completed', completed_count: 1 })
  expect((await payer.look(link.slug)).body.status).toBe('completed')
  expect(await payer.open(link.slug)).toMatchObject({ status: 409, body: { current_status: 'completed' } })
  expect(await typesOf(workspace, session.id)).toEqual([
    'checkout_session.created',
    'checkout_session.completed',
  ])
  expect(await typesOf(workspace, link.id)).toEqual(['payment_link.created', 'payment_link.completed'])
})

test('20 payers race for a link with one completion: exactly one is charged', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace)
  const sessions = await Promise.all(Array.from({ length: 20 }, () => payer.openOne(link.slug)))

  const answers = await Promise.all(sessions.map((session) => payer.pay(session)))

  const paid = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(paid).toMatchObject([{ body: { status: 'completed', payment: { status: 'succeeded' } } }])
  for (const { status, body } of refused) {
    expect(status, JSON.stringify(body)).toBe(409)
    expect(['no_places_left', 'invalid_state']).toContain(body.code)
  }
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
  expect(await linkOf(workspace, link)).toMatchObject({ status: 'completed', completed_count: 1 })
})

test('a link with three places is paid three times by eight payers', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace, { max_completions: 3 })
  const sessions = await Promise.all(Array.from({ length: 8 }, () => payer.openOne(link.slug)))

  await Promise.all(sessions.map((session) => payer.pay(session)))

  expect(await chargesOf(workspace)).toEqual({ approvals: 3, captured: 3 * 1299 })
  expect(await linkOf(workspace, link)).toMatchObject({ status: 'completed', completed_count: 3 })
})

test('pressed ten times at once, in as many tabs: one payment, and all see it', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace, { max_completions: 5 })
  const session = await payer.openOne(link.slug)

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, tab) => payer.pay(session, cards.good, {}, `press-${tab}`)),
  )
  const later = await payer.pay(session, cards.other, {}, 'after-the-success')

  for (const { status, body } of [...answers, later]) {
    expect(status, JSON.stringify(body)).toBe(200)
    expect(['processing', 'completed']).toContain(body.status)
  }
  expect(later.body).toMatchObject({ status: 'completed', payment: { card: { last4: '4242' } } })
  expect(await paymentsOf(workspace)).toHaveLength(1)
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
  expect(await linkOf(workspace, link)).toMatchObject({ status: 'active', completed_count: 1 })
})

test('a decline gives the place back and leaves another try; the same press again is no second one', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace)
  const session = await payer.openOne(link.slug)

  const declined = await payer.pay(session, cards.declined, {}, 'first-press')
  const repeated = await payer.pay(session, cards.declined, {}, 'first-press')
  const reused = await payer.pay(session, cards.good, {}, 'first-press')

  expect(declined).toMatchObject({
    status: 200,
    body: {
      ...{ status: 'open', tries_left: 4 },
      payment: { status: 'failed', failure: { advice_code: 'other_method' }, unknown: false },
    },
  })
  expect(declined.body.payment.failure).toEqual({ advice_code: 'other_method', message: expect.any(String) })
  expect(repeated.body).toEqual(declined.body)
  expect(reused).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
  expect(await paymentsOf(workspace)).toHaveLength(1)

  // The place is free for somebody else, and taken when they have paid.
  const [other, late] = [
    await payer.openOne(link.slug),
    await payer.pay(session, cards.good, {}, 'second-press'),
  ]
  expect(late.body).toMatchObject({ status: 'completed', payment: { status: 'succeeded' } })
  expect(await payer.pay(other)).toMatchObject({ status: 409, body: { current_status: 'completed' } })
  expect((await payer.see(other)).body.status).toBe('expired')
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
})

test('an outcome that is not known keeps the place, is not tried again, and is charged once when it is known', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace)
  const [session, other] = [await payer.openOne(link.slug), await payer.openOne(link.slug)]

  const unsure = await payer.pay(session, cards.silent)
  const pressedAgain = await payer.pay(session, cards.good)
  const elsewhere = await payer.pay(other)

  expect(unsure.body).toMatchObject({
    status: 'processing',
    payment: { status: 'processing', unknown: true },
  })
  expect(pressedAgain.body).toMatchObject({ status: 'processing', payment: { card: { last4: '0007' } } })
  expect(elsewhere).toMatchObject({ status: 409, body: { code: 'no_places_left', retryable: true } })

  await letPass(10)

  expect((await payer.see(session)).body).toMatchObject({
    status: 'completed',
    payment: { status: 'succeeded', unknown: false },
  })
  expect(await paymentsOf(workspace)).toHaveLength(1)
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
  expect(await linkOf(workspace, link)).toMatchObject({ status: 'completed', completed_count: 1 })
})

/** The payer goes to the bank, which says what the card stands for, and comes back. */
async function actAtBank(url: string): Promise<string> {
  const onwards = async (address: string) =>
    (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? ''
  const bank = await onwards(url)
  return onwards(await onwards(`${bank}?auto`))
}

test('a payer who has to confirm with the bank comes back to the page, and the session is completed', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace)
  const session = await payer.openOne(link.slug)

  const asked = await payer.pay(session, cards.asksThePayer)
  expect(asked.body).toMatchObject({ status: 'processing', payment: { status: 'requires_action' } })
  const back = await actAtBank(asked.body.payment.next_action.url)

  const reference = asked.body.payment.reference
  expect(back).toBe(`${switchyard.addresses.test}/c/${session.id}?payment_id=${reference}`)
  expect((await payer.see(session)).body).toMatchObject({
    status: 'completed',
    payment: { status: 'succeeded', next_action: null },
  })
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
})

test('what happens while nobody looks is written down all the same', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace)
  const session = await payer.openOne(link.slug)
  const { body } = await payer.pay(session, cards.asksThePayer)
  await actAtBank(body.payment.next_action.url)

  await switchyard.settle()

  expect((await workspace.get(`/checkout-sessions/${session.id}`)).body).toMatchObject({
    status: 'completed',
    payment_id: body.payment.reference,
    completed_at: expect.any(String),
  })
  expect(await typesOf(workspace, session.id)).toEqual([
    'checkout_session.created',
    'checkout_session.completed',
  ])
})

test('a payer who leaves the bank’s page gives the place back after half an hour', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace)
  const session = await payer.openOne(link.slug)
  await payer.pay(session, cards.asksThePayer)

  await letPass(31)
  await letPass(31)

  expect((await payer.see(session)).body).toMatchObject({ status: 'expired', payment: { status: 'failed' } })
  const next = await payer.openOne(link.slug)
  expect((await payer.pay(next)).body.status).toBe('completed')
  expect(await chargesOf(workspace)).toEqual({ approvals: 1, captured: 1299 })
})

test('after five declines a session is over, and tells so', async () => {
  const workspace = await switchyard.newWorkspace()
  const link = await aLink(workspace)
  const session = await payer.openOne(link.slug)

  const left: number[] = []
  for (let tries = 0; tries < 5; tries += 1)
    left.push((await payer.pay(session, cards.declined)).body.tries_left)
  const sixth = await payer.pay(session, cards.good)

  expect(left).toEqual([4, 3, 2, 1, 0])
  expect(sixth).toMatchObject({ status: 409, body: { code: 'invalid_state', current_status: 'expired' } })
  expect(await typesOf(workspace, session.id)).toEqual([
    'checkout_session.created',
    'checkout_session.expired',
  ])
  expect(await chargesOf(workspace)).toEqual({ approvals: 0, captured: 0 })
})

test('a fourth card in one session reaches nobody', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await payer.openOne((await aLink(workspace)).slug)
  for (const number of ['0051', '0005', '0062'].map(numberOfScenario))
    expect((await payer.pay(session, number)).body.status).toBe('open')

  const fourth = await payer.pay(session, cards.good)

  expect(fourth).toMatchObject({ status: 429, body: { code: 'too_many_tries' } })
  expect(fourth.headers.get('retry-after')).toBeNull()
  expect(await paymentsOf(workspace)).toHaveLength(3)
  expect((await payer.see(session)).body).toMatchObject({ status: 'open', tries_left: 2 })
})

test('an amount that is only held completes the session', async () => {
  const workspace = await switchyard.newWorkspace()
  const session = await payer.openOne((await aLink(workspace, { capture_method: 'manual' })).slug)

  const { body } = await payer.pay(session)

  expect(body).toMatchObject({ status: 'completed', payment: { status: 'requires_capture' } })
})

test('where nobody can take the payment the payer may try again', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: accounts } = await workspace.get('/provider-accounts')
  for (const { id } of accounts.data) await workspace.post(`/provider-accounts/${id}/disable`)
  const link = await aLink(workspace)
  const session: PublicSession = await payer.openOne(link.slug)

  const failed = await payer.pay(session)

  expect(failed.body).toMatchObject({
    status: 'open',
    payment: { status: 'failed', failure: { advice_code: 'contact_merchant' } },
  })
})
