// Protection of sessions against theft and fixation, their expiry, and ending them from another browser.

import { expect, test } from 'vitest'
import { openBrowser } from '../../../../test/support/dashboard.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { buildDashboard } from '../../../app.ts'

const switchyard = await switchyardForThisFile()
/** As in production, authenticated tokens are cached for a few seconds. */
const cachingSwitchyard = await switchyardForThisFile({ overrides: { tokenCacheMs: 4_000 } })

test('the cookies cannot be read by scripts, and are not sent by other sites', async () => {
  const { email, password } = await switchyard.newOrganization()

  const { headers } = await switchyard.openBrowser().signIn(email, password)

  const [session, device] = headers.getSetCookie()
  expect(session).toMatch(/^switchyard_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  expect(device).toMatch(
    /^switchyard_device=[\w-]{64}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/,
  )
})

test('over TLS the cookie is bound to this host, and is never sent without TLS', async () => {
  const { email, password } = await switchyard.newOrganization()
  const url = 'https://dashboard.example.com'
  const config = { ...switchyard.config, dashboard: { ...switchyard.config.dashboard, url } }
  const app = buildDashboard({ ...switchyard, config })
  const headers = { origin: url }

  const signedIn = await app.inject({
    method: 'POST',
    url: '/session',
    headers,
    payload: { email, password },
  })
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] as string
  const withCookie = await app.inject({ method: 'GET', url: '/session', headers: { cookie } })
  const unprefixed = cookie.replace('__Host-', '')
  const withoutPrefix = await app.inject({ method: 'GET', url: '/session', headers: { cookie: unprefixed } })
  await app.close()

  expect(signedIn.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-switchyard_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    ),
    expect.stringMatching(/^__Host-switchyard_device=[\w-]{64}; .*; SameSite=Strict; Secure$/),
  ])
  expect([withCookie.statusCode, withoutPrefix.statusCode]).toEqual([200, 401])
})

test('only a hash of the secret is stored', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())
  const secret = (browser.cookie() ?? '').split('=')[1] as string

  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select sessions::text as row from control.sessions'),
  )

  const storedRows = rows.map(({ row }) => row).join('\n')
  expect(storedRows).not.toContain(secret)
  expect(storedRows).not.toContain(Buffer.from(secret).toString('hex'))
})

test('a session cookie from before the sign-in never becomes the session (no session fixation)', async () => {
  const { email, password } = await switchyard.newOrganization()
  const planted = `switchyard_session=${'A'.repeat(43)}`
  const browser = switchyard.openBrowser()

  const first = await browser.post('/session', { email, password }, { cookie: planted })
  const firstCookie = browser.cookie()
  const second = await browser.signIn(email, password)

  expect([first.status, second.status]).toEqual([200, 200])
  expect(firstCookie).not.toBe(planted)
  expect(browser.cookie()).not.toBe(firstCookie)
  // Neither the planted cookie nor the previous one is valid now.
  expect((await browser.get('/session', { cookie: planted })).status).toBe(401)
  expect((await browser.get('/session', { cookie: firstCookie })).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
})

test('a request with two session cookies is rejected, because one of them may be planted', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())

  const both = `${browser.cookie()}; switchyard_session=${'A'.repeat(43)}`

  expect((await browser.get('/session', { cookie: both })).status).toBe(401)
})

test.each([
  ['the origin of another site', { origin: 'https://evil.example' }],
  ['the origin of another port of the same host', { origin: 'http://localhost:1' }],
  ['no origin', { origin: null }],
  ['an opaque origin', { origin: 'null' }],
  ['a cross-site request', { 'sec-fetch-site': 'cross-site' }],
  ['a same-site request from another origin', { 'sec-fetch-site': 'same-site' }],
])('a request from another origin cannot act for the signed-in person: %s', async (_, headers) => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const input = { workspace_id: organization.live.workspaceId }

  const rejection = { status: 403, body: { code: 'foreign_origin' } }
  expect(await browser.post('/session/token', input, { headers })).toMatchObject(rejection)
  expect(await browser.delete('/sessions', undefined, { headers })).toMatchObject(rejection)
  expect(await browser.put('/session/person', { name: 'Mallory' }, { headers })).toMatchObject(rejection)
  expect((await browser.get('/session')).body.person.name).toBeNull()
})

