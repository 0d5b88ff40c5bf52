import { expect, test } from 'vitest'
import {
  type CallOptions,
  switchyardForThisFile,
  type Workspace,
} from '../../../../test/support/switchyard.ts'
import { confirmation } from './vault.ts'

const switchyard = await switchyardForThisFile()
/** An installation whose operator allows card numbers in live mode. */
const vaultAllowed = await switchyardForThisFile({ environment: { VAULT_LIVE: 'true' } })

const visa = {
  number: '4242 4242 4242 4242',
  exp_month: 12,
  exp_year: 2030,
  cvc: '123',
  name: 'Ada Lovelace',
}
const createToken = ({ post }: Workspace, card: object, options: CallOptions = {}) =>
  post('/tokens', { type: 'card', card }, options)
/** The options of a call from a payment page, which has a publishable token. */
const asPage = async (workspace: Workspace) => ({ token: await workspace.tokenFor('publishable') })

/** A live workspace that accepts card numbers. */
async function withVault() {
  const workspace = await vaultAllowed.newWorkspace('live')
  await workspace.post('/vault/confirm', { confirmation })
  return { workspace, page: await asPage(workspace) }
}

test('a page creates a token that shows permitted card details, and is valid for 15 minutes', async () => {
  const workspace = await switchyard.newWorkspace()

  const { status, headers, body } = await createToken(workspace, visa, await asPage(workspace))

  expect(status).toBe(201)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    id: expect.stringMatching(/^token_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'token',
    type: 'card',
    card: {
      brand: 'visa',
      last4: '4242',
      exp_month: 12,
      exp_year: 2030,
      funding: 'credit',
      country: 'US',
      issuer: 'Test Bank',
    },
    sepa_debit: null,
    ach_debit: null,
    bacs_debit: null,
    used: false,
    expires_at: '2026-11-14T12:15:00.000Z',
    created_at: '2026-11-14T12:00:00.000Z',
  })
})

test('CVC and name are optional', async () => {
  const { number, exp_month, exp_year } = visa

  expect((await createToken(await switchyard.newWorkspace(), { number, exp_month, exp_year })).status).toBe(
    201,
  )
})

test.each([
  ['4242-4242-4242-4242', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['5200 0000 0003 0004', 'mastercard'],
])('the test environment accepts %s as %s', async (number, brand) => {
  const { status, body } = await createToken(await switchyard.newWorkspace(), { ...visa, number })

  expect([status, body.card?.brand]).toEqual([201, brand])
})

// biome-ignore format: a table.
test.each([
  ['a wrong digit',             { number: '4242424242424243' },                 '/card/number',    'bad_format'],
  ['one digit too few',         { number: '424242424242424' },                  '/card/number',    'bad_format'],
  ['letters',                   { number: '4242 4242 4242 424x' },              '/card/number',    'bad_format'],
  ['eleven digits',             { number: '42424242424' },                      '/card/number',    'bad_format'],
  ['a JSON number',             { number: 4242424242424242 },                   '/card/number',    'wrong_type'],
  ['no number',                 { number: undefined },                          '/card/number',    'required'],
  ['an expired month',          { exp_month: 10, exp_year: 2026 },              '/card/exp_month', 'too_small'],
  ['an expired year',           { exp_month: 12, exp_year: 2025 },              '/card/exp_year',  'too_small'],
  ['a two-digit year',          { exp_year: 30 },                               '/card/exp_year',  'too_small'],
  ['a 13th month',              { exp_month: 13 },                              '/card/exp_month', 'too_large'],
  ['a two-digit CVC',           { cvc: '12' },                                  '/card/cvc',       'bad_format'],
  ['a four-digit CVC',          { cvc: '1234' },                                '/card/cvc',       'bad_format'],
  ['a three-digit Amex CVC',    { number: '378282246310005', cvc: '123' },      '/card/cvc',       'bad_format'],
  ['an unknown member',         { pin: '1234' },                                '/card/pin',       'unknown_member'],
])('%s is rejected with a pointer to the member', async (_, change, pointer, code) => {
  const { status, body } = await createToken(await switchyard.newWorkspace(), { ...visa, ...change })

  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(body.errors).toEqual([{ pointer, code, detail: expect.any(String) }])
  expect(JSON.stringify(body)).not.toMatch(/4242 ?4242|378282246310005/)
})

test('a card is valid through the end of its expiry month, and all validation errors are reported together', async () => {
  const workspace = await switchyard.newWorkspace()

  const last = await createToken(workspace, { ...visa, exp_month: 11, exp_year: 2026 })
  const invalid = await createToken(workspace, {
    number: '4242424242424243',
    exp_month: 1,
    exp_year: 2026,
    cvc: '1234',
  })

  expect(last.status).toBe(201)
  expect(invalid.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    '/card/number',
    '/card/exp_month',
    '/card/cvc',
  ])
})

