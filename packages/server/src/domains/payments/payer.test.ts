// A payer who has to act, from our address to the bank's page and back: the real service, a real simulator, and
// its ledger as the judge of what was taken.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})

async function pay({ post }: Workspace, scenario: string, members: object = {}) {
  const card = { number: numberOfScenario(scenario), exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const order = { amount: 1299, currency: 'eur', token: token.id, ...members }
  const { status, body } = await post('/payments', order)
  expect([status, body.status], JSON.stringify(body)).toEqual([201, 'requires_action'])
  return body
}

/** Opens an address as a browser would, but goes nowhere by itself. */
async function open(url: string) {
  const { status, headers, text } = await fetch(url, { redirect: 'manual' }).then(async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    text: await answer.text(),
  }))
  return { status, headers, text, to: headers.get('location') ?? '' }
}

/** The payer does at the bank what the card says, and is where they are sent then. */
async function act(url: string): Promise<string> {
  const { to: bank } = await open(url)
  expect(bank).toContain(simulator.url)
  return (await open(`${bank}?auto`)).to
}

const sumsOf = async (paymentId: string) => {
  const answer = await fetch(`${simulator.url}/control/sums?payment_id=${paymentId}`)
  const { sums } = (await answer.json()) as { sums: { approvals: number; captured: number }[] }
  return sums[0] ?? { approvals: 0, captured: 0 }
}

const typesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

/** The world goes on, here and at the simulator. */
async function letPass(minutes: number): Promise<void> {
  switchyard.clock.advance({ minutes })
  await fetch(`${simulator.url}/control/time`, {
    method: 'POST',
    body: JSON.stringify({ advance_ms: minutes * 60_000 }),
  })
  await switchyard.settle()
}

test('a payer whose bank says yes comes back to the merchant with the payment taken once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/thanks?basket=7' })
  expect(payment).toMatchObject({
    summary: 'The payer has to confirm the payment with the bank of visa ending in 0006.',
    next_action: { type: 'redirect', expires_at: '2026-11-14T12:30:00.000Z' },
  })
  expect(Object.keys(payment.next_action)).toEqual(['type', 'url', 'expires_at'])
  expect(payment.next_action.url).toContain(`${switchyard.addresses.test}/a/${payment.id}.`)

  const back = await act(payment.next_action.url)
  const answer = await open(back)

  expect([answer.status, answer.to]).toEqual([
    303,
    `https://shop.example.com/thanks?basket=7&payment_id=${payment.id}`,
  ])
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('set-cookie')).toBeNull()
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', next_action: null, amount_captured: 1299 })
  expect(body.summary).toBe('EUR 12.99 was taken from visa ending in 0006.')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 1299 })
  expect(await typesOf(workspace, payment.id)).toEqual(
    ['created', 'requires_action', 'updated', 'succeeded'].map((verb) => `payment.${verb}`),
  )

  // Whoever loads the page again, or opens the first address, is sent on and nothing more.
  expect((await open(back)).to).toBe(answer.to)
  expect((await open(payment.next_action.url)).to).toBe(answer.to)
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1 })
})

test('a payer whose bank says no comes back to a payment that has failed, and no other account is asked', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3001')

  const answer = await open(await act(payment.next_action.url))

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(answer.text).toContain('You can close this page')
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_failed' },
    attempts_count: 1,
  })
  expect(body.summary).toBe(
    'Nothing was taken from visa ending in 0005: authentication failed. Your bank could not confirm it was you.',
  )
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0 })
})

test('what the payer brings back decides nothing: without the proof of the bank the payment waits on', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000')

  await open(`${payment.next_action.url}/return?status=succeeded&reference=1&challenge=guessed`)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'requires_action', next_action: { url: payment.next_action.url } })
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0 })
  // They can still do it properly.
  await open(await act(payment.next_action.url))
  expect((await workspace.get(`/payments/${payment.id}`)).body.status).toBe('succeeded')
})

test('an address that we did not make leads nowhere', async () => {
  const workspace = await switchyard.newWorkspace()
  const { next_action, id } = await pay(workspace, '3000')
  const last = next_action.url.at(-1)
  const changed = `${next_action.url.slice(0, -2)}${next_action.url.at(-2) === 'A' ? 'B' : 'A'}${last}`
  const addresses = [changed, `${switchyard.addresses.test}/a/${id}`, `${switchyard.addresses.test}/a/${id}.`]

  for (const address of addresses) {
    expect((await open(address)).status).toBe(404)
    expect((await open(`${address}/return`)).status).toBe(404)
  }
  const live = next_action.url.replace(switchyard.addresses.test, switchyard.addresses.live)
  expect((await open(live)).status).toBe(404)
  expect((await workspace.get(`/payments/${id}`)).body.status).toBe('requires_action')
})

