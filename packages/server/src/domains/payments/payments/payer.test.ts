// Payer authentication, from the redirect to the bank page and back. The ledger of the simulator shows what
// was charged.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
})

async function pay({ post }: Workspace, scenario: string, members: object = {}) {
  const card = { number: cardNumberForScenario(scenario), exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const order = { amount: 1299, currency: 'eur', token: token.id, ...members }
  const { status, body } = await post('/payments', order)
  expect([status, body.status], JSON.stringify(body)).toEqual([201, 'requires_action'])
  return body
}

/** Requests a URL as a browser does, without following redirects. */
async function open(url: string) {
  const { status, headers, text } = await fetch(url, { redirect: 'manual' }).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }))
  return { status, headers, text, location: headers.get('location') ?? '' }
}

/** Authenticates on the bank page as the test card specifies, and returns the URL of the redirect. */
async function authenticate(url: string): Promise<string> {
  const { location: bank } = await open(url)
  expect(bank).toContain(simulator.url)
  return (await open(`${bank}?auto`)).location
}

const sumsOf = async (paymentId: string) => {
  const response = await fetch(`${simulator.url}/control/sums?payment_id=${paymentId}`)
  const { sums } = (await response.json()) as { sums: { approvals: number; captured: number }[] }
  return sums[0] ?? { approvals: 0, captured: 0 }
}

const eventTypesOf = async ({ eventsOf }: Workspace, id: string) =>
  (await eventsOf(id)).map(({ type }: { type: string }) => type)

/** How many times the provider was called for the payment. */
async function countCalls({ get }: Workspace, id: string): Promise<number> {
  const { body } = await get(`/payments/${id}/operations`)
  return body.data.flatMap(({ calls }: { calls: unknown[] }) => calls).length
}

/** Advances the clocks of the service and of the simulator. */
async function advanceMinutes(minutes: number): Promise<void> {
  switchyard.clock.advance({ minutes })
  await fetch(`${simulator.url}/control/time`, {
    method: 'POST',
    body: JSON.stringify({ advance_ms: minutes * 60_000 }),
  })
  await switchyard.settle()
}

test('a bank page that requires a form POST is opened by submitting a form, and completes the payment', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3005', { return_url: 'https://shop.example.com/thanks' })

  const page = await open(payment.next_action.url)
  expect([page.status, page.location]).toEqual([200, ''])
  const [, action = ''] = /<form method="post" action="([^"]+)">/.exec(page.text) ?? []
  const [, creq = ''] = /name="creq" value="([^"]+)"/.exec(page.text) ?? []
  expect(action).toContain(simulator.url)
  // Only the script that submits the form may run.
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';.*script-src 'sha256-[\w+/]+='$/,
  )
  expect((await open(`${action}?auto`)).status).toBe(404)

  const form = { method: 'POST', body: new URLSearchParams({ creq }), redirect: 'manual' } as const
  const bank = await fetch(`${action}?auto`, form)
  const { location } = await open(bank.headers.get('location') ?? '')
  expect(location).toBe(`https://shop.example.com/thanks?payment_id=${payment.id}`)
  expect((await workspace.get(`/payments/${payment.id}`)).body.status).toBe('succeeded')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 1299 })
})

test('a payer whose bank approves returns to the merchant, and the payment is charged once', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/thanks?basket=7' })
  expect(payment).toMatchObject({
    summary: 'Waiting for the payer to authenticate Visa •••• 0006 with their bank.',
    next_action: { type: 'redirect', expires_at: '2026-11-14T12:30:00.000Z' },
  })
  expect(Object.keys(payment.next_action)).toEqual(['type', 'url', 'expires_at'])
  expect(payment.next_action.url).toContain(`${switchyard.addresses.test}/a/${payment.id}.`)

  const returnUrl = await authenticate(payment.next_action.url)
  const response = await open(returnUrl)

  expect([response.status, response.location]).toEqual([
    303,
    `https://shop.example.com/thanks?basket=7&payment_id=${payment.id}`,
  ])
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('set-cookie')).toBeNull()
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', next_action: null, amount_captured: 1299 })
  expect(body.summary).toBe('€12.99 charged to Visa •••• 0006.')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 1299 })
  expect(await eventTypesOf(workspace, payment.id)).toEqual(
    ['created', 'requires_action', 'updated', 'succeeded'].map((verb) => `payment.${verb}`),
  )

  // Reloading the page or opening the first URL only redirects again. The provider is not called.
  const calls = await countCalls(workspace, payment.id)
  expect((await open(returnUrl)).location).toBe(response.location)
  expect((await open(payment.next_action.url)).location).toBe(response.location)
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1 })
  expect(await countCalls(workspace, payment.id)).toBe(calls)
})

