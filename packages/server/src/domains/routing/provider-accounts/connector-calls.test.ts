// Provider accounts with a connector: checking credentials, a payment, webhooks, and rotating credentials. A
// local server responds like Stripe.

import { Writable } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { tablesContaining } from '../../../../test/support/database-search.ts'
import {
  type ReceivedRequest,
  type ReceiverAnswer,
  receiverForThisFile,
} from '../../../../test/support/receiver.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import type { Id } from '../../../kernel/id.ts'
import { createLog } from '../../../platform/log.ts'
import { notification, signed } from '../../../providers/adyen/fixtures/notifications.ts'
import type { ConnectorConfig } from '../../../providers/contract.ts'
import { signatureOf } from '../../../providers/stripe/fixtures/kit.ts'
import { charge, event, intent, listOf } from '../../../providers/stripe/fixtures/objects.ts'
import { openAccount } from './service/open.ts'

const logged: string[] = []
const destination = new Writable({
  write(chunk, _, done) {
    logged.push(String(chunk))
    done()
  },
})
const switchyard = await switchyardForThisFile({ overrides: { log: createLog('debug', destination) } })
const { clock, deps } = switchyard
const provider = await receiverForThisFile()
afterEach(() => provider.clear())

const secretKey = 'sk_test_51FirstSecretKey'
const signingSecret = 'whsec_firstSigningSecret'

async function anAccount(workspace: Workspace, members: object = {}) {
  const { status, body } = await workspace.post('/provider-accounts', {
    provider: 'stripe',
    display_name: 'Stripe',
    config: { base_url: provider.at('/stripe/') },
    credentials: { secret_key: secretKey, signing_secret: signingSecret },
    ...members,
  })
  expect([status, body.errors]).toEqual([201, undefined])
  const id: Id<'provider_account'> = body.id
  const path = `/provider-accounts/${id}`
  return {
    id,
    path,
    rotate: (credentials: object, overlap_seconds?: number) =>
      workspace.post(`${path}/rotate_secret`, { credentials, overlap_seconds }),
    open: async () => {
      const { config } = await openAccount(deps, workspace.workspaceId as Id<'workspace'>, id)
      return config as ConnectorConfig
    },
  }
}

/** The response of Stripe to a payment request: an intent with the amount and currency in the form. */
function paymentFor({ body }: ReceivedRequest, changes: object = {}): object {
  const form = new URLSearchParams(body)
  const [amount, currency] = [Number(form.get('amount')), form.get('currency')]
  return intent({
    amount,
    amount_received: amount,
    currency,
    latest_charge: charge({ amount, amount_captured: amount, currency }),
    metadata: { switchyard_reference: form.get('metadata[switchyard_reference]') },
    ...changes,
  })
}

const answer = (body: object, status = 200): ReceiverAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function pay({ post }: Workspace, provider_account_id: string) {
  const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
  const { body: token } = await post('/tokens', {
    type: 'provider_token',
    provider_token: { provider_account_id, token: 'pm_1Card4242', card },
  })
  return post('/payments', { amount: 1299, currency: 'eur', token: token.id })
}

function sendEvent(accountId: string, object: object, secret: string) {
  const body = Buffer.from(JSON.stringify(event('payment_intent.succeeded', object)))
  return switchyard.call('test', 'POST', `/provider-webhooks/${accountId}`, undefined, {
    raw: body.toString(),
    headers: { 'stripe-signature': signatureOf(body, secret, new Date()) },
  })
}

test('the check makes one call with the secret key, and passes if the provider accepts it', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anAccount(workspace)
  provider.answer = () => answer(listOf([]))

  const { status, body } = await workspace.post(`${path}/check`)

  expect([status, body.check]).toEqual([200, { passed: true, faults: [] }])
  expect(provider.requests).toMatchObject([
    {
      path: expect.stringMatching(/^\/stripe\/v1\/payment_intents\?/),
      headers: { authorization: `Bearer ${secretKey}` },
    },
  ])
})