test.each([
  { origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
])('a request from another origin cannot read the session: %j', async (headers) => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())

  const response = await browser.get('/session', { headers })

  expect(response).toMatchObject({ status: 403, body: { code: 'foreign_origin' } })
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
  'a form post is rejected: %s',
  async (type) => {
    const browser = await switchyard.signIn(await switchyard.newOrganization())

    const response = await browser.put(
      '/session/person',
      { name: 'Mallory' },
      { headers: { 'content-type': type } },
    )

    expect(response).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  },
)

test.each(['live', 'test'] as const)('the API rejects the session cookie in %s mode', async (mode) => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())
  const secret = (browser.cookie() ?? '').split('=')[1] as string

  const byCookie = { headers: { cookie: String(browser.cookie()) } }
  expect(await switchyard.call(mode, 'GET', '/me', undefined, byCookie)).toMatchObject({
    status: 401,
    body: { code: 'token_missing' },
  })
  expect(await switchyard.call(mode, 'GET', '/me', undefined, { token: secret })).toMatchObject({
    status: 401,
    body: { code: 'token_invalid' },
  })
})

test('a session ends after an hour without requests, and a request extends it', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const token = () => browser.tokenFor(organization.live.workspaceId)

  switchyard.clock.advance({ minutes: 59 })
  const active = await browser.get('/session')
  switchyard.clock.advance({ minutes: 59 })
  const last = await token()
  switchyard.clock.advance({ minutes: 60 })
  const after = await browser.get('/session')

  expect([active.status, after.status]).toEqual([200, 401])
  expect(last).toMatch(/^dk_live_/)
})

test('a session ends after twelve hours, even if it is in use', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const statuses: number[] = []
  for (let half = 0; half < 24; half += 1) {
    statuses.push((await browser.get('/session')).status)
    switchyard.clock.advance({ minutes: 30 })
  }

  expect(new Set(statuses)).toEqual(new Set([200]))
  expect((await browser.get('/session')).status).toBe(401)
})

test('a token is valid for ten minutes, and never longer than its session', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const token = await browser.tokenFor(organization.live.workspaceId)
  const call = () => switchyard.call('live', 'GET', '/me', undefined, { token })

  expect((await call()).status).toBe(200)
  switchyard.clock.advance({ minutes: 10 })
  expect(await call()).toMatchObject({ status: 401, body: { code: 'token_expired' } })

  for (let half = 0; half < 23; half += 1) {
    await browser.get('/session')
    switchyard.clock.advance({ minutes: 30 })
  }
  switchyard.clock.advance({ minutes: 15 })
  const input = { workspace_id: organization.live.workspaceId }
  const { body } = await browser.post('/session/token', input)
  expect(body.expires_at).toBe(browser.session.expires_at)
})

test('a token with one changed character is invalid', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const token = await browser.tokenFor(organization.live.workspaceId)

  for (const index of [8, 30, 60, 77]) {
    const other = token[index] === 'A' ? 'B' : 'A'
    const forged = token.slice(0, index) + other + token.slice(index + 1)
    const { status } = await switchyard.call('live', 'GET', '/me', undefined, { token: forged })
    expect(status).toBe(401)
  }
  // The last character has unused bits: other characters decode to the same bytes, and are invalid too.
  const decodesToSameBytes = (text: string) => text !== token && bytesOf(text).equals(bytesOf(token))
  const bytesOf = (text: string) => Buffer.from(text.slice(8), 'base64url')
  const equivalents = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => token.slice(0, -1) + last)
    .filter(decodesToSameBytes)
  expect(equivalents).toHaveLength(15)
  for (const equivalent of equivalents.slice(0, 3))
    expect((await switchyard.call('live', 'GET', '/me', undefined, { token: equivalent })).status).toBe(401)
  const otherMode = token.replace('dk_live_', 'dk_test_')
  expect((await switchyard.call('test', 'GET', '/me', undefined, { token: otherMode })).status).toBe(401)
})

