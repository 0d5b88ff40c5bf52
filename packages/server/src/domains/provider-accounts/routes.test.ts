import { expect, test } from 'vitest'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile()
const simulated = await switchyardForThisFile({ environment: { SIMULATOR_URL: `${simulator.url}/` } })

const aBody = {
  provider: 'custom',
  display_name: 'Our acquirer',
  config: { base_url: 'https://psp.example.com/switchyard' },
}
const everything = {
  kinds: ['verify', 'authorize', 'capture', 'void', 'refund'],
  ...{ brands: null, currencies: null, countries: null, amount: null },
  ...{ manual_capture: true, multi_capture: true, partial_refund: true },
  ...{ three_d_secure: true, off_session: true },
}

/** Of an account that nothing was sent to yet. */
const health = {
  breaker: { authorize: 'closed', rest: 'closed' },
  next_probe_at: null,
  last_hour: { attempts: 0, approved: 0, declined: 0, technical: 0, unknown: 0, p50_ms: null },
}

async function anAccount({ post }: Workspace, members: object = {}): Promise<string> {
  const { status, body } = await post('/provider-accounts', { ...aBody, ...members })
  expect(status).toBe(201)
  return body.id
}

test('an account is created with what was sent, and read back the same, but for its secret', async () => {
  const { post, get, address } = await switchyard.newWorkspace()
  const narrowing = { currencies: ['eur', 'usd'], amount: { min: 50, max: 99_999 }, off_session: false }

  const created = await post('/provider-accounts', {
    ...aBody,
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
    ...aBody,
    id: expect.stringMatching(/^provider_account_test_[0-9A-HJKMNP-TV-Z]{26}$/),
    object: 'provider_account',
    status: 'active',
    position: 7,
    credentials: { set: true, rotated_at: null },
    card_data: 'token',
    hold: null,
    health,
    checked_at: null,
    check: null,
    webhook_url: `${address}/provider-webhooks/${account.id}`,
    capabilities: { ...everything, ...narrowing },
    metadata: { team: 'payments' },
    created_at: '2026-11-14T12:00:00.000Z',
    updated_at: '2026-11-14T12:00:00.000Z',
  })
  expect((await get(`/provider-accounts/${account.id}`)).body).toEqual(account)
  expect((await get('/provider-accounts')).body.data).toEqual([account])
})

test('what is not said has a default, and its place is behind the last', async () => {
  const { post } = await switchyard.newWorkspace()

  const bodies = [await post('/provider-accounts', aBody), await post('/provider-accounts', aBody)]

  expect(bodies.map(({ body }) => body)).toMatchObject([
    { position: 1, card_data: 'pan', capabilities: everything, metadata: {} },
    { position: 2 },
  ])
  const far = await post('/provider-accounts', { ...aBody, position: 40 })
  const last = await post('/provider-accounts', aBody)
  expect([far.body.position, last.body.position]).toEqual([40, 41])
})

test('a change merges: members not sent stay, wishes are taken back by null, metadata merges', async () => {
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
      config: aBody.config,
      capabilities: { ...everything, kinds: ['authorize', 'refund'], brands: ['visa'], off_session: false },
    },
  })
  expect(changed.body.metadata).toEqual({ a: '1', c: '3' })
  const cleared = await workspace.put(`/provider-accounts/${id}`, { capabilities: null })
  expect(cleared.body.capabilities).toEqual(everything)
})

test('If-Match changes only the version that was seen', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = `/provider-accounts/${await anAccount(workspace)}`
  const seen = { headers: { 'if-match': '"1"' } }

  expect((await workspace.put(path, { position: 9 }, seen)).status).toBe(200)

  const late = await workspace.put(path, { position: 8 }, seen)
  expect(late).toMatchObject({ status: 412, body: { code: 'version_mismatch' } })
})