test('a card number in a wrong member is not repeated in the error', async () => {
  const { post } = await switchyard.newWorkspace()

  const responses = await Promise.all([
    post('/tokens', { type: 'card', card: { ...visa, '4242424242424242': '123' } }),
    post('/tokens', { type: '4242424242424242', card: visa }),
    post('/tokens', { '4242 4242 4242 4242': {} }),
    post('/tokens', undefined, { raw: '{"4242424242424242":1,"4242424242424242":2}' }),
  ])

  expect(responses.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  expect(JSON.stringify(responses)).not.toMatch(/4242.?4242/)
})

test('test mode rejects card numbers that may be real, and stores nothing', async () => {
  const workspace = await switchyard.newWorkspace()

  const { status, body } = await createToken(workspace, { ...visa, number: '4111111111111111' })

  expect([status, body.code]).toEqual([422, 'test_card_required'])
  expect(JSON.stringify(body)).not.toContain('4111')
})

test('a token has one type, and the error names the member that the type requires or forbids', async () => {
  const { post } = await switchyard.newWorkspace()
  const reference = {
    provider_account_id: 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1',
    token: 'tok_1',
  }
  const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
  const provider_token = { ...reference, card }

  const responses = await Promise.all([
    post('/tokens', { type: 'card' }),
    post('/tokens', { type: 'provider_token' }),
    post('/tokens', { type: 'card', card: visa, provider_token }),
    post('/tokens', { type: 'provider_token', card: visa, provider_token }),
  ])

  expect(responses.map(({ body }) => [body.errors[0].pointer, body.errors[0].code])).toEqual([
    ['/card', 'required'],
    ['/provider_token', 'required'],
    ['/provider_token', 'not_together'],
    ['/card', 'not_together'],
  ])
})

test('a card stored at a provider gets a token without a card number', async () => {
  const { post } = await switchyard.newWorkspace()
  const custom = {
    provider: 'custom',
    display_name: 'Ours',
    config: { base_url: 'https://psp.example.com' },
  }
  const { body: account } = await post('/provider-accounts', custom)
  const card = { brand: 'mastercard', last4: '4444', exp_month: 1, exp_year: 2031, bin: '555555' }
  const create = (change: object) =>
    post('/tokens', {
      type: 'provider_token',
      provider_token: { provider_account_id: account.id, token: 'tok_1', card, ...change },
    })

  expect(await create({})).toMatchObject({
    status: 201,
    body: {
      type: 'provider_token',
      card: {
        brand: 'mastercard',
        last4: '4444',
        exp_month: 1,
        exp_year: 2031,
        funding: null,
        country: null,
      },
    },
  })
  expect(await create({ token: '4242 4242 4242 4242' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/provider_token/token', code: 'bad_format' }] },
  })
  const unknownId = 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1'
  expect(await create({ provider_account_id: unknownId })).toMatchObject({
    status: 422,
    body: {
      code: 'reference_not_found',
      errors: [{ pointer: '/provider_token/provider_account_id', code: 'not_found' }],
    },
  })
  await post(`/provider-accounts/${account.id}/archive`)
  expect((await create({})).status).toBe(422)
})

test('live mode rejects card numbers until the operator allows them and an ADMIN has confirmed', async () => {
  const strict = await switchyard.newWorkspace('live')
  const open = await vaultAllowed.newWorkspace('live')
  const [strictPage, openPage] = [await asPage(strict), await asPage(open)]
  const refused = { status: 403, body: { code: 'raw_cards_disabled' } }

  expect(await createToken(strict, visa, strictPage)).toMatchObject(refused)
  expect(await createToken(open, visa, openPage)).toMatchObject(refused)
  await strict.post('/vault/confirm', { confirmation })
  expect(await createToken(strict, visa, strictPage)).toMatchObject(refused)

  await open.post('/vault/confirm', { confirmation })
  expect(await createToken(open, visa, openPage)).toMatchObject({
    status: 201,
    body: { card: { brand: 'visa', last4: '4242', funding: null, country: null } },
  })
})

test('the confirmation of one workspace does not apply to another', async () => {
  await withVault()
  const other = await vaultAllowed.newWorkspace('live')

  expect((await createToken(other, visa, await asPage(other))).body.code).toBe('raw_cards_disabled')
})

test('live mode accepts card numbers only from pages: a secret token cannot send one', async () => {
  const { workspace, page } = await withVault()

  const fromPage = await createToken(workspace, { ...visa, number: '4111111111111111' }, page)
  const fromServer = await createToken(workspace, visa)

  expect(fromPage.status).toBe(201)
  expect([fromServer.status, fromServer.body.code]).toEqual([403, 'role_not_allowed'])
  expect(fromServer.body.detail).toBe('In production this operation requires a publishable token.')
})

test('the vault status shows what is missing', async () => {
  const [test, strict, open] = [
    await switchyard.newWorkspace('test'),
    await switchyard.newWorkspace('live'),
    await vaultAllowed.newWorkspace('live'),
  ]
  const vault = { object: 'vault', confirmed_at: null, confirmation, allowed_by_operator: false }

  expect((await test.get('/vault')).body).toEqual({ ...vault, status: 'test_cards' })
  expect((await strict.get('/vault')).body).toEqual({ ...vault, status: 'disabled' })
  expect((await open.get('/vault')).body).toEqual({ ...vault, status: 'disabled', allowed_by_operator: true })

  const confirmed_at = '2026-11-14T12:00:00.000Z'
  const enabled = { ...vault, status: 'enabled', allowed_by_operator: true, confirmed_at }
  expect(await open.post('/vault/confirm', { confirmation })).toMatchObject({ status: 200, body: enabled })
  expect((await open.get('/vault')).body).toEqual(enabled)
})

test('the confirmation must match exactly, and is in the audit log once', async () => {
  const { post, get } = await vaultAllowed.newWorkspace('live')

  const other = await post('/vault/confirm', { confirmation: `${confirmation.slice(0, -1)}!` })
  await post('/vault/confirm', { confirmation })
  vaultAllowed.clock.advance({ minutes: 1 })
  const again = await post('/vault/confirm', { confirmation })

  expect(other).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/confirmation', code: 'not_in_list' }] },
  })
  expect(again.body.confirmed_at).toBe('2026-11-14T12:00:00.000Z')
  const { body: audit } = await get('/audit-entries')
  const entries = audit.data.filter(({ act }: { act: string }) => act === 'vault.confirmed')
  expect(entries).toMatchObject([{ authority: 'ADMIN', details: { confirmation } }])
})

