import { expect, test } from 'vitest'
import { type CallOptions, switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { confirmation } from './vault.ts'

const switchyard = await switchyardForThisFile()
/** An installation whose operator lets production take card numbers. */
const allowing = await switchyardForThisFile({ environment: { VAULT_LIVE: 'true' } })

const visa = {
  number: '4242 4242 4242 4242',
  exp_month: 12,
  exp_year: 2030,
  cvc: '123',
  name: 'Ada Lovelace',
}
const pay = ({ post }: Workspace, card: object, options: CallOptions = {}) =>
  post('/tokens', { type: 'card', card }, options)
/** As the page of a payment calls. */
const asPage = async (workspace: Workspace) => ({ token: await workspace.tokenFor('publishable') })

/** A live workspace that takes card numbers. */
async function withVault() {
  const workspace = await allowing.newWorkspace('live')
  await workspace.post('/vault/confirm', { confirmation })
  return { workspace, page: await asPage(workspace) }
}

test('a page turns a card into a token that shows what may be shown, for a quarter of an hour', async () => {
  const workspace = await switchyard.newWorkspace()

  const { status, headers, body } = await pay(workspace, visa, await asPage(workspace))

  expect(status).toBe(201)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    id: expect.stringMatching(/^token_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'token',
    type: 'card',
    card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030, funding: 'credit', country: 'US' },
    used: false,
    expires_at: '2026-11-14T12:15:00.000Z',
    created_at: '2026-11-14T12:00:00.000Z',
  })
})

test('code and name may be left out', async () => {
  const { number, exp_month, exp_year } = visa

  expect((await pay(await switchyard.newWorkspace(), { number, exp_month, exp_year })).status).toBe(201)
})

test.each([
  ['4242-4242-4242-4242', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['5200 0000 0003 0004', 'mastercard'],
])('in the test environment %s is taken, as %s', async (number, brand) => {
  const { status, body } = await pay(await switchyard.newWorkspace(), { ...visa, number })

  expect([status, body.card?.brand]).toEqual([201, brand])
})

// biome-ignore format: a table.
test.each([
  ['a wrong digit',             { number: '4242424242424243' },                 '/card/number',    'bad_format'],
  ['a digit too few',           { number: '424242424242424' },                  '/card/number',    'bad_format'],
  ['letters',                   { number: '4242 4242 4242 424x' },              '/card/number',    'bad_format'],
  ['eleven digits',             { number: '42424242424' },                      '/card/number',    'bad_format'],
  ['a number that is a number', { number: 4242424242424242 },                   '/card/number',    'wrong_type'],
  ['no number',                 { number: undefined },                          '/card/number',    'required'],
  ['a month that has passed',   { exp_month: 10, exp_year: 2026 },              '/card/exp_month', 'too_small'],
  ['a year that has passed',    { exp_month: 12, exp_year: 2025 },              '/card/exp_year',  'too_small'],
  ['a year of two digits',      { exp_year: 30 },                               '/card/exp_year',  'too_small'],
  ['a 13th month',              { exp_month: 13 },                              '/card/exp_month', 'too_large'],
  ['a code of two digits',      { cvc: '12' },                                  '/card/cvc',       'bad_format'],
  ['a code of four digits',     { cvc: '1234' },                                '/card/cvc',       'bad_format'],
  ['three digits for Amex',     { number: '378282246310005', cvc: '123' },      '/card/cvc',       'bad_format'],
  ['a member too many',         { pin: '1234' },                                '/card/pin',       'unknown_member'],
])('%s is refused with its place', async (_, change, pointer, code) => {
  const { status, body } = await pay(await switchyard.newWorkspace(), { ...visa, ...change })

  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(body.errors).toEqual([{ pointer, code, detail: expect.any(String) }])
  expect(JSON.stringify(body)).not.toMatch(/4242 ?4242|378282246310005/)
})

test('a card is good to the end of its month, and all its faults are told at once', async () => {
  const workspace = await switchyard.newWorkspace()

  const last = await pay(workspace, { ...visa, exp_month: 11, exp_year: 2026 })
  const worst = await pay(workspace, {
    number: '4242424242424243',
    exp_month: 1,
    exp_year: 2026,
    cvc: '1234',
  })

  expect(last.status).toBe(201)
  expect(worst.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    ...['/card/number', '/card/exp_month', '/card/cvc'],
  ])
})