test('all sessions of a person are listed, and can be ended one by one', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const otherBrowser = await switchyard.signIn(organization)

  const { body } = await browser.get('/sessions')
  const other = body.data.find(({ current }: { current: boolean }) => !current)

  expect(body.data).toHaveLength(2)
  expect(other).toEqual({
    id: expect.stringMatching(/^session_/),
    created_at: expect.stringMatching(/^2026-11-/),
    last_seen_at: expect.stringMatching(/^2026-11-/),
    address: '127.0.0.1',
    user_agent: 'node',
    current: false,
  })
  expect((await browser.delete(`/sessions/${other.id}`)).status).toBe(204)
  expect((await otherBrowser.get('/session')).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
  expect((await browser.delete(`/sessions/${other.id}`)).status).toBe(404)
})

test('the session of another person cannot be ended', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const [browser, otherBrowser] = [await switchyard.signIn(ours), await switchyard.signIn(theirs)]
  const { body } = await otherBrowser.get('/sessions')

  expect((await browser.delete(`/sessions/${body.data[0].id}`)).status).toBe(404)
  expect((await otherBrowser.get('/session')).status).toBe(200)
})

test('signing out everywhere ends the sessions of every browser', async () => {
  const organization = await switchyard.newOrganization()
  const [browser, otherBrowser] = [
    await switchyard.signIn(organization),
    await switchyard.signIn(organization),
  ]

  expect((await browser.delete('/sessions')).status).toBe(204)

  expect((await browser.get('/session')).status).toBe(401)
  expect((await otherBrowser.get('/session')).status).toBe(401)
})

test('a new password ends all other sessions, and the old password is invalid', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password } = organization
  const [browser, otherBrowser] = [
    await switchyard.signIn(organization),
    await switchyard.signIn(organization),
  ]

  const wrong = await browser.put('/session/password', {
    current: 'not this one',
    password: 'a new password',
  })
  const short = await browser.put('/session/password', { current: password, password: 'short' })
  const changed = await browser.put('/session/password', { current: password, password: 'a new password' })

  expect([wrong.status, short.status, changed.status]).toEqual([401, 400, 204])
  expect((await browser.get('/session')).status).toBe(200)
  expect((await otherBrowser.get('/session')).status).toBe(401)
  const newBrowser = switchyard.openBrowser()
  expect((await newBrowser.signIn(email, password)).status).toBe(401)
  expect((await newBrowser.signIn(email, 'a new password')).status).toBe(200)
})

test('a cached token is rejected within seconds after its session ended, in both environments', async () => {
  const organization = await cachingSwitchyard.newOrganization()
  const browser = await cachingSwitchyard.signIn(organization)
  const tokens = {
    live: await browser.tokenFor(organization.live.workspaceId),
    test: await browser.tokenFor(organization.test.workspaceId),
  }
  const statusAt = async (mode: 'live' | 'test') =>
    (await cachingSwitchyard.call(mode, 'GET', '/me', undefined, { token: tokens[mode] })).status
  expect([await statusAt('live'), await statusAt('test')]).toEqual([200, 200])

  await browser.delete('/session')

  const withinSeconds = { timeout: 8_000, interval: 200 }
  await expect.poll(() => statusAt('live'), withinSeconds).toBe(401)
  await expect.poll(() => statusAt('test'), withinSeconds).toBe(401)
}, 20_000)

test('a session belongs to one browser, not to its network address', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())

  const other = openBrowser(() => switchyard.dashboardUrl)

  expect((await browser.get('/session')).status).toBe(200)
  expect((await other.get('/session')).status).toBe(401)
})
