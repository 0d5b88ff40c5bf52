import { expect, test } from 'vitest'
import { makePerson, type Organization } from '../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import type { Role } from '../../kernel/caller.ts'

const switchyard = await switchyardForThisFile()
/** As in production: a token that was recognized is remembered for a moment. */
const remembering = await switchyardForThisFile({ overrides: { tokenMemoryMs: 4_000 } })

function callerOf({ live }: Organization, { call } = switchyard) {
  return (method: string, path: string, body?: unknown, token = live.token) =>
    call('live', method, path, body, { token })
}

function somebody(organization: Organization, role: Role, { deps } = switchyard) {
  const { organizationId, live } = organization
  return makePerson(deps, { organizationId, workspaceId: live.workspaceId }, { role })
}

test('the people of an organization are listed with what they may do and when they were here', async () => {
  const organization = await switchyard.newOrganization()
  const support = await somebody(organization, 'SUPPORT')
  const browser = await switchyard.signIn(support)
  switchyard.clock.advance({ minutes: 2 })
  await browser.get('/session')

  const { body } = await callerOf(organization)('GET', '/people')

  expect(body.data).toMatchObject([
    { email: support.email, role: 'SUPPORT', status: 'active', totp_enabled: false },
    { email: organization.email, role: 'ADMIN', status: 'active', last_seen_at: null },
  ])
  expect(body.data[0].last_seen_at).toMatch(/^2026-11-14T12:/)
})

test('those of another organization are neither listed nor changed', async () => {
  const [ours, theirs] = [await switchyard.newOrganization(), await switchyard.newOrganization()]
  const them = await somebody(theirs, 'SUPPORT')
  const call = callerOf(ours)

  expect(JSON.stringify((await call('GET', '/people')).body)).not.toContain(them.email)
  expect((await call('PUT', `/people/${them.id}`, { role: 'ADMIN' })).status).toBe(404)
  expect((await call('POST', `/people/${them.id}/deactivate`)).status).toBe(404)
  expect((await call('POST', `/people/${them.id}/sign_out`)).status).toBe(404)
})

test('another role is told in the audit log, and asking twice changes nothing more', async () => {
  const organization = await switchyard.newOrganization()
  const { id } = await somebody(organization, 'SUPPORT')
  const call = callerOf(organization)

  await call('PUT', `/people/${id}`, { role: 'DEVELOPER' })
  const again = await call('PUT', `/people/${id}`, { role: 'DEVELOPER' })
  const { body } = await call('GET', '/audit-entries?limit=2')

  expect(again.body).toMatchObject({ id, role: 'DEVELOPER' })
  expect(body.data).toMatchObject([
    { act: 'person.updated', object_id: id, details: { from: 'SUPPORT', to: 'DEVELOPER' }, source: 'api' },
    { act: 'person.created' },
  ])
})