test('a repeat with the same idempotency key gets the same token, regardless of spaces in the number and of the CVC', async () => {
  const workspace = await switchyard.newWorkspace()
  const headers = { 'idempotency-key': 'press-1' }

  const first = await createToken(workspace, visa, { headers })
  const again = await createToken(workspace, { ...visa, number: '4242424242424242', cvc: '321' }, { headers })
  const other = await createToken(workspace, { ...visa, number: '5555555555554444' }, { headers })
  const later = await createToken(workspace, { ...visa, exp_year: 2031 }, { headers })

  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  for (const { status, body } of [other, later]) {
    expect([status, body.code]).toEqual([422, 'idempotency_key_reused'])
  }
})

test('a secret token may create tokens in test mode only', async () => {
  const [test, live] = [await switchyard.newWorkspace('test'), await switchyard.newWorkspace('live')]

  expect((await test.get('/me')).body.allowed_operations).toContain('tokens.create')
  expect((await live.get('/me')).body.allowed_operations).not.toContain('tokens.create')
})

test('pages of any origin can create tokens and read the response', async () => {
  const workspace = await switchyard.newWorkspace()
  const origin = { origin: 'https://shop.example.com' }
  const preflightHeaders = { ...origin, 'access-control-request-method': 'POST' }
  const sendPreflight = (path: string) =>
    switchyard.call('test', 'OPTIONS', path, undefined, { headers: preflightHeaders })

  const preflight = await sendPreflight('/tokens')
  const created = await createToken(workspace, visa, { headers: origin })
  const refused = await createToken(workspace, visa, { headers: origin, token: 'pk_test_junk' })
  const otherPath = await sendPreflight('/customers')
  const customers = await workspace.get('/customers', { headers: origin })

  expect(preflight.status).toBe(204)
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers':
      'Authorization, Checkout-Secret, Content-Type, Idempotency-Key, Switchyard-Version',
    'access-control-max-age': '7200',
  })
  expect([created.status, refused.status]).toEqual([201, 401])
  for (const { headers } of [created, refused]) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('Request-Id')
  }
  expect(otherPath.status).toBe(405)
  for (const { headers } of [otherPath, customers]) {
    expect(headers.has('access-control-allow-origin')).toBe(false)
  }
})
