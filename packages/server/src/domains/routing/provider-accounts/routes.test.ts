import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile()
const simulated = await switchyardForThisFile({ environment: { SIMULATOR_URL: `${simulator.url}/` } })

const customAccount = {
  provider: 'custom',
  display_name: 'Our acquirer',
  config: { base_url: 'https://psp.example.com/switchyard' },
}
const allCapabilities = {
  kinds: ['verify', 'authorize', 'capture', 'void', 'refund'],
  brands: null,
  currencies: null,
  countries: null,
  amount: null,
  manual_capture: true,
  multi_capture: true,
  partial_refund: true,
  three_d_secure: true,
  off_session: true,
  methods: [],
}

/** The health of an account without any calls. */
const health = {
  breaker: { authorize: 'closed', rest: 'closed' },
  next_probe_at: null,
  credentials_refused_since: null,
  last_hour: { attempts: 0, approved: 0, declined: 0, technical: 0, unknown: 0, p50_ms: null },
}

async function anAccount({ post }: Workspace, members: object = {}): Promise<string> {
  const { status, body } = await post('/provider-accounts', { ...customAccount, ...members })
  expect(status).toBe(201)
  return body.id
}

test('a created account has the sent values, and a read returns the same values except the secret', async () => {
  const { post, get, address } = await switchyard.newWorkspace()
  const narrowing = { currencies: ['eur', 'usd'], amount: { min: 50, max: 99_999 }, off_session: false }

  const created = await post('/provider-accounts', {
    ...customAccount,
    card_data: 'token',
    position: 7,
    capabilities: narrowing,
    metadata: { team: 'payments' },
  })

  expect(created.status).toBe(201)
  expect(created.headers.get('etag')).toBe('"1"')
  const { secret, ...account } = created.body
  expect(secret).toMatch(/^psec_[A-Za-z0-9_-]{43}$/)
  expect(account).toEqual({
    ...customAccount,
    id: expect.stringMatching(/^provider_account_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'provider_account',
    status: 'active',
    position: 7,
    credentials: { set: true, rotated_at: null, names: [] },
    card_data: 'token',
    hold: null,
    health,
    checked_at: null,
    check: null,
    webhook_url: `${address}/provider-webhooks/${account.id}`,
    capabilities: { ...allCapabilities, ...narrowing },
    costs: [],
    metadata: { team: 'payments' },
    created_at: '2026-11-14T12:00:00.000Z',
    updated_at: '2026-11-14T12:00:00.000Z',
  })
  expect((await get(`/provider-accounts/${account.id}`)).body).toEqual(account)
  expect((await get('/provider-accounts')).body.data).toEqual([account])
})

test('omitted members have defaults, and the position is after the last account', async () => {
  const { post } = await switchyard.newWorkspace()

  const bodies = [
    await post('/provider-accounts', customAccount),
    await post('/provider-accounts', customAccount),
  ]

  expect(bodies.map(({ body }) => body)).toMatchObject([
    { position: 1, card_data: 'pan', capabilities: allCapabilities, metadata: {} },
    { position: 2 },
  ])
  const explicit = await post('/provider-accounts', { ...customAccount, position: 40 })
  const last = await post('/provider-accounts', customAccount)
  expect([explicit.body.position, last.body.position]).toEqual([40, 41])
})

test('an update keeps omitted members, removes restrictions that are null, and merges metadata', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anAccount(workspace, {
    capabilities: { currencies: ['eur'], off_session: false, kinds: ['authorize', 'refund'] },
    metadata: { a: '1', b: '2' },
  })

  const changed = await workspace.put(`/provider-accounts/${id}`, {
    display_name: 'Their acquirer',
    position: 0,
    capabilities: { currencies: null, brands: ['visa'] },
    metadata: { b: null, c: '3' },
  })

  expect(changed).toMatchObject({
    status: 200,
    body: {
      display_name: 'Their acquirer',
      position: 0,
      config: customAccount.config,
      capabilities: {
        ...allCapabilities,
        kinds: ['authorize', 'refund'],
        brands: ['visa'],
        off_session: false,
      },
    },
  })
  expect(changed.body.metadata).toEqual({ a: '1', c: '3' })
  const cleared = await workspace.put(`/provider-accounts/${id}`, { capabilities: null })
  expect(cleared.body.capabilities).toEqual(allCapabilities)
})

