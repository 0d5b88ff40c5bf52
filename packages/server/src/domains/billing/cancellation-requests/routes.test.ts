// Subscribers cancel or withdraw on a public page. Nothing changes until they confirm by e-mail or the merchant accepts.

import { expect, test, vi } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { aPrice } from '../../../../test/support/subscriptions.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url, TRUST_PROXY: 'true', RATE_LIMIT_TEST: '1000000' },
})

async function subscribe(workspace: Workspace, email: string): Promise<string> {
  const customer_id = await workspace.aCustomer({ email })
  const price_id = await aPrice(workspace, { currency: 'eur', unit_amount: 1_900 })
  const input = { customer_id, items: [{ price_id }], trial: { days: 14 } }
  const { status, body } = await workspace.post('/subscriptions', input)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

type Declared = { readonly type?: string; readonly from?: string; readonly language?: string }

/** Submits a cancellation as a browser does, and returns the page. */
async function declare(workspace: Workspace, form: Record<string, string>, options: Declared = {}) {
  const { type = 'cancellation', from = '198.51.100.7', language = 'en' } = options
  const { body } = await workspace.get('/portal-configuration')
  const response = await fetch(`${body.cancellation_url}/${type}`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from, 'accept-language': language },
    body: new URLSearchParams({ name: 'Ada Lovelace', ...form }),
  })
  return response.text()
}

const requestsOf = async ({ get }: Workspace) => (await get('/cancellation-requests')).body.data
const mailsOf = async ({ get }: Workspace, kind = 'cancellation_received') =>
  (await get('/mails')).body.data.filter((mail: { kind: string }) => mail.kind === kind)
const subscriptionOf = async ({ get }: Workspace, id: string) => (await get(`/subscriptions/${id}`)).body

/** The text of the newest statement of receipt, and the link in it. */
async function readMail(workspace: Workspace, kind?: string) {
  const [mail] = await mailsOf(workspace, kind)
  const { body } = await workspace.get(`/mails/${mail.id}`)
  return { to: mail.to, text: body.text as string, url: /https?:\S+\/kc\/\S+/.exec(body.text)?.[0] ?? null }
}

const open = async (url: string) => (await fetch(url)).text()
const confirm = async (url: string, token: string) =>
  (await fetch(url, { method: 'POST', body: new URLSearchParams({ preview_token: token }) })).text()
const tokenIn = (html: string) => /name="preview_token" value="([^"]*)"/.exec(html)?.[1] ?? ''

test('a subscriber cancels in two labelled steps, gets a statement of receipt, and confirms with its link', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await subscribe(workspace, 'Ada@example.com')
  const { body: configuration } = await workspace.get('/portal-configuration')
  const german = { headers: { 'accept-language': 'de' } }
  expect(await (await fetch(configuration.cancellation_url, german)).text()).toContain(
    'Verträge hier kündigen',
  )
  const form = await (await fetch(`${configuration.cancellation_url}/cancellation`, german)).text()
  expect(form).toContain('<button>Jetzt kündigen</button>')

  const page = await declare(workspace, { email: 'ada@example.com', contract: id }, { language: 'de' })
  const [request] = await requestsOf(workspace)
  const { to, text, url } = await readMail(workspace)

  expect(page).toContain('Ihre Erklärung ist am')
  expect(request).toMatchObject({
    type: 'cancellation',
    status: 'received',
    name: 'Ada Lovelace',
    contract: id,
    subscription_id: id,
  })
  expect(to).toBe('Ada@example.com')
  expect(text).toMatch(/Eingegangen: .* UTC/)
  expect(text).toContain(request.id)
  expect((await workspace.get('/attention')).body.data).toMatchObject([
    { kind: 'cancellation_requests_open', count: 1 },
  ])
  // Mail scanners open links, which changes nothing. A wrong token changes nothing either.
  const shown = await open(url as string)
  expect(shown).toContain('ends on')
  expect(await confirm(url as string, 'wrong')).toContain('The contract has changed')
  expect(await subscriptionOf(workspace, id)).toMatchObject({ scheduled_change: null })

  expect(await confirm(url as string, tokenIn(shown))).toContain('Your contract ends on')
  expect(await confirm(url as string, tokenIn(shown))).toContain('Your contract ends on')
  expect(await subscriptionOf(workspace, id)).toMatchObject({ scheduled_change: { action: 'cancel' } })
  const events = (await workspace.eventsOf(request.id)).map(({ type }: { type: string }) => type)
  expect(events).toEqual(['cancellation_request.received', 'cancellation_request.updated'])
  expect((await requestsOf(workspace))[0]).toMatchObject({
    status: 'completed',
    confirmed_at: expect.any(String),
  })
  expect((await readMail(workspace, 'cancellation_confirmed')).text).toContain('Your subscription ends on')
  expect((await workspace.get('/attention')).body.data).toEqual([])
})

