import { expect, test, vi } from 'vitest'
import { createTestPerson, type Organization } from '../../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import type { Role } from '../../../kernel/caller.ts'

const switchyard = await switchyardForThisFile()
/** As in production, authenticated tokens are cached for a few seconds. */
const cachingSwitchyard = await switchyardForThisFile({ overrides: { tokenCacheMs: 4_000 } })

function apiCaller({ live }: Organization, { call } = switchyard) {
  return (method: string, path: string, body?: unknown, token = live.token) =>
    call('live', method, path, body, { token })
}

function createPerson(organization: Organization, role: Role, { deps } = switchyard) {
  const { organizationId, live } = organization
  return createTestPerson(deps, { organizationId, workspaceId: live.workspaceId }, { role })
}

test('the people of an organization are listed with their role and the time of their last visit', async () => {
  const organization = await switchyard.newOrganization()
  const support = await createPerson(organization, 'SUPPORT')
  const browser = await switchyard.signIn(support)
  switchyard.clock.advance({ minutes: 2 })
  await browser.get('/session')

  const { body } = await apiCaller(organization)('GET', '/people')

  expect(body.data).toMatchObject([
    { email: support.email, role: 'SUPPORT', status: 'active', totp_enabled: false },
    { email: organization.email, role: 'ADMIN', status: 'active', last_seen_at: null },
  ])
  expect(body.data[0].last_seen_at).toMatch(/^2026-11-14T12:/)
})

test('people of another organization are not listed and cannot be changed', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const otherPerson = await createPerson(theirs, 'SUPPORT')
  const call = apiCaller(ours)

  expect(JSON.stringify((await call('GET', '/people')).body)).not.toContain(otherPerson.email)
  expect((await call('PUT', `/people/${otherPerson.id}`, { role: 'ADMIN' })).status).toBe(404)
  expect((await call('POST', `/people/${otherPerson.id}/deactivate`)).status).toBe(404)
  expect((await call('POST', `/people/${otherPerson.id}/sign_out`)).status).toBe(404)
})

test('a role change is recorded in the audit log, and repeating it changes nothing', async () => {
  const organization = await switchyard.newOrganization()
  const { id } = await createPerson(organization, 'SUPPORT')
  const call = apiCaller(organization)

  await call('PUT', `/people/${id}`, { role: 'DEVELOPER' })
  const repeated = await call('PUT', `/people/${id}`, { role: 'DEVELOPER' })
  const { body } = await call('GET', '/audit-entries?limit=2')

  expect(repeated.body).toMatchObject({ id, role: 'DEVELOPER' })
  expect(body.data).toMatchObject([
    { act: 'person.updated', object_id: id, details: { from: 'SUPPORT', to: 'DEVELOPER' }, source: 'api' },
    { act: 'person.created' },
  ])
})