test('an update with If-Match is rejected if the version has changed', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = `/provider-accounts/${await anAccount(workspace)}`
  const ifMatch = { headers: { 'if-match': '"1"' } }

  expect((await workspace.put(path, { position: 9 }, ifMatch)).status).toBe(200)

  const outdated = await workspace.put(path, { position: 8 }, ifMatch)
  expect(outdated).toMatchObject({ status: 412, body: { code: 'version_mismatch' } })
})

test('each change emits one event with the next sequence, and a request without a change emits none', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put, eventsOf } = workspace
  const id = await anAccount(workspace)
  const path = `/provider-accounts/${id}`
  const hold = { reason: 'Maintenance', until_at: '2026-11-14T14:00:00.000Z' }
  await put(path, { display_name: 'Another' })
  await put(path, { display_name: 'Another', config: customAccount.config, capabilities: {} })
  await post(`${path}/enable`)
  await post(`${path}/disable`)
  await post(`${path}/disable`)
  await post(`${path}/hold`, hold)
  await post(`${path}/hold`, { ...hold, until_at: '2026-11-14T15:00:00.000+01:00' })
  await post(`${path}/release`)
  await post(`${path}/release`)
  await post(`${path}/rotate_secret`)
  await post(`${path}/archive`)
  await post(`${path}/archive`)

  const events = await eventsOf(id)

  expect(events).toMatchObject([
    { type: 'provider_account.created', sequence: 1, object: { id, status: 'active', hold: null } },
    { type: 'provider_account.updated', sequence: 2, previous: { display_name: 'Our acquirer' } },
    { type: 'provider_account.updated', sequence: 3, previous: { status: 'active' } },
    { type: 'provider_account.held', sequence: 4, object: { hold }, previous: { hold: null } },
    { type: 'provider_account.released', sequence: 5, object: { hold: null }, previous: { hold } },
    { type: 'provider_account.updated', sequence: 6, previous: { credentials: { rotated_at: null } } },
    { type: 'provider_account.updated', sequence: 7, object: { status: 'archived' } },
  ])
  expect(events).toHaveLength(7)
  for (const { previous } of events.slice(1)) expect(Object.keys(previous)).toHaveLength(1)
})

test('exactly 50 of 60 concurrent creations succeed, and archiving an account makes room for another', async () => {
  const workspace = await switchyard.newWorkspace()
  const responses = await Promise.all(
    Array.from({ length: 60 }, () => workspace.post('/provider-accounts', customAccount)),
  )
  const created = responses.filter(({ status }) => status === 201)
  expect(created).toHaveLength(50)
  expect(new Set(created.map(({ body }) => body.position)).size).toBe(50)
  const rejected = responses.find(({ status }) => status !== 201)
  expect(rejected).toMatchObject({
    status: 409,
    body: {
      code: 'limit_reached',
      detail: 'Limit reached: a workspace can have at most 50 provider accounts.',
    },
  })
  await workspace.post(`/provider-accounts/${created[0]?.body.id}/disable`)
  expect((await workspace.post('/provider-accounts', customAccount)).status).toBe(409)
  await workspace.post(`/provider-accounts/${created[0]?.body.id}/archive`)
  await anAccount(workspace)
})

