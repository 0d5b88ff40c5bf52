import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { told } from '../../../scripts/generate/api/told.ts'
import { simulatorForThisFile } from '../../server/test/support/simulator.ts'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { InvalidRequestError, NotFoundError, PermissionError, StateError, Switchyard } from '../src/index.ts'
import { callEveryOperation } from './support/every-operation.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })

async function aClient() {
  const { address: baseUrl, token, tokenFor, anInvoice, aCampaign, aPerson } = await switchyard.newWorkspace()
  return { sy: new Switchyard({ token, baseUrl }), baseUrl, token, tokenFor, anInvoice, aCampaign, aPerson }
}

test('every operation of the document has a method, and every method answers', {
  timeout: 60_000,
}, async () => {
  const { sy, anInvoice, aCampaign, aPerson } = await aClient()
  const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../openapi.json'), 'utf8'))
  const paths: Record<string, { operationId: string }>[] = Object.values(document.paths)
  const ids = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))

  const answers = await callEveryOperation(sy, switchyard.flushRequestLog, { anInvoice, aCampaign, aPerson })

  expect(Object.keys(answers).toSorted()).toEqual(ids.toSorted())
  expect(answers).toMatchObject({
    'workspace.update': { object: 'workspace', name: 'Another name' },
    'me.get': { object: 'me', mode: 'test', person: null },
    'people.update': { role: 'SUPPORT' },
    'people.deactivate': { status: 'deactivated' },
    'invitations.create': { status: 'pending', url: expect.stringContaining('/join#') },
    'invitations.revoke': { status: 'revoked' },
    'api_tokens.create': { token: expect.stringMatching(/^sk_test_/) },
    'api_tokens.get': { status: 'revoked' },
    'requests.get': { operation: 'customers.create', status: 201 },
    'customers.get': { name: 'Ada Lovelace', metadata: { order: '4711' } },
    'customers.delete': { object: 'customer', deleted: true },
    'events.get': { type: 'customer.updated' },
    'events.resend': { data: [{ event_type: 'customer.updated', state: 'pending' }] },
    'deliveries.list': { data: [{ state: 'exhausted' }] },
    'deliveries.get': { attempts: [{ trigger: 'test', outcome: 'connect_failed' }] },
    'deliveries.resend': { state: 'pending', attempts_made: 1 },
    'webhook_endpoints.figures': { attempts: 1, success_rate: 0 },
    'webhook_recoveries.create': { status: 'running' },
    'webhook_recoveries.cancel': { status: 'cancelled' },
    'provider_accounts.create': { secret: expect.stringMatching(/^psec_/) },
    'provider_accounts.check': { check: { passed: false } },
    'provider_accounts.archive': { status: 'archived', hold: null },
    'payment_routes.diff': { changes: [{ pointer: '/name', change: 'changed', to: 'All cards' }] },
    'payment_routes.publish': { revision: 2, name: 'All cards', lint: [] },
    'payment_routes.simulate': { end: 'approved', trace: { revision: 2 } },
    'route_simulations.get': { status: 'running', progress: { done: 0 }, result: null },
    'route_simulations.cancel': { status: 'cancelled' },
    'payment_routes.archive': { status: 'archived' },
    'payment_methods.create': { object: 'payment_method', status: 'authorized' },
    'payment_methods.detach': { status: 'detached', metadata: { order: '4711' } },
    'payments.capture': { status: 'succeeded', amount_captured: 1000 },
    'payments.cancel': { status: 'cancelled' },
    'refunds.get': { status: 'succeeded', amount: 300 },
    'payment_links.deactivate': { status: 'inactive', max_completions: 3 },
    'payment_links.activate': { status: 'active' },
    'checkout_sessions.expire': { status: 'expired' },
    'public_checkout_sessions.confirm': { status: 'completed', payment: { status: 'succeeded' } },
    'checkout_sessions.get': { status: 'completed', client_secret: null },
  })
  expect(answers['api_tokens.roll'].token).not.toBe(answers['api_tokens.create'].token)
  expect(answers['event_types.list'].data.map(({ type }) => type)).toContain('customer.created')
  await switchyard.flushRequestLog()
  expect(await untold(sy)).toEqual([])
})

/** Events that a call made, and that the page of its operation does not name. */
async function untold(sy: Switchyard): Promise<string[]> {
  const calls = await sy.requests.list().all({ max: 1000 })
  const operations = new Map(calls.map(({ id, operation }) => [id, operation]))
  const events = await sy.events.list().all({ max: 1000 })
  const made = events.flatMap((event) => {
    const { type, request } = sy.events.contentOf(event)
    const operation = operations.get(request?.id ?? '')
    return operation === null || operation === undefined ? [] : [`${operation}: ${type}`]
  })
  const named = Object.entries(told).flatMap(([id, types]) => types.map((type) => `${id}: ${type}`))
  expect(made.length).toBeGreaterThan(50)
  return [...new Set(made)].filter((line) => !named.includes(line)).toSorted()
}

test('an answer tells of its response without carrying it along', async () => {
  const { sy } = await aClient()

  const customer = await sy.customers.create({ email: 'ada@example.com' })

  expect(customer.$response).toMatchObject({ status: 201, etag: '"1"', replayed: false })
  expect(customer.$response.requestId).toMatch(/^request_test_/)
  expect(customer.$response.headers.get('switchyard-version')).toBe(sy.version)
  expect(JSON.stringify({ ...customer })).not.toContain('$response')
})