test('a new role applies to existing sessions within seconds, and replaces the session secret', async () => {
  const organization = await cachingSwitchyard.newOrganization()
  const person = await createPerson(organization, 'ADMIN', cachingSwitchyard)
  const browser = await cachingSwitchyard.signIn(person)
  const before = browser.cookie()
  const token = await browser.tokenFor(organization.live.workspaceId)
  const call = apiCaller(organization, cachingSwitchyard)
  const authority = async () => (await call('GET', '/me', undefined, token)).body.authority
  expect(await authority()).toBe('ADMIN')

  await call('PUT', `/people/${person.id}`, { role: 'READ_ONLY' })

  await expect.poll(authority, { timeout: 8_000, interval: 200 }).toBe('READ_ONLY')
  const rejected = await call('POST', '/api-tokens', { name: 'Mine', role: 'ADMIN' }, token)
  expect(rejected).toMatchObject({ status: 403, body: { code: 'role_not_allowed' } })
  expect((await browser.get('/session')).body.person.role).toBe('READ_ONLY')
  expect(browser.cookie()).not.toBe(before)
  // The former secret stays valid for requests in progress, for half a minute.
  expect((await browser.get('/session', { cookie: before })).status).toBe(200)
  cachingSwitchyard.clock.advance({ seconds: 30 })
  expect((await browser.get('/session', { cookie: before })).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
}, 20_000)

test('deactivating a person ends all their sessions within seconds, and they cannot sign in again', async () => {
  const organization = await cachingSwitchyard.newOrganization()
  const person = await createPerson(organization, 'DEVELOPER', cachingSwitchyard)
  const browser = await cachingSwitchyard.signIn(person)
  const token = await browser.tokenFor(organization.live.workspaceId)
  const call = apiCaller(organization, cachingSwitchyard)
  const status = async () => (await call('GET', '/me', undefined, token)).status
  expect(await status()).toBe(200)

  const { body } = await call('POST', `/people/${person.id}/deactivate`)

  expect(body.status).toBe('deactivated')
  await expect.poll(status, { timeout: 8_000, interval: 200 }).toBe(401)
  expect((await browser.get('/session')).status).toBe(401)
  expect((await cachingSwitchyard.openBrowser().signIn(person.email, person.password)).status).toBe(401)
  expect((await call('POST', `/people/${person.id}/deactivate`)).body.status).toBe('deactivated')
}, 20_000)

test('an ADMIN can sign a person out everywhere, and the person can sign in again', async () => {
  const organization = await switchyard.newOrganization()
  const person = await createPerson(organization, 'SUPPORT')
  const [first, second] = [await switchyard.signIn(person), await switchyard.signIn(person)]

  expect((await apiCaller(organization)('POST', `/people/${person.id}/sign_out`)).status).toBe(200)

  expect([(await first.get('/session')).status, (await second.get('/session')).status]).toEqual([401, 401])
  expect((await first.signIn(person.email, person.password)).status).toBe(200)
})

test('the last ADMIN cannot be demoted or deactivated', async () => {
  const organization = await switchyard.newOrganization()
  const call = apiCaller(organization)
  const { body } = await call('GET', '/people')
  const path = `/people/${body.data[0].id}`

  const rejection = { status: 409, body: { code: 'last_admin' } }
  expect(await call('PUT', path, { role: 'DEVELOPER' })).toMatchObject(rejection)
  expect(await call('POST', `${path}/deactivate`)).toMatchObject(rejection)
  expect((await call('PUT', path, { role: 'ADMIN' })).status).toBe(200)
})

test('two concurrent changes cannot remove both ADMINs of an organization', async () => {
  for (let round = 0; round < 5; round += 1) {
    const organization = await switchyard.newOrganization()
    const other = await createPerson(organization, 'ADMIN')
    const call = apiCaller(organization)
    const { body } = await call('GET', '/people')
    const first = body.data.find(({ id }: { id: string }) => id !== other.id)

    const responses = await Promise.all([
      call('PUT', `/people/${other.id}`, { role: 'READ_ONLY' }),
      call('POST', `/people/${first.id}/deactivate`),
    ])

    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const { body: after } = await call('GET', '/people')
    const admins = after.data.filter(
      ({ role, status }: { role: string; status: string }) => role === 'ADMIN' && status === 'active',
    )
    expect(admins).toHaveLength(1)
  }
})

test('a test token cannot change who has access to the live environment', async () => {
  const organization = await switchyard.newOrganization()
  const { id } = await createPerson(organization, 'READ_ONLY')
  const { token, workspaceId } = organization.test
  const call = (method: string, path: string, body?: unknown, bearer = token) =>
    switchyard.call('test', method, path, body, { token: bearer })
  const invitation = { email: 'mallory@example.com', role: 'ADMIN' }

  const rejection = { status: 403, body: { code: 'live_mode_only' } }
  expect(await call('PUT', `/people/${id}`, { role: 'ADMIN' })).toMatchObject(rejection)
  expect(await call('POST', `/people/${id}/deactivate`)).toMatchObject(rejection)
  expect(await call('POST', `/people/${id}/sign_out`)).toMatchObject(rejection)
  expect(await call('POST', '/invitations', invitation)).toMatchObject(rejection)
  // A person who is signed in as ADMIN has that role in live workspaces too.
  const browser = await switchyard.signIn(organization)
  const sessionToken = await browser.tokenFor(workspaceId)
  expect((await call('PUT', `/people/${id}`, { role: 'SUPPORT' }, sessionToken)).status).toBe(200)
})

test('every role can list people, and only ADMIN can change them', async () => {
  const organization = await switchyard.newOrganization()
  const call = apiCaller(organization)
  for (const role of ['DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const) {
    const person = await createPerson(organization, role)
    const browser = await switchyard.signIn(person)
    const token = await browser.tokenFor(organization.live.workspaceId)

    const { body: me } = await call('GET', '/me', undefined, token)
    expect(me.allowed_operations).toContain('people.list')
    expect(me.allowed_operations).not.toContain('people.update')
    expect((await call('GET', '/people', undefined, token)).status).toBe(200)
    expect((await call('PUT', `/people/${person.id}`, { role: 'ADMIN' }, token)).status).toBe(403)
  }
})

/**
 * An ADMIN who created a live token and a test token. A second live token was created with the first one, and
 * an invitation with the second.
 */
async function adminWithTokens() {
  const organization = await switchyard.newOrganization()
  const leaver = await createPerson(organization, 'ADMIN')
  const browser = await switchyard.signIn(leaver)
  const input = { name: 'Backup script', role: 'ADMIN' }
  const tokenIn = async (mode: 'live' | 'test') => {
    const token = await browser.tokenFor(organization[mode].workspaceId)
    return (await switchyard.call(mode, 'POST', '/api-tokens', input, { token })).body
  }
  const [live, test] = [await tokenIn('live'), await tokenIn('test')]
  const call = apiCaller(organization)
  const { body: second } = await call('POST', '/api-tokens', input, live.token)
  const { body: invitation } = await call(
    'POST',
    '/invitations',
    { email: 'back@example.com', role: 'ADMIN' },
    second.token,
  )
  const statusOf = async ({ token }: { token: string }) =>
    (await switchyard.call(token.includes('_live_') ? 'live' : 'test', 'GET', '/me', undefined, { token }))
      .status
  return { organization, leaver, call, live, test, second, invitation, statusOf }
}

test('deactivating a person revokes the API tokens they created in all workspaces, and the invitations created with these tokens', async () => {
  const {
    organization,
    leaver,
    call,
    live,
    test: testToken,
    second,
    invitation,
    statusOf,
  } = await adminWithTokens()
  expect(live.created_by_person_id).toBe(leaver.id)
  expect(second.created_by_person_id).toBe(leaver.id)

  await call('POST', `/people/${leaver.id}/deactivate`)

  for (const token of [live, testToken, second]) expect(await statusOf(token)).toBe(401)
  expect((await call('GET', `/api-tokens/${second.id}`)).body.status).toBe('revoked')
  const { token } = organization.test
  const shown = await switchyard.call('test', 'GET', `/api-tokens/${testToken.id}`, undefined, { token })
  expect(shown.body.status).toBe('revoked')
  const { body: invitations } = await call('GET', '/invitations')
  expect(invitations.data).toMatchObject([{ id: invitation.id, status: 'revoked' }])
  expect((await call('GET', '/me')).status).toBe(200)
})

test('the API tokens of a person are revoked when they are no longer ADMIN, unless keep_api_tokens is set', async () => {
  const [demoted, demotedKeepingTokens] = [await adminWithTokens(), await adminWithTokens()]

  await demoted.call('PUT', `/people/${demoted.leaver.id}`, { role: 'SUPPORT' })
  await demotedKeepingTokens.call('PUT', `/people/${demotedKeepingTokens.leaver.id}`, {
    role: 'SUPPORT',
    keep_api_tokens: true,
  })

  expect(await demoted.statusOf(demoted.second)).toBe(401)
  expect(await demotedKeepingTokens.statusOf(demotedKeepingTokens.second)).toBe(200)
})

test('an expired token of a deactivated person stays expired', async () => {
  const { leaver, call, live } = await adminWithTokens()
  const expires_at = new Date(Date.parse(live.created_at) + 60_000).toISOString()
  const input = { name: 'Visitor', role: 'READ_ONLY', expires_at }
  const { body: visitor } = await call('POST', '/api-tokens', input, live.token)
  switchyard.clock.advance({ minutes: 1 })
  await switchyard.settle()

  expect((await call('POST', `/people/${leaver.id}/deactivate`)).status).toBe(200)

  expect((await call('GET', `/api-tokens/${visitor.id}`)).body.status).toBe('expired')
})

test('repeating a deactivation revokes tokens that are still active because the process stopped during the first call', async () => {
  const { leaver, call, live, statusOf } = await adminWithTokens()
  vi.spyOn(switchyard.deps, 'revokeApiTokens').mockRejectedValueOnce(new Error('the process stopped'))

  expect((await call('POST', `/people/${leaver.id}/deactivate`)).status).toBe(500)
  expect(await statusOf(live)).toBe(401)
  expect((await call('GET', `/api-tokens/${live.id}`)).body.status).toBe('active')

  expect((await call('POST', `/people/${leaver.id}/deactivate`)).status).toBe(200)
  expect((await call('GET', `/api-tokens/${live.id}`)).body.status).toBe('revoked')
})

test('with an idempotency key, repeating a role change or a deactivation returns the same person', async () => {
  const { organization, leaver, second, call } = await adminWithTokens()
  const { token } = organization.live
  const send = (method: string, path: string, body: object | undefined, key: string) =>
    switchyard.call('live', method, path, body, { token, headers: { 'idempotency-key': key } })
  const demote = () => send('PUT', `/people/${leaver.id}`, { role: 'SUPPORT' }, 'demote')
  const deactivate = () => send('POST', `/people/${leaver.id}/deactivate`, undefined, 'deactivate')

  const responses = [await demote(), await demote(), await deactivate(), await deactivate()]

  const [demoted, deactivated] = [
    { id: leaver.id, role: 'SUPPORT', status: 'active' },
    { id: leaver.id, role: 'SUPPORT', status: 'deactivated' },
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(responses.map(({ body }) => body)).toMatchObject([demoted, demoted, deactivated, deactivated])
  expect((await call('GET', `/api-tokens/${second.id}`)).body.status).toBe('revoked')
})