test('the check reports credentials that the provider rejects, and a provider that does not respond', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anAccount(workspace)
  provider.answer = () => answer({ error: { type: 'invalid_request_error', message: secretKey } }, 401)

  const rejected = await workspace.post(`${path}/check`)
  const elsewhere = await anAccount(workspace, { config: { base_url: 'http://127.0.0.1:1024' } })
  const unreachable = await workspace.post(`${elsewhere.path}/check`)

  const detail = 'Stripe does not accept the secret key. Use credentials of the test environment of Stripe.'
  expect(rejected.body.check).toEqual({ passed: false, faults: [{ duty: 'credentials', detail }] })
  expect(unreachable.body.check).toEqual({
    passed: false,
    faults: [{ duty: 'credentials', detail: expect.not.stringContaining('environment') }],
  })
})

test('the check of an account with an access token fetches the token first', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path } = await anAccount(workspace, {
    provider: 'paypal',
    credentials: { client_id: 'AeA1QIZXiflr1', client_secret: 'EGnHDxD_qRPd' },
  })
  const token = { access_token: 'A21AAsecretToken', token_type: 'Bearer', expires_in: 32_400 }
  provider.answer = (request) => answer(request.path.endsWith('/oauth2/token') ? token : { webhooks: [] })

  const accepted = await workspace.post(`${path}/check`)
  await workspace.post(`${path}/rotate_secret`, { credentials: { client_secret: 'another_secret' } })
  provider.answer = () => answer({ error: 'invalid_client' }, 401)
  const rejected = await workspace.post(`${path}/check`)

  expect(accepted.body.check).toEqual({ passed: true, faults: [] })
  expect(provider.requests.map((request) => request.headers.authorization?.split(' ')[0])).toEqual([
    'Basic',
    'Bearer',
    'Basic',
  ])
  expect(rejected.body.check.faults[0].detail).toMatch(
    /does not accept the credentials.* test environment of PayPal\.$/,
  )
})

test('the check result is discarded when settings or credentials change, and kept otherwise', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path, rotate } = await anAccount(workspace)
  provider.answer = () => answer(listOf([]))
  const check = async () => (await workspace.post(`${path}/check`)).body.check

  const checked = await check()
  const renamed = await workspace.put(path, { display_name: 'Another name' })
  const changed = await workspace.put(path, { config: { settings: { request_multicapture: 'never' } } })
  await check()
  const rotated = await rotate({ secret_key: 'sk_test_51SecondSecretKey' })

  expect(renamed.body.check).toEqual(checked)
  expect([changed.body.check, rotated.body.check]).toEqual([null, null])
})

test('a payment is made with the secret key, and a webhook reports its result', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id } = await anAccount(workspace)
  provider.answer = (request) => answer(paymentFor(request))
  const paid = await pay(workspace, id)
  const slow = { status: 'processing', amount_received: 0, latest_charge: null }
  provider.answer = (request) => answer(paymentFor(request, { ...slow, id: 'pi_3Auth2' }))
  const pending = await pay(workspace, id)
  const request = provider.requests.at(-1) as ReceivedRequest

  const object = paymentFor(request, { id: 'pi_3Auth2' })
  const forged = await sendEvent(id, object, 'whsec_anotherSecret')
  const received = await sendEvent(id, object, signingSecret)
  await switchyard.settle()

  expect(paid.body).toMatchObject({ status: 'succeeded', amount_captured: 1299, provider_account_id: id })
  expect(provider.requests[0]).toMatchObject({
    path: '/stripe/v1/payment_intents',
    headers: { authorization: `Bearer ${secretKey}` },
  })
  expect([forged.status, received.status]).toEqual([401, 200])
  const paymentId = pending.body.resource_id ?? pending.body.id
  expect(pending.body.status).not.toBe('succeeded')
  expect((await workspace.get(`/payments/${paymentId}`)).body).toMatchObject({ status: 'succeeded' })
})