test('each change is one event with its sequence, and what changes nothing is none', async () => {
  const workspace = await switchyard.newWorkspace()
  const { post, put, eventsOf } = workspace
  const id = await anAccount(workspace)
  const path = `/provider-accounts/${id}`
  const hold = { reason: 'Maintenance', until_at: '2026-11-14T14:00:00.000Z' }
  await put(path, { display_name: 'Another' })
  await put(path, { display_name: 'Another', config: aBody.config, capabilities: {} })
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

test('of 60 created at once exactly 50 are, and archiving one makes room for one', async () => {
  const workspace = await switchyard.newWorkspace()

  const answers = await Promise.all(
    Array.from({ length: 60 }, () => workspace.post('/provider-accounts', aBody)),
  )

  const made = answers.filter(({ status }) => status === 201)
  expect(made).toHaveLength(50)
  expect(new Set(made.map(({ body }) => body.position)).size).toBe(50)
  const refused = answers.find(({ status }) => status !== 201)
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'limit_reached', detail: 'A workspace has at most 50 provider accounts.' },
  })
  await workspace.post(`/provider-accounts/${made[0]?.body.id}/disable`)
  expect((await workspace.post('/provider-accounts', aBody)).status).toBe(409)
  await workspace.post(`/provider-accounts/${made[0]?.body.id}/archive`)
  await anAccount(workspace)
})

test.each([
  ['http://psp.example.com'],
  ['https://user:password@psp.example.com/'],
  ['https://psp.example.com:22/'],
  ['https://10.0.0.1/'],
  ['https://localhost/'],
])('the address %s is refused when it is set and when it is changed', async (base_url) => {
  const workspace = await switchyard.newWorkspace('live')
  const id = await anAccount(workspace)
  const refusal = {
    status: 422,
    body: { code: 'url_not_allowed', errors: [{ pointer: '/config/base_url' }] },
  }

  expect(await workspace.post('/provider-accounts', { ...aBody, config: { base_url } })).toMatchObject(
    refusal,
  )
  expect(await workspace.put(`/provider-accounts/${id}`, { config: { base_url } })).toMatchObject(refusal)

  expect((await workspace.get('/provider-accounts')).body.data).toMatchObject([{ id, config: aBody.config }])
})

const list = (entry: string) => Array(301).fill(entry)

test.each([
  [{ provider: 'stripe' }, '/provider', 'not_in_list', 'must be one of simulator, custom'],
  [{ display_name: '' }, '/display_name', 'too_short', 'must have at least 1 character'],
  [{ display_name: undefined }, '/display_name', 'required', 'is required'],
  [{ config: undefined }, '/config/base_url', 'required', 'is required for a provider of your own'],
  [{ config: { base_url: 'psp' } }, '/config/base_url', 'bad_format', expect.stringContaining('an address')],
  [{ config: { base_url: 'https://a.example/?a=1' } }, '/config/base_url', 'bad_format', expect.any(String)],
  [
    { config: { bas_url: 'https://a.example' } },
    '/config/bas_url',
    'unknown_member',
    'did you mean base_url?',
  ],
  [
    { config: { ...aBody.config, auth_rate: 1 } },
    '/config/auth_rate',
    'unknown_member',
    'is no setting of custom',
  ],
  [{ config: { ...aBody.config, auth_rate: 2 } }, '/config/auth_rate', 'too_large', 'must be 1 or less'],
  [{ card_data: 'both' }, '/card_data', 'not_in_list', 'must be one of pan, token'],
  [{ position: -1 }, '/position', 'too_small', 'must be 0 or more'],
  [{ capabilities: { currencies: ['EUR'] } }, '/capabilities/currencies/0', 'bad_format', expect.any(String)],
  [{ capabilities: { countries: ['gb'] } }, '/capabilities/countries/0', 'bad_format', expect.any(String)],
  [{ capabilities: { brands: list('visa') } }, '/capabilities/brands', 'too_many', expect.any(String)],
  [{ capabilities: { kinds: ['pay'] } }, '/capabilities/kinds/0', 'not_in_list', expect.any(String)],
  [
    { capabilities: { amount: { min: 2, max: 1 } } },
    '/capabilities/amount/max',
    'too_small',
    'must not be less than min',
  ],
  [{ credentials: {} }, '/credentials', 'unknown_member', expect.any(String)],
  [{ secret: 'psec_mine' }, '/secret', 'unknown_member', 'is not a member of this operation'],
])('%j is refused at %s as %s', async (members, pointer, code, detail) => {
  const { post, get } = await switchyard.newWorkspace()

  expect(await post('/provider-accounts', { ...aBody, ...members })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', errors: [{ pointer, code, detail }] },
  })
  expect((await get('/provider-accounts')).body.data).toEqual([])
})