test('a stranger cannot cancel, and cannot find out anything about customers', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await subscribe(workspace, 'ada@example.com')
  const withoutDetails = (html: string) =>
    html
      .replaceAll(/[\w.]+@example\.com/g, '')
      .replaceAll(/cancellation_request_test_\w+/g, '')
      .replaceAll(/[A-Z][a-z]+ \d+, \d{4} at \d+:\d+:\d+ [AP]M UTC/g, '')

  const known = await declare(workspace, { email: 'ada@example.com', contract: id })
  const ownAddress = await declare(workspace, { email: 'eve@example.com', contract: id })

  expect(withoutDetails(ownAddress)).toBe(withoutDetails(known))
  const [byStranger, byVictim] = await requestsOf(workspace)
  expect(byStranger).toMatchObject({ email: 'eve@example.com', subscription_id: null, customer_id: null })
  expect(byVictim).toMatchObject({ subscription_id: id })
  // The stranger gets a statement of receipt without a link. The link only reaches the address of the customer.
  expect(await readMail(workspace)).toMatchObject({ to: 'eve@example.com', url: null })
  const forged = `${switchyard.addresses.test}/kc/${'A'.repeat(64)}`
  expect((await fetch(forged, { method: 'POST', body: new URLSearchParams() })).status).toBe(404)
  const foreign = await switchyard.newWorkspace()
  expect((await foreign.get(`/cancellation-requests/${byVictim.id}`)).status).toBe(404)
  await switchyard.settle()
  expect(await subscriptionOf(workspace, id)).toMatchObject({ status: 'trialing', scheduled_change: null })
})

test('a withdrawal needs the merchant, even after the subscriber has confirmed it', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await subscribe(workspace, 'ada@example.com')

  await declare(workspace, { email: 'ada@example.com' }, { type: 'withdrawal' })
  const { url } = await readMail(workspace)
  expect(await confirm(url as string, '')).toContain('has received your request and is processing it')
  const [request] = await requestsOf(workspace)
  expect(request).toMatchObject({ type: 'withdrawal', status: 'confirmed', subscription_id: id })
  expect(await subscriptionOf(workspace, id)).toMatchObject({ status: 'trialing', scheduled_change: null })

  const accept = () =>
    workspace.post(
      `/cancellation-requests/${request.id}/accept`,
      {},
      { headers: { 'idempotency-key': 'accept-once' } },
    )
  const accepted = await accept()
  expect(accepted, JSON.stringify(accepted.body)).toMatchObject({
    status: 200,
    body: { status: 'completed' },
  })
  expect(await subscriptionOf(workspace, id)).toMatchObject({ status: 'cancelled' })
  expect((await accept()).body).toEqual(accepted.body)
  const again = await workspace.post(`/cancellation-requests/${request.id}/reject`, {})
  expect(again).toMatchObject({ status: 409, body: { current_status: 'completed' } })
})

test('without a contract number, a request of a customer with two subscriptions is left to the merchant', async () => {
  const workspace = await switchyard.newWorkspace()
  const first = await subscribe(workspace, 'ada@example.com')
  await subscribe(workspace, 'ada@example.com')

  await declare(workspace, { email: 'ada@example.com' })
  const [request] = await requestsOf(workspace)
  expect(request).toMatchObject({ subscription_id: null, status: 'received' })
  const path = `/cancellation-requests/${request.id}`
  expect(await workspace.post(`${path}/accept`, {})).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/subscription_id' }] },
  })
  expect(await workspace.post(`${path}/accept`, { subscription_id: first })).toMatchObject({
    body: { status: 'completed', subscription_id: first },
  })
  expect(await subscriptionOf(workspace, first)).toMatchObject({ scheduled_change: { action: 'cancel' } })
})