test('the same key has one effect, and says so', async () => {
  const { sy } = await aClient()
  const create = () => sy.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'signup-4711' })

  const [first, second] = [await create(), await create()]

  expect(second.id).toBe(first.id)
  expect([first.$response.replayed, second.$response.replayed]).toEqual([false, true])
})

test('a change with ifMatch is refused when somebody was faster, without trying again', async () => {
  const { baseUrl, token } = await aClient()
  const attempts: number[] = []
  const sy = new Switchyard({ token, baseUrl, onRequest: ({ attempt }) => attempts.push(attempt) })
  const { id, $response } = await sy.customers.create({ name: 'Ada' })
  const ifMatch = $response.etag ?? ''
  await sy.customers.update(id, { name: 'Ada Lovelace' }, { ifMatch })

  const late = sy.customers.update(id, { name: 'Countess' }, { ifMatch })

  await expect(late).rejects.toMatchObject({ name: 'StateError', code: 'version_mismatch', status: 412 })
  expect(attempts).toEqual([1, 1, 1])
})

test('an event is read with its content', async () => {
  const { sy } = await aClient()
  const { id } = await sy.customers.create({ name: 'Ada' })
  await sy.customers.update(id, { name: 'Ada Lovelace' })

  const [latest] = await sy.events.list({ object_id: id }).all({ max: 1 })
  const got = await sy.events.get(latest?.id ?? '')
  const content = sy.events.contentOf(got)

  expect([latest?.content, got.content]).toEqual([content, content])
  expect(JSON.parse(JSON.stringify(got))).not.toHaveProperty('content')
  expect(content).toMatchObject({
    type: 'customer.updated',
    sequence: 2,
    object: { id, name: 'Ada Lovelace' },
    previous: { name: 'Ada' },
  })
})

test('the version of the types is asked for, whatever the workspace is pinned to', async () => {
  const { sy, baseUrl, token } = await aClient()
  await sy.workspace.update({ api_version: '2026-10-01' })

  const newest = await sy.customers.create({ name: 'Ada' })
  const old = new Switchyard({ token, baseUrl, version: '2026-10-01' })

  expect(newest.name).toBe('Ada')
  expect(await old.customers.get(newest.id)).toHaveProperty('full_name', 'Ada')
})

test('a fault of the body lists every pointer and stands in the message', async () => {
  const { sy } = await aClient()

  const error = await sy.customers.create({ email: 'nobody', phone: '1' }).catch((thrown) => thrown)

  expect(error).toBeInstanceOf(InvalidRequestError)
  expect(error).toMatchObject({ status: 400, code: 'invalid_request', retryable: false })
  expect(error.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/email', '/phone'])
  expect(error.message).toContain('/email must be an e-mail address.')
  expect(error.message).toContain(error.requestId)
})

test('each refusal of the server has the class of its status', async () => {
  const { sy, baseUrl, tokenFor } = await aClient()
  const reader = new Switchyard({ token: await tokenFor('READ_ONLY'), baseUrl })
  const { id } = await sy.apiTokens.create({ name: 'x', role: 'SUPPORT' })
  await sy.apiTokens.revoke(id)
  await sy.customers.create({ name: 'A' }, { idempotencyKey: 'k' })
  const unknown = new Switchyard({ token: `sk_test_${'x'.repeat(38)}`, baseUrl })

  await expect(sy.customers.get('customer_test_01')).rejects.toBeInstanceOf(NotFoundError)
  await expect(reader.customers.create({})).rejects.toBeInstanceOf(PermissionError)
  await expect(unknown.me.get()).rejects.toMatchObject({ name: 'AuthenticationError', code: 'token_invalid' })
  await expect(sy.customers.create({ name: 'B' }, { idempotencyKey: 'k' })).rejects.toMatchObject({
    name: 'InvalidRequestError',
    status: 422,
    code: 'idempotency_key_reused',
    idempotencyKey: 'k',
  })
  const rolled = await sy.apiTokens.roll(id).catch((thrown) => thrown)
  expect(rolled).toBeInstanceOf(StateError)
  expect(rolled.problem).toMatchObject({ current_status: 'revoked', allowed_actions: [] })
})

test('without baseUrl the address is that of the mode of the token', () => {
  expect(new Switchyard({ token: 'sk_test_x' }).baseUrl).toBe('http://127.0.0.1:8081')
  expect(new Switchyard({ token: 'sk_live_x' }).baseUrl).toBe('http://127.0.0.1:8080')
  expect(new Switchyard({ token: 'x', baseUrl: 'https://pay.example.com/' }).baseUrl).toBe(
    'https://pay.example.com',
  )
})

test.each([
  [{ token: undefined }, 'needs a token'],
  [{ token: 'x' }, 'Set baseUrl'],
  [{ token: 'sk_test_x', baseUrl: 'localhost:80' }, 'must be an address'],
  [{ token: 'sk_test_x', maxRetries: -1 }, 'maxRetries is -1'],
  [{ token: 'sk_test_x', timeoutMs: Number.NaN }, 'timeoutMs is NaN'],
])('%j is refused at once', (options, sentence) => {
  expect(() => new Switchyard(options)).toThrow(sentence)
})

test.each(['', '.', '..'])('"%s" is no id: it would name the list', async (id) => {
  const { sy } = await aClient()
  expect(() => sy.customers.get(id)).toThrow('is not an id')
})