test('a number that stands where a name belongs is not repeated', async () => {
  const { post } = await switchyard.newWorkspace()

  const answers = await Promise.all([
    post('/tokens', { type: 'card', card: { ...visa, '4242424242424242': '123' } }),
    post('/tokens', { type: '4242424242424242', card: visa }),
    post('/tokens', { '4242 4242 4242 4242': {} }),
    post('/tokens', undefined, { raw: '{"4242424242424242":1,"4242424242424242":2}' }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  expect(JSON.stringify(answers)).not.toMatch(/4242.?4242/)
})

test('in the test environment a number that may be somebody’s is refused, and nothing is stored of it', async () => {
  const workspace = await switchyard.newWorkspace()

  const { status, body } = await pay(workspace, { ...visa, number: '4111111111111111' })

  expect([status, body.code]).toEqual([422, 'test_card_required'])
  expect(JSON.stringify(body)).not.toContain('4111')
})

test('a token is of one type, and says what that type needs', async () => {
  const { post } = await switchyard.newWorkspace()
  const held = { provider_account_id: 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1', token: 'tok_1' }
  const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 }
  const provider_token = { ...held, card }

  const without = await Promise.all([
    post('/tokens', { type: 'card' }),
    post('/tokens', { type: 'provider_token' }),
    post('/tokens', { type: 'card', card: visa, provider_token }),
    post('/tokens', { type: 'provider_token', card: visa, provider_token }),
  ])

  expect(without.map(({ body }) => [body.errors[0].pointer, body.errors[0].code])).toEqual([
    ['/card', 'required'],
    ['/provider_token', 'required'],
    ['/provider_token', 'not_together'],
    ['/card', 'not_together'],
  ])
})

test('a card that a provider holds becomes a token without a number', async () => {
  const { post } = await switchyard.newWorkspace()
  const account = {
    provider: 'custom',
    display_name: 'Ours',
    config: { base_url: 'https://psp.example.com' },
  }
  const { body: made } = await post('/provider-accounts', account)
  const card = { brand: 'mastercard', last4: '4444', exp_month: 1, exp_year: 2031, bin: '555555' }
  const create = (change: object) =>
    post('/tokens', {
      type: 'provider_token',
      provider_token: { provider_account_id: made.id, token: 'tok_1', card, ...change },
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
  const never = 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1'
  expect(await create({ provider_account_id: never })).toMatchObject({
    status: 422,
    body: {
      code: 'reference_not_found',
      errors: [{ pointer: '/provider_token/provider_account_id', code: 'not_found' }],
    },
  })
  await post(`/provider-accounts/${made.id}/archive`)
  expect((await create({})).status).toBe(422)
})

test('production refuses a number until the operator allows it and an ADMIN has confirmed it', async () => {
  const strict = await switchyard.newWorkspace('live')
  const open = await allowing.newWorkspace('live')
  const [strictPage, openPage] = [await asPage(strict), await asPage(open)]
  const refused = { status: 403, body: { code: 'raw_cards_disabled' } }

  expect(await pay(strict, visa, strictPage)).toMatchObject(refused)
  expect(await pay(open, visa, openPage)).toMatchObject(refused)
  await strict.post('/vault/confirm', { confirmation })
  expect(await pay(strict, visa, strictPage)).toMatchObject(refused)

  await open.post('/vault/confirm', { confirmation })
  expect(await pay(open, visa, openPage)).toMatchObject({
    status: 201,
    body: { card: { brand: 'visa', last4: '4242', funding: null, country: null } },
  })
})

test('the word of one workspace is not that of another', async () => {
  await withVault()
  const other = await allowing.newWorkspace('live')

  expect((await pay(other, visa, await asPage(other))).body.code).toBe('raw_cards_disabled')
})

test('production takes real numbers from pages alone: a secret token never sees one', async () => {
  const { workspace, page } = await withVault()

  const fromPage = await pay(workspace, { ...visa, number: '4111111111111111' }, page)
  const fromServer = await pay(workspace, visa)

  expect(fromPage.status).toBe(201)
  expect([fromServer.status, fromServer.body.code]).toEqual([403, 'role_not_allowed'])
  expect(fromServer.body.detail).toBe('In production this operation is for publishable tokens alone.')
})

test('the state of the vault says what is missing', async () => {
  const [test, strict, open] = [
    await switchyard.newWorkspace('test'),
    await switchyard.newWorkspace('live'),
    await allowing.newWorkspace('live'),
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

test('the confirmation is typed word for word, and is in the audit log once', async () => {
  const { post, get } = await allowing.newWorkspace('live')

  const other = await post('/vault/confirm', { confirmation: `${confirmation.slice(0, -1)}!` })
  await post('/vault/confirm', { confirmation })
  allowing.clock.advance({ minutes: 1 })
  const again = await post('/vault/confirm', { confirmation })

  expect(other).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/confirmation', code: 'not_in_list' }] },
  })
  expect(again.body.confirmed_at).toBe('2026-11-14T12:00:00.000Z')
  const { body: audit } = await get('/audit-entries')
  const acts = audit.data.filter(({ act }: { act: string }) => act === 'vault.confirmed')
  expect(acts).toMatchObject([{ authority: 'ADMIN', details: { confirmation } }])
})

test('a repeat with the same key gets the same token, however the number is spaced and whatever the code is', async () => {
  const workspace = await switchyard.newWorkspace()
  const headers = { 'idempotency-key': 'press-1' }

  const first = await pay(workspace, visa, { headers })
  const again = await pay(workspace, { ...visa, number: '4242424242424242', cvc: '321' }, { headers })
  const other = await pay(workspace, { ...visa, number: '5555555555554444' }, { headers })
  const later = await pay(workspace, { ...visa, exp_year: 2031 }, { headers })

  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  for (const { status, body } of [other, later]) {
    expect([status, body.code]).toEqual([422, 'idempotency_key_reused'])
  }
})

test('what a token tells its holder to do names the operation, by the address', async () => {
  const [test, live] = [await switchyard.newWorkspace('test'), await switchyard.newWorkspace('live')]

  expect((await test.get('/me')).body.allowed_operations).toContain('tokens.create')
  expect((await live.get('/me')).body.allowed_operations).not.toContain('tokens.create')
})

test('a page of any origin may call, and read what is answered', async () => {
  const workspace = await switchyard.newWorkspace()
  const origin = { origin: 'https://shop.example.com' }
  const asked = { ...origin, 'access-control-request-method': 'POST' }
  const ask = (path: string) => switchyard.call('test', 'OPTIONS', path, undefined, { headers: asked })

  const preflight = await ask('/tokens')
  const taken = await pay(workspace, visa, { headers: origin })
  const refused = await pay(workspace, visa, { headers: origin, token: 'pk_test_junk' })
  const elsewhere = await ask('/customers')
  const customers = await workspace.get('/customers', { headers: origin })

  expect(preflight.status).toBe(204)
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers':
      'Authorization, Checkout-Secret, Content-Type, Idempotency-Key, Switchyard-Version',
    'access-control-max-age': '7200',
  })
  expect([taken.status, refused.status]).toEqual([201, 401])
  for (const { headers } of [taken, refused]) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('Request-Id')
  }
  expect(elsewhere.status).toBe(405)
  for (const { headers } of [elsewhere, customers]) {
    expect(headers.has('access-control-allow-origin')).toBe(false)
  }
})