test.each([
  ['http://psp.example.com'],
  ['https://user:password@psp.example.com/'],
  ['https://psp.example.com:22/'],
  ['https://10.0.0.1/'],
  ['https://localhost/'],
])('the address %s is rejected on creation and on update', async (base_url) => {
  const workspace = await switchyard.newWorkspace('live')
  const id = await anAccount(workspace)
  const refusal = {
    status: 422,
    body: { code: 'url_not_allowed', errors: [{ pointer: '/config/base_url' }] },
  }

  expect(
    await workspace.post('/provider-accounts', { ...customAccount, config: { base_url } }),
  ).toMatchObject(refusal)
  expect(await workspace.put(`/provider-accounts/${id}`, { config: { base_url } })).toMatchObject(refusal)

  expect((await workspace.get('/provider-accounts')).body.data).toMatchObject([
    { id, config: customAccount.config },
  ])
})

const tooMany = (entry: string) => Array(301).fill(entry)

test.each([
  [
    { provider: 'square' },
    '/provider',
    'not_in_list',
    'must be one of simulator, custom, stripe, adyen, mollie, checkout_com, paypal',
  ],
  [{ display_name: '' }, '/display_name', 'too_short', 'must have at least 1 character'],
  [{ display_name: undefined }, '/display_name', 'required', 'is required'],
  [{ config: undefined }, '/config/base_url', 'required', 'is required for a custom provider'],
  [{ config: { base_url: 'psp' } }, '/config/base_url', 'bad_format', expect.stringContaining('a URL')],
  [{ config: { base_url: 'https://a.example/?a=1' } }, '/config/base_url', 'bad_format', expect.any(String)],
  [
    { config: { bas_url: 'https://a.example' } },
    '/config/bas_url',
    'unknown_member',
    'is not a known member: did you mean `base_url`?',
  ],
  [
    { config: { ...customAccount.config, auth_rate: 1 } },
    '/config/auth_rate',
    'unknown_member',
    'is not a setting of custom',
  ],
  [
    { config: { ...customAccount.config, auth_rate: 2 } },
    '/config/auth_rate',
    'too_large',
    'must be 1 or less',
  ],
  [{ card_data: 'both' }, '/card_data', 'not_in_list', 'must be one of pan, token'],
  [{ position: -1 }, '/position', 'too_small', 'must be 0 or more'],
  [{ capabilities: { currencies: ['EUR'] } }, '/capabilities/currencies/0', 'bad_format', expect.any(String)],
  [{ capabilities: { countries: ['gb'] } }, '/capabilities/countries/0', 'bad_format', expect.any(String)],
  [{ capabilities: { brands: tooMany('visa') } }, '/capabilities/brands', 'too_many', expect.any(String)],
  [{ capabilities: { kinds: ['pay'] } }, '/capabilities/kinds/0', 'not_in_list', expect.any(String)],
  [
    { capabilities: { amount: { min: 2, max: 1 } } },
    '/capabilities/amount/max',
    'too_small',
    'must be greater than or equal to min',
  ],
  [{ credentials: {} }, '/credentials', 'too_short', 'must have at least 1 member'],
  [{ credentials: { api_key: 'x'.repeat(20) } }, '/credentials', 'unknown_member', expect.any(String)],
  [{ secret: 'psec_mine' }, '/secret', 'unknown_member', 'is not a known member'],
])('%j is rejected at %s as %s', async (members, pointer, code, detail) => {
  const { post, get } = await switchyard.newWorkspace()

  expect(await post('/provider-accounts', { ...customAccount, ...members })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', errors: [{ pointer, code, detail }] },
  })
  expect((await get('/provider-accounts')).body.data).toEqual([])
})

test('provider and card data of an account cannot be changed', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = `/provider-accounts/${await anAccount(workspace)}`

  for (const members of [{ provider: 'simulator' }, { card_data: 'token' }, { status: 'archived' }])
    expect((await workspace.put(path, members)).body.errors).toMatchObject([{ code: 'unknown_member' }])
})

