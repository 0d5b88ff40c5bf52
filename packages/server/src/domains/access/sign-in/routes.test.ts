import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

test('signing in with the password returns the person, the organization and its workspaces', async () => {
  const organization = await switchyard.newOrganization('Café Zürich')
  const browser = switchyard.openBrowser()

  const { status, body, headers } = await browser.signIn(organization.email, organization.password)

  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(body).toEqual({
    person: {
      id: expect.stringMatching(/^person_/),
      email: organization.email,
      name: null,
      role: 'ADMIN',
      totp_enabled: false,
      passkeys: [],
    },
    organization: { id: organization.organizationId, name: 'Café Zürich' },
    workspaces: [
      { id: organization.live.workspaceId, name: 'Live', mode: 'live', address: switchyard.addresses.live },
      { id: organization.test.workspaceId, name: 'Test', mode: 'test', address: switchyard.addresses.test },
    ],
    expires_at: '2026-11-15T00:00:00.000Z',
    idle_expires_at: '2026-11-14T13:00:00.000Z',
  })
  expect((await browser.get('/session')).body).toEqual(body)
})

test('the email address is case-insensitive', async () => {
  const { email, password } = await switchyard.newOrganization()

  expect((await switchyard.openBrowser().signIn(email.toUpperCase(), password)).status).toBe(200)
})

test('without a session every request is rejected', async () => {
  const browser = switchyard.openBrowser()

  for (const path of ['/session', '/sessions'])
    expect(await browser.get(path)).toMatchObject({ status: 401, body: { code: 'session_required' } })
  const input = { workspace_id: 'workspace_01M7CYVGQTEAKSNTBFR026MPQ1' }
  expect(await browser.post('/session/token', input)).toMatchObject({ status: 401 })
})

test('a session token is valid for the API of its workspace, with the role of the person', async () => {
  const { email, password, live, test: testWorkspace } = await switchyard.newOrganization()
  const browser = await switchyard.signIn({ email, password })

  const { body } = await browser.post('/session/token', { workspace_id: live.workspaceId })
  const me = await switchyard.call('live', 'GET', '/me', undefined, { token: body.token })

  expect(body).toEqual({
    token: expect.stringMatching(/^dk_live_[\w-]{70}$/),
    expires_at: '2026-11-14T12:10:00.000Z',
  })
  expect(me.body).toMatchObject({
    workspace_id: live.workspaceId,
    api_token_id: null,
    authority: 'ADMIN',
    person: { id: browser.session.person.id, email, role: 'ADMIN' },
    allowed_operations: expect.arrayContaining(['people.update', 'api_tokens.create']),
  })
  const withTestToken = { token: await browser.tokenFor(testWorkspace.workspaceId) }
  expect((await switchyard.call('test', 'GET', '/me', undefined, withTestToken)).body.mode).toBe('test')
  expect(await switchyard.call('live', 'GET', '/me', undefined, withTestToken)).toMatchObject({
    status: 401,
    body: { code: 'token_wrong_address' },
  })
})

test('a token for a workspace of another organization is rejected', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const browser = await switchyard.signIn(ours)

  const response = await browser.post('/session/token', { workspace_id: theirs.live.workspaceId })

  expect(response).toMatchObject({ status: 400, body: { errors: [{ pointer: '/workspace_id' }] } })
})

test('signing out also invalidates the tokens of the session', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const token = await browser.tokenFor(organization.live.workspaceId)
  const cookie = browser.cookie()

  const signedOut = await browser.delete('/session')

  expect([signedOut.status, signedOut.headers.get('set-cookie')]).toEqual([
    204,
    'switchyard_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
  ])
  expect((await browser.get('/session', { cookie })).status).toBe(401)
  const call = await switchyard.call('live', 'GET', '/me', undefined, { token })
  expect([call.status, call.body.code]).toEqual([401, 'token_expired'])
})

test('the audit log and the request log name the person who used the dashboard', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const { id } = browser.session.person
  const token = await browser.tokenFor(organization.live.workspaceId)
  const call = (method: string, path: string, body?: unknown) =>
    switchyard.call('live', method, path, body, { token })

  const created = await call('POST', '/api-tokens', { name: 'Shop', role: 'READ_ONLY' })
  await switchyard.flushRequestLog()
  const logged = await call('GET', `/requests/${created.headers.get('request-id')}`)
  const { body: audit } = await call('GET', '/audit-entries?limit=2')

  const byPerson = { person_id: id, source: 'dashboard', api_token_id: null }
  expect(logged.body).toMatchObject({ operation: 'api_tokens.create', ...byPerson })
  expect(audit.data).toMatchObject([
    { act: 'api_token.created', authority: 'ADMIN', ...byPerson },
    { act: 'person.signed_in', object_id: id, details: { by: 'password' }, ...byPerson },
  ])
})

test('successful reads by the dashboard are not in the request log', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const token = await browser.tokenFor(organization.live.workspaceId)
  const requestIdOf = async (path: string) => {
    const { headers } = await switchyard.call('live', 'GET', path, undefined, { token })
    return headers.get('request-id')
  }

  const [successful, rejected] = [await requestIdOf('/customers'), await requestIdOf('/customers/nobody')]
  await switchyard.flushRequestLog()

  const { body } = await switchyard.call('live', 'GET', '/requests', undefined, { token })
  const logged = body.data.map(({ id }: { id: string }) => id)
  expect(logged).toContain(rejected)
  expect(logged).not.toContain(successful)
})

test('a changed name is returned immediately', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())

  const { body } = await browser.put('/session/person', { name: 'Ada Lovelace' })

  expect(body.person.name).toBe('Ada Lovelace')
  expect((await browser.get('/session')).body.person.name).toBe('Ada Lovelace')
})

test.each([
  ['/session', { email: 'ada@example.com' }],
  ['/session', { email: 'ada@example.com', password: 'x'.repeat(201) }],
  ['/session', { email: 'ada@example.com', password: 'x', remember: true }],
  ['/session/link', { secret: 7 }],
])('%s rejects the invalid body %j', async (path, input) => {
  expect(await switchyard.openBrowser().post(path, input)).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  })
})