test('a bank can return the payer with a form POST, whose fields become the return parameters', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/thanks' })
  const returnUrl = new URL(await authenticate(payment.next_action.url))
  const fields = new URLSearchParams({ ...Object.fromEntries(returnUrl.searchParams), PaRes: 'a+b' })
  returnUrl.search = ''
  const submit = (body: URLSearchParams) => fetch(returnUrl, { method: 'POST', body, redirect: 'manual' })

  const tooLong = await submit(new URLSearchParams({ PaRes: 'x'.repeat(9_000) }))
  expect(tooLong.status).toBe(413)
  const response = await submit(fields)
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    `https://shop.example.com/thanks?payment_id=${payment.id}`,
  ])
  expect((await workspace.get(`/payments/${payment.id}`)).body.status).toBe('succeeded')
  const calls = await simulator.listCalls(payment.provider_account_id)
  expect(calls.at(-1)?.body).toMatchObject({ return_params: Object.fromEntries(fields) })
})

test('repeated returns without authentication call the provider three times, and after that only at increasing intervals', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/thanks' })
  const reload = () => open(`${payment.next_action.url}/return`)
  const before = await countCalls(workspace, payment.id)

  for (let loads = 0; loads < 10; loads += 1)
    expect((await reload()).location).toBe(`https://shop.example.com/thanks?payment_id=${payment.id}`)
  expect(await countCalls(workspace, payment.id)).toBe(before + 3)
  const types = await eventTypesOf(workspace, payment.id)

  switchyard.clock.advance({ seconds: 14 })
  await reload()
  expect(await countCalls(workspace, payment.id)).toBe(before + 3)
  expect(await eventTypesOf(workspace, payment.id)).toEqual(types)

  switchyard.clock.advance({ seconds: 1 })
  await reload()
  expect(await countCalls(workspace, payment.id)).toBe(before + 4)
  switchyard.clock.advance({ seconds: 29 })
  await reload()
  expect(await countCalls(workspace, payment.id)).toBe(before + 4)

  // After the pause, a return finds that the payer has authenticated.
  const returnUrl = await authenticate(payment.next_action.url)
  switchyard.clock.advance({ seconds: 1 })
  await open(returnUrl)
  expect((await workspace.get(`/payments/${payment.id}`)).body.status).toBe('succeeded')
})

test('a throttled return is completed after the pause, with its parameters', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/thanks' })
  for (let loads = 0; loads < 3; loads += 1) await open(`${payment.next_action.url}/return`)
  const returnUrl = await authenticate(payment.next_action.url)

  await open(returnUrl)
  expect((await workspace.get(`/payments/${payment.id}`)).body.status).toBe('requires_action')
  switchyard.clock.advance({ seconds: 15 })
  await switchyard.settle()

  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({ status: 'succeeded' })
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1, captured: 1299 })
  const calls = await simulator.listCalls(payment.provider_account_id)
  const completion = calls.findLast(({ path }) => path.endsWith('/complete'))
  const returnParams = Object.fromEntries(new URL(returnUrl).searchParams)
  expect(Object.keys(returnParams)).not.toEqual([])
  expect(completion?.body).toEqual({ return_params: returnParams })
})

test('a payer who returns after the expiry of the action does not complete the payment, even if no worker has run', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/thanks' })
  const { location: bank } = await open(payment.next_action.url)

  switchyard.clock.advance({ minutes: 30 })
  const { location: returnUrl } = await open(`${bank}?auto`)
  const { location } = await open(returnUrl)

  expect(location).toBe(`https://shop.example.com/thanks?payment_id=${payment.id}`)
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({
    status: 'processing',
    next_action: null,
    amount_captured: 0,
  })
  const calls = await simulator.listCalls(payment.provider_account_id)
  expect(calls.filter(({ path }) => path.endsWith('/complete'))).toEqual([])
  await switchyard.settle()
  expect((await workspace.get(`/payments/${payment.id}`)).body).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_abandoned' },
  })
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0, captured: 0 })
})

test('a payment fails if the bank declines, and no other account is tried', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3001')

  const response = await open(await authenticate(payment.next_action.url))

  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(response.text).toContain('You can close this page')
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_failed' },
    attempts_count: 1,
  })
  expect(body.summary).toBe('Payment failed: authentication failed. Your bank could not confirm it was you.')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0 })
})

test('parameters of the return URL cannot make a payment succeed: it waits for the result from the bank', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000')

  await open(`${payment.next_action.url}/return?status=succeeded&reference=1&challenge=guessed`)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'requires_action', next_action: { url: payment.next_action.url } })
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0 })
  // The payer can still authenticate.
  await open(await authenticate(payment.next_action.url))
  expect((await workspace.get(`/payments/${payment.id}`)).body.status).toBe('succeeded')
})