test('a payer who never comes back is waited for half an hour; then it is proven that nothing was taken', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3003')
  const path = `/payments/${payment.id}`

  switchyard.clock.advance({ minutes: 29 })
  await switchyard.settle()
  expect((await workspace.get(path)).body.status).toBe('requires_action')
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()

  const { body } = await workspace.get(path)
  expect(body).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_abandoned' },
    attempts_count: 1,
  })
  expect(body.summary).toBe(
    'Nothing was taken from visa ending in 0003: authentication abandoned. Your bank could not confirm it was you.',
  )
  // Too late: the bank's page is closed, and nothing can be taken any more.
  await open(`${payment.next_action.url}/return`)
  expect((await workspace.get(path)).body.status).toBe('failed')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0 })
  const { body: attempts } = await workspace.get(`${path}/attempts`)
  expect(attempts.data.map(({ status }: { status: string }) => status)).toEqual(['expired'])
})

test('while a provider cannot be asked, a payment whose payer left is not known to have failed', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3003')
  const path = `/payments/${payment.id}`
  await simulator.configure(payment.provider_account_id, { outage: true })

  switchyard.clock.advance({ minutes: 31 })
  await switchyard.settle()
  const { body: unknown } = await workspace.get(path)
  expect(unknown).toMatchObject({ status: 'processing', failure: null })
  expect(unknown.summary).toMatch(/^It is not known yet whether EUR 12.99 was taken/)
  switchyard.clock.advance({ seconds: 10 })
  await switchyard.settle()

  await simulator.configure(payment.provider_account_id, { outage: false })
  await letPass(2)
  expect((await workspace.get(path)).body).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_abandoned' },
  })
  expect(await typesOf(workspace, payment.id)).toEqual(
    ['created', 'requires_action', 'updated', 'unresolved', 'resolved', 'failed'].map((v) => `payment.${v}`),
  )
})

test('a provider that cannot be asked when the payer returns is asked later, and the payer can go on', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/thanks' })
  const back = await act(payment.next_action.url)
  await simulator.configure(payment.provider_account_id, { outage: true })

  const { to } = await open(back)

  expect(to).toBe(`https://shop.example.com/thanks?payment_id=${payment.id}`)
  const { body: unknown } = await workspace.get(`/payments/${payment.id}`)
  expect(unknown).toMatchObject({ status: 'processing', next_action: null, failure: null })
  expect(unknown.summary).toMatch(/^It is not known yet whether EUR 12.99 was taken/)
  await simulator.configure(payment.provider_account_id, { outage: false })
  switchyard.clock.advance({ seconds: 5 })
  await switchyard.settle()
  const { body: awaited } = await workspace.get(`/payments/${payment.id}`)
  expect(awaited).toMatchObject({ status: 'requires_action', unresolved_since_at: null })
  const asked = await simulator.callsOf(payment.provider_account_id)
  // A payer who was asked once must not be asked again by a second call.
  expect(asked.filter(({ method }) => method === 'PUT')).toHaveLength(1)

  await open(await act(awaited.next_action.url))
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299 })
  expect(body.summary).toBe('EUR 12.99 was taken from visa ending in 0006.')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1 })
})

test('a payment that is cancelled while the payer is at the bank takes nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000')
  const { to: bank } = await open(payment.next_action.url)

  await workspace.post(`/payments/${payment.id}/cancel`)
  await switchyard.settle()
  const { to } = await open(`${bank}?auto`)
  if (to !== '') await open(to)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'cancelled', next_action: null })
  expect(body.summary).toBe('It was cancelled. Nothing was taken from visa ending in 0006.')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0 })
})

test('what was not captured in time is let go, and the ledger agrees', async () => {
  const workspace = await switchyard.newWorkspace()
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const order = { amount: 1299, currency: 'eur', token: token.id, capture_method: 'manual' }
  const { body: held } = await workspace.post('/payments', order)
  expect(held.status).toBe('requires_capture')
  const end = new Date(held.capture_before_at)
  const days = Math.ceil((end.getTime() - Date.parse(held.created_at)) / 86_400_000)
  expect(days).toBeGreaterThan(0)

  switchyard.clock.advance({ days })
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${held.id}`)
  expect(body).toMatchObject({ status: 'cancelled', amount_capturable: 0, amount_captured: 0 })
  expect(body.summary).toBe('It was cancelled. Nothing was taken from visa ending in 4242.')
  expect(await sumsOf(held.id)).toMatchObject({ approvals: 1, captured: 0, voided: 1299 })
})
