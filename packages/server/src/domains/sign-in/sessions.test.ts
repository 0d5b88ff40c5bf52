// What a session survives and what it does not: theft, fixation, time, and being ended from elsewhere.

import { expect, test } from 'vitest'
import { openBrowser } from '../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { buildDashboard } from '../../app.ts'
import { asOwner } from '../../platform/db/owner.ts'

const switchyard = await switchyardForThisFile()
/** As in production: a token that was recognized is remembered for a moment. */
const remembering = await switchyardForThisFile({ overrides: { tokenMemoryMs: 4_000 } })

test('the cookie cannot be read by scripts, nor sent by other sites', async () => {
  const { email, password } = await switchyard.newOrganization()

  const { headers } = await switchyard.openBrowser().signIn(email, password)

  expect(headers.get('set-cookie')).toMatch(
    /^switchyard_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  )
})

test('over TLS the cookie is for this very host, and never goes out without TLS', async () => {
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
  const again = await app.inject({ method: 'GET', url: '/session', headers: { cookie } })
  const plain = cookie.replace('__Host-', '')
  const withoutHost = await app.inject({ method: 'GET', url: '/session', headers: { cookie: plain } })
  await app.close()

  expect(signedIn.headers['set-cookie']).toMatch(
    /^__Host-switchyard_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
  )
  expect([again.statusCode, withoutHost.statusCode]).toEqual([200, 401])
})

test('of the secret only a hash is kept', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())
  const secret = (browser.cookie() ?? '').split('=')[1] as string

  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select sessions::text as row from control.sessions'),
  )

  const kept = rows.map(({ row }) => row).join('\n')
  expect(kept).not.toContain(secret)
  expect(kept).not.toContain(Buffer.from(secret).toString('hex'))
})

test('a cookie that was there before signing in is never the session afterwards', async () => {
  const { email, password } = await switchyard.newOrganization()
  const planted = `switchyard_session=${'A'.repeat(43)}`
  const browser = switchyard.openBrowser()

  const first = await browser.post('/session', { email, password }, { cookie: planted })
  const mine = browser.cookie()
  const second = await browser.signIn(email, password)

  expect([first.status, second.status]).toEqual([200, 200])
  expect(mine).not.toBe(planted)
  expect(browser.cookie()).not.toBe(mine)
  // Neither what was planted nor what was carried before opens anything now.
  expect((await browser.get('/session', { cookie: planted })).status).toBe(401)
  expect((await browser.get('/session', { cookie: mine })).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
})

test('two cookies of the name are none: one of them was planted', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())

  const both = `${browser.cookie()}; switchyard_session=${'A'.repeat(43)}`

  expect((await browser.get('/session', { cookie: both })).status).toBe(401)
})

test.each([
  ['the origin of another site', { origin: 'https://evil.example' }],
  ['a neighbour on another port', { origin: 'http://localhost:1' }],
  ['no origin at all', { origin: null }],
  ['an origin that hides itself', { origin: 'null' }],
  ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
  ['a neighbour, as the browser says', { 'sec-fetch-site': 'same-site' }],
])('a page cannot act for whoever is signed in: %s', async (_, headers) => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const wish = { workspace_id: organization.live.workspaceId }

  const refused = { status: 403, body: { code: 'foreign_origin' } }
  expect(await browser.post('/session/token', wish, { headers })).toMatchObject(refused)
  expect(await browser.delete('/sessions', undefined, { headers })).toMatchObject(refused)
  expect(await browser.put('/session/person', { name: 'Mallory' }, { headers })).toMatchObject(refused)
  expect((await browser.get('/session')).body.person.name).toBeNull()
})

test.each([
  { origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
])('and cannot read who is signed in: %j', async (headers) => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())

  const answer = await browser.get('/session', { headers })

  expect(answer).toMatchObject({ status: 403, body: { code: 'foreign_origin' } })
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
  'a form cannot knock: %s',
  async (type) => {
    const browser = await switchyard.signIn(await switchyard.newOrganization())

    const answer = await browser.put(
      '/session/person',
      { name: 'Mallory' },
      { headers: { 'content-type': type } },
    )

    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
  },
)