test('invalid forms are shown again, and requests are limited per address and per network', async () => {
  const workspace = await switchyard.newWorkspace()
  const email = 'ada@example.com'
  for (const [form, field] of [
    [{ email: 'ada' }, 'email'],
    [{ email, name: '' }, 'name'],
    [{ email, contract: 'Buy now at https://evil.example' }, 'contract'],
    [{ email, kind: 'extraordinary' }, 'reason'],
    [{ email, end: '2026-02-31' }, 'end'],
  ] as const)
    expect(await declare(workspace, form)).toContain(`id="${field}-fault"`)
  expect(await requestsOf(workspace)).toEqual([])

  const script = await declare(workspace, { email, reason: '<script>alert(1)</script>' })
  expect(script).toContain('&lt;script&gt;')
  const pages = await Promise.all(Array.from({ length: 6 }, () => declare(workspace, { email })))
  expect(pages.filter((page) => page.includes('Too many requests'))).toHaveLength(2)
  const others = await Promise.all(
    Array.from({ length: 20 }, (_, at) => declare(workspace, { email: `p${at}@example.com` })),
  )
  expect(others.filter((page) => page.includes('Too many requests'))).toHaveLength(5)
  expect(await mailsOf(workspace)).toHaveLength(20)
})

test('deleting the customer erases what the subscriber entered', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await subscribe(workspace, 'ada@example.com')
  await declare(workspace, { email: 'ada@example.com', reason: 'I move.' })
  const { customer_id } = await subscriptionOf(workspace, id)

  const deleted = await workspace.delete(`/customers/${customer_id}?subscriptions=cancel`)

  expect(deleted.status, JSON.stringify(deleted.body)).toBeLessThan(300)
  expect((await requestsOf(workspace))[0]).toMatchObject({ name: null, email: null, reason: null })
})

test('a role that cannot cancel subscriptions cannot accept a request either, but can reject it', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await subscribe(workspace, 'ada@example.com')
  await declare(workspace, { email: 'eve@example.com' })
  const [request] = await requestsOf(workspace)
  const { body: token } = await workspace.post('/api-tokens', { name: 'Support', role: 'SUPPORT' })
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' }
    const url = `${switchyard.addresses.test}${path}`
    return (await fetch(url, { method, headers, body: JSON.stringify(body) })).status
  }
  const path = `/cancellation-requests/${request.id}`

  expect(await call('PUT', `/subscriptions/${id}/cancel`, { at: 'now' })).toBe(403)
  expect(await call('POST', `${path}/accept`, { subscription_id: id, at: 'now' })).toBe(403)
  expect(await subscriptionOf(workspace, id)).toMatchObject({ status: 'trialing', scheduled_change: null })
  expect(await call('POST', `${path}/reject`, {})).toBe(200)
})

test('a request that is rejected while it is being accepted cancels nothing', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await subscribe(workspace, 'ada@example.com')
  await declare(workspace, { email: 'ada@example.com' })
  const [request] = await requestsOf(workspace)
  const path = `/cancellation-requests/${request.id}`
  await asOwner(switchyard.databaseUrl, async (client) => {
    // The request is rejected after the acceptance has read it as open and while it waits for the lock on the
    // subscription.
    await client.query('begin')
    await client.query('select from subscriptions where id = $1 for update', [
      uuidOf(id as Id<'subscription'>),
    ])
    const accepted = workspace.post(`${path}/accept`, { at: 'now' })
    const waiting = `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await vi.waitFor(async () => expect((await client.query(waiting)).rows[0].waiting).toBe(1), 10_000)
    expect((await workspace.post(`${path}/reject`, {})).status).toBe(200)
    await client.query('commit')
    expect(await accepted).toMatchObject({ status: 409, body: { current_status: 'rejected' } })
  })

  expect(await subscriptionOf(workspace, id)).toMatchObject({ status: 'trialing', scheduled_change: null })
  expect(await mailsOf(workspace, 'cancellation_confirmed')).toEqual([])
})

test('an address that differs in one letter, but not in its lower-case form, gets no confirmation link', async () => {
  const workspace = await switchyard.newWorkspace()
  await subscribe(workspace, 'mike@example.com')
  // The Kelvin sign, whose lower case is the letter k.
  await declare(workspace, { email: 'mi\u212Ae@example.com' })
  for (const { to } of await mailsOf(workspace)) expect(to).toBe('mike@example.com')
})