test('what an account is and what it may be sent do not change', async () => {
  const workspace = await switchyard.newWorkspace()
  const path = `/provider-accounts/${await anAccount(workspace)}`

  for (const members of [{ provider: 'simulator' }, { card_data: 'token' }, { status: 'archived' }])
    expect((await workspace.put(path, members)).body.errors).toMatchObject([{ code: 'unknown_member' }])
})

test('a test workspace is born with two accounts of the simulator, in their order', async () => {
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
  ['a workspace where no simulator runs', () => switchyard.newWorkspace('test')],
])('%s is born without accounts', async (_, newWorkspace) => {
  const { get } = await newWorkspace()

  expect((await get('/provider-accounts')).body.data).toEqual([])
})

const aSimulator = { provider: 'simulator', display_name: 'A third' }

test('the simulator is told how to behave, and its secret is shown to nobody', async () => {
  const { post, put } = await simulated.newWorkspace()
  const config = {
    ...{ auth_rate: 0.5, latency_ms: 20, replay: false, lookup: true, lookup_lag_ms: 100, close: true },
    outage: { from_at: '2026-11-14T12:00:00.000Z', until_at: '2026-11-14T13:00:00.000Z' },
    webhooks: 'twice',
  }

  const { status, body } = await post('/provider-accounts', { ...aSimulator, config })

  expect([status, body.secret, body.config]).toEqual([201, null, config])
  const changed = await put(`/provider-accounts/${body.id}`, { config: { latency_ms: 0 } })
  expect(changed.body.config).toEqual({ ...config, latency_ms: 0 })
})

test('the simulator is refused in the live environment', async () => {
  const { post } = await simulated.newWorkspace('live')

  expect(await post('/provider-accounts', aSimulator)).toMatchObject({
    status: 403,
    body: { code: 'test_mode_only' },
  })
})

test('the simulator is refused where none runs, and so is an address for it', async () => {
  const without = await switchyard.newWorkspace()
  const withOne = await simulated.newWorkspace()

  expect((await without.post('/provider-accounts', aSimulator)).body).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '/provider', code: 'not_in_list', detail: 'this installation runs no simulator' }],
  })
  const placed = await withOne.post('/provider-accounts', { ...aSimulator, config: aBody.config })
  expect(placed.body.errors).toMatchObject([{ pointer: '/config/base_url', code: 'unknown_member' }])
})

test('terms on which a lost answer could never be cleared up are refused', async () => {
  const { post, put } = await simulated.newWorkspace()
  const blind = { replay: false, lookup: false, close: false }

  const refused = await post('/provider-accounts', { ...aSimulator, config: blind })
  const { body } = await post('/provider-accounts', { ...aSimulator, config: { ...blind, close: true } })

  const faults = [{ pointer: '/config', code: 'not_together', detail: expect.stringContaining('never end') }]
  expect(refused).toMatchObject({ status: 400, body: { errors: faults } })
  expect(await put(`/provider-accounts/${body.id}`, { config: { close: false } })).toMatchObject({
    status: 400,
    body: { errors: faults },
  })
})

test('who may do what is in the audit log: creations, changes and archiving', async () => {
  const workspace = await switchyard.newWorkspace()
  const id = await anAccount(workspace)
  await workspace.put(`/provider-accounts/${id}`, { position: 3 })
  await workspace.post(`/provider-accounts/${id}/archive`)
  await workspace.post(`/provider-accounts/${id}/archive`)

  const { body } = await workspace.get('/audit-entries?limit=3')

  const act = (name: string) => ({ act: `provider_account.${name}`, object_id: id, authority: 'ADMIN' })
  expect(body.data).toMatchObject([act('archived'), act('updated'), act('created')])
})