test.each(['live', 'test'] as const)('the cookie alone opens nothing at the API, in %s', async (mode) => {
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

test('after an hour without a visit it is over, and a visit puts that off', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const token = () => browser.tokenFor(organization.live.workspaceId)

  switchyard.clock.advance({ minutes: 59 })
  const visited = await browser.get('/session')
  switchyard.clock.advance({ minutes: 59 })
  const last = await token()
  switchyard.clock.advance({ minutes: 60 })
  const after = await browser.get('/session')

  expect([visited.status, after.status]).toEqual([200, 401])
  expect(last).toMatch(/^dk_live_/)
})

test('after twelve hours it is over, however busy', async () => {
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

test('a token lasts ten minutes, and never longer than its session', async () => {
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
  const wish = { workspace_id: organization.live.workspaceId }
  const { body } = await browser.post('/session/token', wish)
  expect(body.expires_at).toBe(browser.session.expires_at)
})

test('a token that was changed by a single character is none', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const token = await browser.tokenFor(organization.live.workspaceId)

  for (const place of [8, 30, 60, 77]) {
    const other = token[place] === 'A' ? 'B' : 'A'
    const forged = token.slice(0, place) + other + token.slice(place + 1)
    const { status } = await switchyard.call('live', 'GET', '/me', undefined, { token: forged })
    expect(status).toBe(401)
  }
  // The last one has bits to spare: other characters there stand for the same bytes, and are no token either.
  const isTwin = (text: string) => text !== token && bytesOf(text).equals(bytesOf(token))
  const bytesOf = (text: string) => Buffer.from(text.slice(8), 'base64url')
  const twins = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => token.slice(0, -1) + last)
    .filter(isTwin)
  expect(twins).toHaveLength(15)
  for (const twin of twins.slice(0, 3))
    expect((await switchyard.call('live', 'GET', '/me', undefined, { token: twin })).status).toBe(401)
  const elsewhere = token.replace('dk_live_', 'dk_test_')
  expect((await switchyard.call('test', 'GET', '/me', undefined, { token: elsewhere })).status).toBe(401)
})

test('all sessions of a person are listed, and can be ended one by one', async () => {
  const organization = await switchyard.newOrganization()
  const here = await switchyard.signIn(organization)
  const there = await switchyard.signIn(organization)

  const { body } = await here.get('/sessions')
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
  expect((await here.delete(`/sessions/${other.id}`)).status).toBe(204)
  expect((await there.get('/session')).status).toBe(401)
  expect((await here.get('/session')).status).toBe(200)
  expect((await here.delete(`/sessions/${other.id}`)).status).toBe(404)
})

test('nobody ends the session of somebody else', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const [us, them] = [await switchyard.signIn(ours), await switchyard.signIn(theirs)]
  const { body } = await them.get('/sessions')

  expect((await us.delete(`/sessions/${body.data[0].id}`)).status).toBe(404)
  expect((await them.get('/session')).status).toBe(200)
})

test('whoever signs out everywhere is out in every browser', async () => {
  const organization = await switchyard.newOrganization()
  const [here, there] = [await switchyard.signIn(organization), await switchyard.signIn(organization)]

  expect((await here.delete('/sessions')).status).toBe(204)

  expect((await here.get('/session')).status).toBe(401)
  expect((await there.get('/session')).status).toBe(401)
})

test('a new password ends all other sessions, and the one before opens nothing', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password } = organization
  const [here, there] = [await switchyard.signIn(organization), await switchyard.signIn(organization)]

  const wrong = await here.put('/session/password', { current: 'not this one', password: 'a new password' })
  const short = await here.put('/session/password', { current: password, password: 'short' })
  const changed = await here.put('/session/password', { current: password, password: 'a new password' })

  expect([wrong.status, short.status, changed.status]).toEqual([401, 400, 204])
  expect((await here.get('/session')).status).toBe(200)
  expect((await there.get('/session')).status).toBe(401)
  const anew = switchyard.openBrowser()
  expect((await anew.signIn(email, password)).status).toBe(401)
  expect((await anew.signIn(email, 'a new password')).status).toBe(200)
})

test('a token that is in use ends with its session within seconds, at both addresses', async () => {
  const organization = await remembering.newOrganization()
  const browser = await remembering.signIn(organization)
  const tokens = {
    live: await browser.tokenFor(organization.live.workspaceId),
    test: await browser.tokenFor(organization.test.workspaceId),
  }
  const statusAt = async (mode: 'live' | 'test') =>
    (await remembering.call(mode, 'GET', '/me', undefined, { token: tokens[mode] })).status
  expect([await statusAt('live'), await statusAt('test')]).toEqual([200, 200])

  await browser.delete('/session')

  const soon = { timeout: 8_000, interval: 200 }
  await expect.poll(() => statusAt('live'), soon).toBe(401)
  await expect.poll(() => statusAt('test'), soon).toBe(401)
}, 20_000)

test('another browser at the same address is somebody else', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())

  const other = openBrowser(() => switchyard.dashboardUrl)

  expect((await browser.get('/session')).status).toBe(200)
  expect((await other.get('/session')).status).toBe(401)
})