test('webhooks in other formats are accepted: batches with basic authentication, and forms', async () => {
  const workspace = await switchyard.newWorkspace()
  const hmac_key = 'ab'.repeat(32)
  const webhook_password = 'correct horse'
  const adyen = await anAccount(workspace, {
    provider: 'adyen',
    config: { settings: { merchant_account: 'ExampleShopECOM', webhook_username: 'switchyard' } },
    credentials: { api_key: 'AQEyhmfxKonOaBFMqb4', hmac_key, webhook_password },
  })
  const mollie = await anAccount(workspace, {
    provider: 'mollie',
    config: {},
    credentials: { api_key: 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM' },
  })
  const item = {
    pspReference: 'WNS7WQ756L2GWR82',
    merchantAccountCode: 'ExampleShopECOM',
    merchantReference: '01M7CYVGQTEAKSNTBFR026MPQ1-1',
    amount: { value: 1299, currency: 'EUR' },
    eventCode: 'AUTHORISATION',
    success: 'true',
  }
  const { body } = notification([signed(item, hmac_key)])
  const basic = (password: string) => `Basic ${Buffer.from(`switchyard:${password}`).toString('base64')}`
  const send = (id: string, raw: string, headers: Record<string, string>) =>
    switchyard.call('test', 'POST', `/provider-webhooks/${id}`, undefined, { raw, headers })

  const responses = [
    await send(adyen.id, Buffer.from(body).toString(), { authorization: basic(webhook_password) }),
    await send(adyen.id, Buffer.from(body).toString(), { authorization: basic('wrong') }),
    await send(mollie.id, 'id=tr_7UhSN1zuXS', { 'content-type': 'application/x-www-form-urlencoded' }),
  ]

  expect(responses.map(({ status }) => status)).toEqual([200, 401, 200])
})

test('a rotation replaces the credentials for calls, and the previous signing secret verifies webhooks until it expires', async () => {
  const workspace = await switchyard.newWorkspace()
  const { id, rotate, open } = await anAccount(workspace)
  clock.advance({ minutes: 1 })
  const verdict = async (secret: string) => (await sendEvent(id, intent(), secret)).status

  const { status, body } = await rotate({ signing_secret: 'whsec_secondSigningSecret' }, 3_600)

  expect([status, body.secret]).toEqual([200, null])
  expect(body.credentials).toEqual({
    set: true,
    rotated_at: body.updated_at,
    names: ['secret_key', 'signing_secret'],
  })
  expect(await open()).toMatchObject({
    credentials: { secret_key: secretKey },
    webhook_secrets: { signing_secret: ['whsec_secondSigningSecret', signingSecret] },
  })
  expect([await verdict(signingSecret), await verdict('whsec_secondSigningSecret')]).toEqual([200, 200])
  clock.advance({ hours: 1 })
  // A change that this process makes clears its cache, so that it opens the account again.
  await workspace.put(`/provider-accounts/${id}`, { position: 9 })
  expect([await verdict(signingSecret), await verdict('whsec_secondSigningSecret')]).toEqual([401, 200])
})

test('calls use a new secret key immediately, and its rotation is possible while two signing secrets are active', async () => {
  const workspace = await switchyard.newWorkspace()
  const { rotate, open } = await anAccount(workspace)
  await rotate({ signing_secret: 'whsec_secondSigningSecret' })

  const third = await rotate({ signing_secret: 'whsec_thirdSigningSecret' })
  const key = await rotate({ secret_key: 'sk_test_51SecondSecretKey' })

  expect(third.body.code).toBe('too_many_secrets')
  expect(key.status).toBe(200)
  const active = ['whsec_secondSigningSecret', signingSecret]
  expect(await open()).toMatchObject({
    credentials: { secret_key: 'sk_test_51SecondSecretKey' },
    webhook_secrets: { signing_secret: active },
  })
  expect((await rotate({ signing_secret: 'whsec_thirdSigningSecret' }, 0)).status).toBe(200)
  expect((await open()).webhook_secrets).toEqual({ signing_secret: ['whsec_thirdSigningSecret'] })
})

test('each credential has its own overlap: rotating one does not end the previous values of others', async () => {
  const workspace = await switchyard.newWorkspace()
  const [firstKey, secondKey] = ['ab'.repeat(32), 'cd'.repeat(32)]
  const { rotate, open } = await anAccount(workspace, {
    provider: 'adyen',
    config: { settings: { merchant_account: 'ExampleShopECOM', webhook_username: 'switchyard' } },
    credentials: { api_key: 'AQEyhmfxKonOaBFMqb4', hmac_key: firstKey, webhook_password: 'first password' },
  })

  const statuses = [
    (await rotate({ hmac_key: secondKey })).status,
    (await rotate({ webhook_password: 'second password' })).status,
    (await rotate({ api_key: 'AQEyhmfxKonOaBFMqb5' }, 0)).status,
  ]

  expect(statuses).toEqual([200, 200, 200])
  expect((await open()).webhook_secrets).toEqual({
    hmac_key: [secondKey, firstKey],
    webhook_password: ['second password', 'first password'],
  })
  await rotate({ hmac_key: secondKey }, 0)
  expect((await open()).webhook_secrets).toEqual({
    hmac_key: [secondKey],
    webhook_password: ['second password', 'first password'],
  })
})

test('a credential that was not set can be added, and an invalid rotation is rejected', async () => {
  const workspace = await switchyard.newWorkspace()
  const { path, rotate, open } = await anAccount(workspace, { credentials: { secret_key: secretKey } })

  const rejected = [
    await workspace.post(`${path}/rotate_secret`, {}),
    await rotate({}),
    await rotate({ api_key: 'x'.repeat(20) }),
    await rotate({ secret_key: 'sk_live_51Abcdefgh' }),
  ]
  const added = await rotate({ signing_secret: signingSecret })

  expect(rejected.map(({ status, body }) => [status, body.errors[0].pointer, body.errors[0].code])).toEqual([
    [400, '/credentials', 'required'],
    [400, '/credentials', 'too_short'],
    [400, '/credentials/api_key', 'unknown_member'],
    [400, '/credentials/secret_key', 'bad_format'],
  ])
  expect(added.body.credentials.names).toEqual(['secret_key', 'signing_secret'])
  expect((await open()).webhook_secrets).toEqual({ signing_secret: [signingSecret] })
})

test('credentials are in no response, log, event, audit entry or table, not even as a hash', async () => {
  const workspace = await switchyard.newWorkspace()
  const secrets = [
    'sk_test_51PlantedKey',
    'whsec_plantedSecret',
    'whsec_plantedSecond',
    'sk_live_51PlantedKey',
  ]
  const [secret_key, signing_secret, second, live] = secrets
  const withKey = { headers: { 'idempotency-key': 'one' } }
  const input = {
    provider: 'stripe',
    display_name: 'Stripe',
    config: { base_url: provider.at('') },
    credentials: { secret_key, signing_secret },
  }
  const created = await workspace.post('/provider-accounts', input, withKey)
  const path = `/provider-accounts/${created.body.id}`
  provider.answer = () => answer({ error: { type: 'api_error', message: `${secret_key} is wrong` } }, 500)
  const responses = [
    created,
    await workspace.post('/provider-accounts', input, withKey),
    await workspace.post('/provider-accounts', { ...input, credentials: { secret_key: live } }),
    await workspace.post('/provider-accounts', { ...input, credentials: [secret_key] }),
    await workspace.post(`${path}/rotate_secret`, { credentials: { signing_secret: second } }, withKey),
    await workspace.post(`${path}/check`),
    await pay(workspace, created.body.id),
    await workspace.get(path),
    await workspace.get('/provider-accounts'),
    await workspace.get('/events'),
    await workspace.get('/audit-entries'),
  ]
  await switchyard.flushRequestLog()
  responses.push(await workspace.get('/requests?limit=100'))

  expect(responses[1]?.body).toEqual(created.body)
  const { body: audit } = await workspace.get('/audit-entries?limit=1')
  expect(audit.data[0].details).toEqual({ overlap_seconds: 86_400, credentials: 'signing_secret' })
  for (const { body } of responses)
    for (const text of secrets) expect(JSON.stringify(body)).not.toContain(text)
  expect(await tablesContaining(switchyard.databaseUrl, ...secrets)).toEqual([])
  expect(logged.length).toBeGreaterThan(5)
  for (const text of secrets) expect(logged.join('')).not.toContain(text)
})