test('a payer URL with an invalid signature is not found', async () => {
  const workspace = await switchyard.newWorkspace()
  const { next_action, id } = await pay(workspace, '3000')
  const last = next_action.url.at(-1)
  const tampered = `${next_action.url.slice(0, -2)}${next_action.url.at(-2) === 'A' ? 'B' : 'A'}${last}`
  const urls = [tampered, `${switchyard.addresses.test}/a/${id}`, `${switchyard.addresses.test}/a/${id}.`]

  for (const url of urls) {
    expect((await open(url)).status).toBe(404)
    expect((await open(`${url}/return`)).status).toBe(404)
  }
  const live = next_action.url.replace(switchyard.addresses.test, switchyard.addresses.live)
  expect((await open(live)).status).toBe(404)
  expect((await workspace.get(`/payments/${id}`)).body.status).toBe('requires_action')
})

test('if the payer does not return for half an hour, the payment fails once the provider confirms that nothing was charged', async () => {
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
    'Payment failed: authentication abandoned. Your bank could not confirm it was you.',
  )
  // The bank page is closed now, so nothing can be charged.
  await open(`${payment.next_action.url}/return`)
  expect((await workspace.get(path)).body.status).toBe('failed')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0 })
  const { body: attempts } = await workspace.get(`${path}/attempts`)
  expect(attempts.data.map(({ status }: { status: string }) => status)).toEqual(['expired'])
})

test('an abandoned payment does not fail while its provider is unreachable', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3003')
  const path = `/payments/${payment.id}`
  await simulator.configure(payment.provider_account_id, { outage: true })

  switchyard.clock.advance({ minutes: 31 })
  await switchyard.settle()
  const { body: unknown } = await workspace.get(path)
  expect(unknown).toMatchObject({ status: 'processing', failure: null })
  expect(unknown.summary).toMatch(/^Outcome unknown: checking with the provider whether €12.99 was charged/)
  switchyard.clock.advance({ seconds: 10 })
  await switchyard.settle()

  await simulator.configure(payment.provider_account_id, { outage: false })
  await advanceMinutes(2)
  expect((await workspace.get(path)).body).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_abandoned' },
  })
  expect(await eventTypesOf(workspace, payment.id)).toEqual(
    ['created', 'requires_action', 'updated', 'unresolved', 'resolved', 'failed'].map((v) => `payment.${v}`),
  )
})

test('if the provider is unreachable when the payer returns, the return is sent again later', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000', { return_url: 'https://shop.example.com/thanks' })
  const returnUrl = await authenticate(payment.next_action.url)
  await simulator.configure(payment.provider_account_id, { outage: true })

  const { location } = await open(returnUrl)

  expect(location).toBe(`https://shop.example.com/thanks?payment_id=${payment.id}`)
  const { body: unknown } = await workspace.get(`/payments/${payment.id}`)
  expect(unknown).toMatchObject({ status: 'processing', next_action: null, failure: null })
  expect(unknown.summary).toMatch(/^Outcome unknown: checking with the provider whether €12.99 was charged/)
  await simulator.configure(payment.provider_account_id, { outage: false })
  switchyard.clock.advance({ seconds: 5 })
  await switchyard.settle()
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, unresolved_since_at: null })
  const calls = await simulator.listCalls(payment.provider_account_id)
  // A second authorize call would make the payer authenticate twice.
  expect(calls.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  expect(body.summary).toBe('€12.99 charged to Visa •••• 0006.')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 1 })
})

test('a payment cancelled during authentication charges nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const payment = await pay(workspace, '3000')
  const { location: bank } = await open(payment.next_action.url)

  await workspace.post(`/payments/${payment.id}/cancel`)
  await switchyard.settle()
  const { location } = await open(`${bank}?auto`)
  if (location !== '') await open(location)

  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'cancelled', next_action: null })
  expect(body.summary).toBe('Payment cancelled. Nothing was charged to Visa •••• 0006.')
  expect(await sumsOf(payment.id)).toMatchObject({ approvals: 0 })
})

test('an authorization that is not captured in time is voided', async () => {
  const workspace = await switchyard.newWorkspace()
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const order = { amount: 1299, currency: 'eur', token: token.id, capture_method: 'manual' }
  const { body: authorized } = await workspace.post('/payments', order)
  expect(authorized.status).toBe('requires_capture')
  const end = new Date(authorized.capture_before_at)
  const days = Math.ceil((end.getTime() - Date.parse(authorized.created_at)) / 86_400_000)
  expect(days).toBeGreaterThan(0)

  switchyard.clock.advance({ days })
  await switchyard.settle()

  const { body } = await workspace.get(`/payments/${authorized.id}`)
  expect(body).toMatchObject({ status: 'cancelled', amount_capturable: 0, amount_captured: 0 })
  expect(body.summary).toBe('Payment cancelled. Nothing was charged to Visa •••• 4242.')
  expect(await sumsOf(authorized.id)).toMatchObject({ approvals: 1, captured: 0, voided: 1299 })
})
