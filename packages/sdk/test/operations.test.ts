import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { emittedEvents } from '../../../scripts/generate/api/emitted-events.ts'
import { oldVersion, withOldVersion } from '../../server/test/support/old-version.ts'
import { simulatorForThisFile } from '../../server/test/support/simulator.ts'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { InvalidRequestError, NotFoundError, PermissionError, StateError, Switchyard } from '../src/index.ts'
import { callEveryOperation } from './support/every-operation.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { versions: withOldVersion },
})

async function newClient() {
  const {
    address: baseUrl,
    token,
    tokenFor,
    anInvoice,
    aCampaign,
    aDispute,
    anExport,
    anEmail,
    aCancellationRequest,
    aPerson,
    aSettlementLine,
  } = await switchyard.newWorkspace()
  return {
    sy: new Switchyard({ token, baseUrl }),
    baseUrl,
    token,
    tokenFor,
    anInvoice,
    aCampaign,
    aDispute,
    anExport,
    anEmail,
    aCancellationRequest,
    aPerson,
    aSettlementLine,
  }
}

test('every operation of the document has a method, and every method returns a response', {
  timeout: 60_000,
}, async () => {
  const {
    sy,
    anInvoice,
    aCampaign,
    aDispute,
    anExport,
    anEmail,
    aCancellationRequest,
    aPerson,
    aSettlementLine,
  } = await newClient()
  const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../openapi.json'), 'utf8'))
  const paths: Record<string, { operationId: string }>[] = Object.values(document.paths)
  const ids = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))

  const responses = await callEveryOperation(sy, switchyard.flushRequestLog, {
    anInvoice,
    aCampaign,
    aDispute,
    anExport,
    anEmail,
    aCancellationRequest,
    aPerson,
    aSettlementLine,
  })

  expect(Object.keys(responses).toSorted()).toEqual(ids.toSorted())
  expect(responses).toMatchObject({
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
    'export_destinations.update': { name: 'Warehouse' },
    'export_destinations.check': { status: 'failing', error: { code: 'unreachable' } },
    'export_destinations.delete': { deleted: true },
    'exports.create': { of: 'journal', status: 'running', file: null },
    'exports.get': { of: 'payments', status: 'completed' },
    'exports.download': { url: expect.stringContaining('/downloads/test.') },
    'journal_settings.get': { xero: { tax_rate: 'No Tax' }, datev: null },
    'exports.cancel': { status: 'cancelled' },
    'payment_links.deactivate': { status: 'inactive', max_completions: 3 },
    'payment_links.activate': { status: 'active' },
    'checkout_sessions.expire': { status: 'expired' },
    'public_checkout_sessions.confirm': { status: 'completed', payment: { status: 'succeeded' } },
    'checkout_sessions.get': { status: 'completed', client_secret: null },
  })
  expect(responses['api_tokens.roll'].token).not.toBe(responses['api_tokens.create'].token)
  expect(responses['event_types.list'].data.map(({ type }) => type)).toContain('customer.created')
  await switchyard.flushRequestLog()
  expect(await undocumentedEvents(sy)).toEqual([])
})

/** Events that an operation emitted but its reference page does not list. */
async function undocumentedEvents(sy: Switchyard): Promise<string[]> {
  const calls = await sy.requests.list().all({ max: 1000 })
  const operations = new Map(calls.map(({ id, operation }) => [id, operation]))
  const events = await sy.events.list().all({ max: 1000 })
  const emitted = events.flatMap((event) => {
    const { type, request } = sy.events.contentOf(event)
    const operation = operations.get(request?.id ?? '')
    return operation === null || operation === undefined ? [] : [`${operation}: ${type}`]
  })
  const documented = Object.entries(emittedEvents).flatMap(([id, types]) =>
    types.map((type) => `${id}: ${type}`),
  )
  expect(emitted.length).toBeGreaterThan(50)
  return [...new Set(emitted)].filter((line) => !documented.includes(line)).toSorted()
}

test('a result has the metadata of its response without enumerating it', async () => {
  const { sy } = await newClient()

  const customer = await sy.customers.create({ email: 'ada@example.com' })

  expect(customer.$response).toMatchObject({ status: 201, etag: '"1"', replayed: false })
  expect(customer.$response.requestId).toMatch(/^request_test_/)
  expect(customer.$response.headers.get('switchyard-version')).toBe(sy.version)
  expect(JSON.stringify({ ...customer })).not.toContain('$response')
})

