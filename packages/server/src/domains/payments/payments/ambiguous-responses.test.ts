// Tests which provider responses are conclusive. Only a conclusive response ends a payment or allows failover to
// another account.

import { expect, test, vi } from 'vitest'
import { createToken } from '../../../../test/support/payment-methods.ts'
import {
  honest,
  json,
  type ProviderAnswer,
  scriptedProviderForThisFile,
} from '../../../../test/support/scripted-provider.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await switchyardForThisFile({
  overrides: { limits: { providerMs: 1_200, requestMs: 4_000 } },
})
const first = await scriptedProviderForThisFile()
const second = await scriptedProviderForThisFile()

/** Each payment needs a new workspace, otherwise the circuit breaker of the first account opens. */
async function newWorkspace(...urls: readonly string[]): Promise<Workspace> {
  const workspace = await switchyard.newWorkspace()
  for (const base_url of urls)
    await workspace.post('/provider-accounts', {
      provider: 'custom',
      display_name: base_url,
      config: { base_url },
    })
  first.answer = honest
  second.answer = honest
  first.requests.length = 0
  second.requests.length = 0
  return workspace
}

async function pay(workspace: Workspace, members: object = {}) {
  const order = { amount: 1299, currency: 'eur', token: await createToken(workspace), ...members }
  const { body } = await workspace.post('/payments', order)
  return (await workspace.get(`/payments/${body.resource_id ?? body.id}`)).body
}

async function advanceSeconds(seconds: number): Promise<void> {
  switchyard.clock.advance({ seconds })
  await switchyard.settle()
}

const recordWith =
  (members: object, status = 200): ProviderAnswer =>
  (response, { record }) =>
    json(response, status, { ...record, ...members })
const respondWith =
  (status: number, body: unknown): ProviderAnswer =>
  (response) =>
    json(response, status, body)

// biome-ignore format: a table.
const ambiguous: readonly (readonly [name: string, answer: ProviderAnswer])[] = [
  ['500 with a success',              recordWith({}, 500)],
  ['500 with a rejection',            recordWith({ status: 'rejected' }, 500)],
  ['502 from a gateway',              respondWith(502, '<html>')],
  ['503 with an empty object',        respondWith(503, {})],
  ['503 with a success and processed: false', recordWith({ processed: false }, 503)],
  ['429 with processed: 0',           respondWith(429, { processed: 0 })],
  ['200 with truncated JSON',         respondWith(200, '{"status":"declined"')],
  ['200 without a body',              respondWith(200, '')],
  ['a decline for another reference', recordWith({ reference: 'other-1', status: 'declined', decline: { code: 'processing_error' } })],
  ['another kind of operation',       recordWith({ kind: 'refund' })],
  ['no provider reference',           recordWith({ provider_reference: null })],
  ['a fractional amount',             recordWith({ amount: 1299.5 })],
  ['an unknown status',               recordWith({ status: 'approved' })],
  ['201',                             recordWith({}, 201)],
  ['a redirect',                      (response) => response.writeHead(307, { location: second.url }).end()],
  ['408',                             respondWith(408, {})],
  ['400 from a gateway',              respondWith(400, '<h1>')],
  ['404',                             respondWith(404, {})],
  ['409 without a reason',            respondWith(409, {})],
  ['a rejection for another reference', recordWith({ reference: 'x-1', status: 'rejected' }, 400)],
  ['401 with a success',              recordWith({}, 401)],
  ['403 with a truncated record',     (response, { record }) => json(response, 403, JSON.stringify(record).slice(0, -1))],
  ['403 with processed: true',        respondWith(403, { processed: true })],
  ['a reset connection',              (response) => response.socket?.resetAndDestroy()],
  ['no response',                     () => {}],
  ['a duplicate transmission decline', recordWith({ status: 'declined', decline: { code: 'processing_error', network_code: '94' } })],
]

test.each(ambiguous)('%s leaves the outcome unknown, and no other account is tried', async (_, answer) => {
  const workspace = await newWorkspace(first.url, second.url)
  first.answer = answer

  const payment = await pay(workspace)

  expect(payment).toMatchObject({ status: 'processing', failure: null, amount_captured: 0 })
  expect(first.sent()).toBeGreaterThan(0)
  expect(second.sent()).toBe(0)
})

// biome-ignore format: a table.
const refusals: readonly (readonly [name: string, answer: ProviderAnswer])[] = [
  ['401 with an error code',      respondWith(401, { error: { code: 'bad_signature' } })],
  ['403 with a message',          respondWith(403, { message: 'Forbidden' })],
  ['403 with an HTML page',       respondWith(403, '<html>Forbidden</html>')],
  ['401 without a body',          respondWith(401, '')],
]

test.each(refusals)(
  '%s on the first request proves that nothing was processed, so another account is tried',
  async (_, answer) => {
    const workspace = await newWorkspace(first.url, second.url)
    first.answer = answer

    const payment = await pay(workspace)

    expect(payment).toMatchObject({ status: 'succeeded', attempts_count: 2, amount_captured: 1299 })
    expect([first.sent(), second.sent()]).toEqual([1, 1])
  },
)

test('if the only account rejects the credentials, the payment fails, and the account shows when this began', async () => {
  const workspace = await newWorkspace(first.url)
  first.answer = respondWith(401, { error: { code: 'bad_signature' } })

  const payment = await pay(workspace)
  await switchyard.health.flush()

  expect(payment).toMatchObject({
    status: 'failed',
    failure: {
      code: 'provider_credentials_invalid',
      class: 'configuration',
      advice_code: 'contact_merchant',
    },
  })
  const [account] = (await workspace.get('/provider-accounts')).body.data
  expect(account.health.credentials_refused_since).toBe('2026-11-14T12:00:00.000Z')
  const types = (await workspace.eventsOf(account.id)).map(({ type }: { type: string }) => type)
  expect(types).toContain('provider_account.credentials_refused')
})

test('a 401 on a repeated request proves nothing about the first request, so the outcome stays unknown', async () => {
  const workspace = await newWorkspace(first.url, second.url)
  first.answer = (response) => response.socket?.destroy()
  const { id } = await pay(workspace)
  first.answer = respondWith(401, { error: { code: 'bad_signature' } })

  for (const seconds of [2, 10, 60, 300]) await advanceSeconds(seconds)

  const { body } = await workspace.get(`/payments/${id}`)
  expect(body).toMatchObject({ status: 'processing', failure: null, attempts_count: 1 })
  expect(first.requests.length).toBeGreaterThan(3)
  expect(second.sent()).toBe(0)
  first.answer = (response, request) => json(response, 200, request.record)
  await advanceSeconds(3_600)
  expect((await workspace.get(`/payments/${id}`)).body).toMatchObject({ status: 'succeeded' })
})

test('a refund that the provider rejects with 401 is resent, because the credentials may be corrected in the meantime', async () => {
  const workspace = await newWorkspace(first.url)
  const { id } = await pay(workspace)
  first.answer = respondWith(401, { error: { code: 'bad_signature' } })
  const { body: refund } = await workspace.post('/refunds', { payment_id: id, amount: 1299 })

  first.answer = honest
  await advanceSeconds(60)

  expect((await workspace.get(`/refunds/${refund.id}`)).body).toMatchObject({ status: 'succeeded' })
  expect((await workspace.get(`/payments/${id}`)).body).toMatchObject({ amount_refunded: 1299 })
})