test('a new role holds for whoever is signed in within seconds, and brings a new secret', async () => {
  const organization = await remembering.newOrganization()
  const person = await somebody(organization, 'ADMIN', remembering)
  const browser = await remembering.signIn(person)
  const before = browser.cookie()
  const token = await browser.tokenFor(organization.live.workspaceId)
  const call = callerOf(organization, remembering)
  const authority = async () => (await call('GET', '/me', undefined, token)).body.authority
  expect(await authority()).toBe('ADMIN')

  await call('PUT', `/people/${person.id}`, { role: 'READ_ONLY' })

  await expect.poll(authority, { timeout: 8_000, interval: 200 }).toBe('READ_ONLY')
  const refused = await call('POST', '/api-tokens', { name: 'Mine', role: 'ADMIN' }, token)
  expect(refused).toMatchObject({ status: 403, body: { code: 'role_not_allowed' } })
  expect((await browser.get('/session')).body.person.role).toBe('READ_ONLY')
  expect(browser.cookie()).not.toBe(before)
  // What was under way with the former secret still arrives; half a minute later nothing does.
  expect((await browser.get('/session', { cookie: before })).status).toBe(200)
  remembering.clock.advance({ seconds: 30 })
  expect((await browser.get('/session', { cookie: before })).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
}, 20_000)

test('whoever is deactivated is out within seconds, everywhere and for good', async () => {
  const organization = await remembering.newOrganization()
  const person = await somebody(organization, 'DEVELOPER', remembering)
  const browser = await remembering.signIn(person)
  const token = await browser.tokenFor(organization.live.workspaceId)
  const call = callerOf(organization, remembering)
  const status = async () => (await call('GET', '/me', undefined, token)).status
  expect(await status()).toBe(200)

  const { body } = await call('POST', `/people/${person.id}/deactivate`)

  expect(body.status).toBe('deactivated')
  await expect.poll(status, { timeout: 8_000, interval: 200 }).toBe(401)
  expect((await browser.get('/session')).status).toBe(401)
  expect((await remembering.openBrowser().signIn(person.email, person.password)).status).toBe(401)
  expect((await call('POST', `/people/${person.id}/deactivate`)).body.status).toBe('deactivated')
}, 20_000)

test('an ADMIN signs somebody out everywhere, and they may sign in again', async () => {
  const organization = await switchyard.newOrganization()
  const person = await somebody(organization, 'SUPPORT')
  const [one, other] = [await switchyard.signIn(person), await switchyard.signIn(person)]

  expect((await callerOf(organization)('POST', `/people/${person.id}/sign_out`)).status).toBe(200)

  expect([(await one.get('/session')).status, (await other.get('/session')).status]).toEqual([401, 401])
  expect((await one.signIn(person.email, person.password)).status).toBe(200)
})

test('the last ADMIN keeps the role and stays', async () => {
  const organization = await switchyard.newOrganization()
  const call = callerOf(organization)
  const { body } = await call('GET', '/people')
  const path = `/people/${body.data[0].id}`

  const refused = { status: 409, body: { code: 'last_admin' } }
  expect(await call('PUT', path, { role: 'DEVELOPER' })).toMatchObject(refused)
  expect(await call('POST', `${path}/deactivate`)).toMatchObject(refused)
  expect((await call('PUT', path, { role: 'ADMIN' })).status).toBe(200)
})

test('two who demote each other at once do not leave the organization without an ADMIN', async () => {
  for (let round = 0; round < 5; round += 1) {
    const organization = await switchyard.newOrganization()
    const other = await somebody(organization, 'ADMIN')
    const call = callerOf(organization)
    const { body } = await call('GET', '/people')
    const first = body.data.find(({ id }: { id: string }) => id !== other.id)

    const answers = await Promise.all([
      call('PUT', `/people/${other.id}`, { role: 'READ_ONLY' }),
      call('POST', `/people/${first.id}/deactivate`),
    ])

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const { body: after } = await call('GET', '/people')
    const admins = after.data.filter(
      ({ role, status }: { role: string; status: string }) => role === 'ADMIN' && status === 'active',
    )
    expect(admins).toHaveLength(1)
  }
})

test('a test token, which lies about on many machines, is no way into production', async () => {
  const organization = await switchyard.newOrganization()
  const { id } = await somebody(organization, 'READ_ONLY')
  const { token, workspaceId } = organization.test
  const call = (method: string, path: string, body?: unknown, by = token) =>
    switchyard.call('test', method, path, body, { token: by })
  const invitation = { email: 'mallory@example.com', role: 'ADMIN' }

  const refused = { status: 403, body: { code: 'live_mode_only' } }
  expect(await call('PUT', `/people/${id}`, { role: 'ADMIN' })).toMatchObject(refused)
  expect(await call('POST', `/people/${id}/deactivate`)).toMatchObject(refused)
  expect(await call('POST', `/people/${id}/sign_out`)).toMatchObject(refused)
  expect(await call('POST', '/invitations', invitation)).toMatchObject(refused)
  // Whoever is signed in as an ADMIN is one in production too.
  const browser = await switchyard.signIn(organization)
  const theirs = await browser.tokenFor(workspaceId)
  expect((await call('PUT', `/people/${id}`, { role: 'SUPPORT' }, theirs)).status).toBe(200)
})

test('every role sees who is here, and only ADMIN changes it', async () => {
  const organization = await switchyard.newOrganization()
  const call = callerOf(organization)
  for (const role of ['DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const) {
    const person = await somebody(organization, role)
    const browser = await switchyard.signIn(person)
    const token = await browser.tokenFor(organization.live.workspaceId)

    const { body: me } = await call('GET', '/me', undefined, token)
    expect(me.allowed_operations).toContain('people.list')
    expect(me.allowed_operations).not.toContain('people.update')
    expect((await call('GET', '/people', undefined, token)).status).toBe(200)
    expect((await call('PUT', `/people/${person.id}`, { role: 'ADMIN' }, token)).status).toBe(403)
  }
})