test('the same key has one effect, and the response is marked as replayed', async () => {
  const { sy } = await newClient()
  const create = () => sy.customers.create({ email: 'ada@example.com' }, { idempotencyKey: 'signup-4711' })

  const [first, second] = [await create(), await create()]

  expect(second.id).toBe(first.id)
  expect([first.$response.replayed, second.$response.replayed]).toEqual([false, true])
})

test('a change with ifMatch is rejected after a concurrent change, without a retry', async () => {
  const { baseUrl, token } = await newClient()
  const attempts: number[] = []
  const sy = new Switchyard({ token, baseUrl, onRequest: ({ attempt }) => attempts.push(attempt) })
  const { id, $response } = await sy.customers.create({ name: 'Ada' })
  const ifMatch = $response.etag ?? ''
  await sy.customers.update(id, { name: 'Ada Lovelace' }, { ifMatch })

  const staleUpdate = sy.customers.update(id, { name: 'Countess' }, { ifMatch })

  await expect(staleUpdate).rejects.toMatchObject({
    name: 'StateError',
    code: 'version_mismatch',
    status: 412,
  })
  expect(attempts).toEqual([1, 1, 1])
})

test('a retrieved event has its parsed content', async () => {
  const { sy } = await newClient()
  const { id } = await sy.customers.create({ name: 'Ada' })
  await sy.customers.update(id, { name: 'Ada Lovelace' })

  const [latest] = await sy.events.list({ object_id: id }).all({ max: 1 })
  const retrieved = await sy.events.get(latest?.id ?? '')
  const content = sy.events.contentOf(retrieved)

  expect([latest?.content, retrieved.content]).toEqual([content, content])
  expect(JSON.parse(JSON.stringify(retrieved))).not.toHaveProperty('content')
  expect(content).toMatchObject({
    type: 'customer.updated',
    sequence: 2,
    object: { id, name: 'Ada Lovelace' },
    previous: { name: 'Ada' },
  })
})

test('the client requests the API version of its types, regardless of the version of the workspace', async () => {
  const { sy, baseUrl, token } = await newClient()
  await sy.workspace.update({ api_version: oldVersion })

  const newest = await sy.customers.create({ name: 'Ada' })
  const old = new Switchyard({ token, baseUrl, version: oldVersion })

  expect(newest.name).toBe('Ada')
  expect(await old.customers.get(newest.id)).toHaveProperty('full_name', 'Ada')
})

test('the error of an invalid body lists every pointer, and so does its message', async () => {
  const { sy } = await newClient()

  const error = await sy.customers.create({ email: 'nobody', phone: '1' }).catch((thrown) => thrown)

  expect(error).toBeInstanceOf(InvalidRequestError)
  expect(error).toMatchObject({ status: 400, code: 'invalid_request', retryable: false })
  expect(error.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/email', '/phone'])
  expect(error.message).toMatch(
    /^Invalid request: \/email must be an email address\. \/phone [^/]*\(invalid_request, request_test_/,
  )
  expect(error.message).toContain(error.requestId)
})

test('the class of an error depends on the status of the response', async () => {
  const { sy, baseUrl, tokenFor } = await newClient()
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

test('without baseUrl the client calls localhost, at the port for the mode of the token', () => {
  expect(new Switchyard({ token: 'sk_test_x' }).baseUrl).toBe('http://127.0.0.1:8081')
  expect(new Switchyard({ token: 'sk_live_x' }).baseUrl).toBe('http://127.0.0.1:8080')
  expect(new Switchyard({ token: 'x', baseUrl: 'https://pay.example.com/' }).baseUrl).toBe(
    'https://pay.example.com',
  )
})

test.each([
  [{ token: undefined }, 'A token is required'],
  [{ token: 'x' }, 'baseUrl is required'],
  [{ token: 'sk_test_x', baseUrl: 'localhost:80' }, 'must be a URL'],
  [{ token: 'sk_test_x', maxRetries: -1 }, 'maxRetries must be a number of at least 0, not -1'],
  [{ token: 'sk_test_x', timeoutMs: Number.NaN }, 'timeoutMs must be a number of at least 1, not NaN'],
])('%j is rejected by the constructor', (options, sentence) => {
  expect(() => new Switchyard(options)).toThrow(sentence)
})

test.each(['', '.', '..'])('"%s" is not an id, because the request would go to the list', async (id) => {
  const { sy } = await newClient()
  expect(() => sy.customers.get(id)).toThrow('is not an id')
})