test('a test workspace starts with two simulator accounts, in order', async () => {
  const { get, eventsOf } = await simulated.newWorkspace()

  const { body } = await get('/provider-accounts')

  expect(body.data.toReversed()).toMatchObject([
    { provider: 'simulator', status: 'active', position: 1, display_name: 'First simulator', config: {} },
    { provider: 'simulator', status: 'active', position: 2, display_name: 'Second simulator' },
  ])
  expect((await eventsOf(body.data[0].id)).map(({ type }: { type: string }) => type)).toEqual([
    'provider_account.created',
  ])
})

test.each([
  ['a live workspace', () => simulated.newWorkspace('live')],
  ['a test workspace without a simulator', () => switchyard.newWorkspace('test')],
])('%s starts without accounts', async (_, newWorkspace) => {
  const { get } = await newWorkspace()

  expect((await get('/provider-accounts')).body.data).toEqual([])
})

const aSimulator = { provider: 'simulator', display_name: 'A third' }

test('a simulator account has behaviour settings, and its secret is never shown', async () => {
  const { post, put } = await simulated.newWorkspace()
  const config = {
    auth_rate: 0.5,
    latency_ms: 20,
    replay: false,
    lookup: true,
    lookup_lag_ms: 100,
    close: true,
    outage: { from_at: '2026-11-14T12:00:00.000Z', until_at: '2026-11-14T13:00:00.000Z' },
    webhooks: 'twice',
  }

  const { status, body } = await post('/provider-accounts', { ...aSimulator, config })

  expect([status, body.secret, body.config]).toEqual([201, null, config])
  const changed = await put(`/provider-accounts/${body.id}`, { config: { latency_ms: 0 } })
  expect(changed.body.config).toEqual({ ...config, latency_ms: 0 })
})

test('a simulator account is rejected in live mode', async () => {
  const { post } = await simulated.newWorkspace('live')

  expect(await post('/provider-accounts', aSimulator)).toMatchObject({
    status: 403,
    body: { code: 'test_mode_only' },
  })
})

test('a simulator account is rejected if no simulator runs, or if it has an address', async () => {
  const withoutSimulator = await switchyard.newWorkspace()
  const withSimulator = await simulated.newWorkspace()

  expect((await withoutSimulator.post('/provider-accounts', aSimulator)).body).toMatchObject({
    code: 'invalid_request',
    errors: [
      {
        pointer: '/provider',
        code: 'not_in_list',
        detail: 'is not available: this installation runs no simulator',
      },
    ],
  })
  const withAddress = await withSimulator.post('/provider-accounts', {
    ...aSimulator,
    config: customAccount.config,
  })
  expect(withAddress.body.errors).toMatchObject([{ pointer: '/config/base_url', code: 'unknown_member' }])
})

test('settings with which an unknown outcome could never be resolved are rejected', async () => {
  const { post, put } = await simulated.newWorkspace()
  const unresolvable = { replay: false, lookup: false, close: false, webhooks: 'off' }

  const rejected = await post('/provider-accounts', { ...aSimulator, config: unresolvable })
  const { body } = await post('/provider-accounts', {
    ...aSimulator,
    config: { ...unresolvable, close: true },
  })

  const errors = [
    { pointer: '/config', code: 'not_together', detail: expect.stringContaining('could never be resolved') },
  ]
  expect(rejected).toMatchObject({ status: 400, body: { errors } })
  expect(await put(`/provider-accounts/${body.id}`, { config: { close: false } })).toMatchObject({
    status: 400,
    body: { errors },
  })
})

test('creation, changes and archiving are in the audit log', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anAccount(workspace)
  await workspace.put(`/provider-accounts/${id}`, { position: 3 })
  await workspace.post(`/provider-accounts/${id}/archive`)
  await workspace.post(`/provider-accounts/${id}/archive`)

  const { body } = await workspace.get('/audit-entries?limit=3')

  const auditEntry = (name: string) => ({
    act: `provider_account.${name}`,
    object_id: id,
    authority: 'ADMIN',
  })
  expect(body.data).toMatchObject([auditEntry('archived'), auditEntry('updated'), auditEntry('created')])
})
