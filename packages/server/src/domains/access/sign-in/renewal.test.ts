// When a session gets a new secret, how long the previous one stays valid, and when an idle session ends.

import { expect, test } from 'vitest'
import { createTestPerson, type Organization } from '../../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const vaultSwitchyard = await switchyardForThisFile({ environment: { VAULT_LIVE: 'true' } })

/** Changes the role of a person who is signed in. Their browser still has the previous secret. */
async function personWithChangedRole({ organizationId, live }: Organization) {
  const location = { organizationId, workspaceId: live.workspaceId }
  const person = await createTestPerson(switchyard.deps, location, { role: 'SUPPORT' })
  const browser = await switchyard.signIn(person)
  const path = `/people/${person.id}`
  await switchyard.call('live', 'PUT', path, { role: 'DEVELOPER' }, { token: live.token })
  return { browser, person }
}

test('a new password replaces the secret, and a copy of the previous one is invalid', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const copy = browser.cookie()

  const changed = await browser.put('/session/password', {
    current: organization.password,
    password: 'a new password',
  })

  expect(changed.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^switchyard_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    ),
    expect.stringMatching(/^switchyard_device=[\w-]{64}; /),
  ])
  expect((await browser.get('/session')).status).toBe(200)
  expect(browser.cookie()).not.toBe(copy)
  expect((await browser.get('/session', { cookie: copy })).status).toBe(401)
})

test('a new role replaces the secret, even when the request is rejected', async () => {
  const { browser } = await personWithChangedRole(await switchyard.newOrganization())
  const before = browser.cookie()

  const rejected = await browser.post('/session/totp/confirm', { code: '000000' })

  expect([rejected.status, rejected.headers.getSetCookie().length]).toEqual([409, 1])
  expect(browser.cookie()).not.toBe(before)
  switchyard.clock.advance({ seconds: 30 })
  expect((await browser.get('/session')).status).toBe(200)
})

test('signing in again ends the previous session, even with a replaced secret', async () => {
  const { browser, person } = await personWithChangedRole(await switchyard.newOrganization())
  const before = browser.cookie()
  await browser.get('/session')

  const otherBrowser = switchyard.openBrowser()
  const { email, password } = person
  await otherBrowser.post('/session', { email, password }, { cookie: before })

  expect((await otherBrowser.get('/sessions')).body.data).toHaveLength(1)
  expect((await browser.get('/session')).status).toBe(401)
})

test('automatic token requests of a page do not keep a session active', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const requestToken = (is_active: boolean) =>
    browser.post('/session/token', { workspace_id: organization.live.workspaceId, is_active })

  switchyard.clock.advance({ minutes: 50 })
  const active = await requestToken(true)
  switchyard.clock.advance({ minutes: 50 })
  const automatic = await requestToken(false)
  switchyard.clock.advance({ minutes: 10 })
  const expired = await requestToken(true)

  expect([active.status, automatic.status, expired.status]).toEqual([200, 200, 401])
})

test('if live card numbers are accepted, a session ends after fifteen idle minutes', async () => {
  const organization = await vaultSwitchyard.newOrganization()
  const browser = await vaultSwitchyard.signIn(organization)
  const token = await browser.tokenFor(organization.live.workspaceId)
  expect(browser.session.idle_expires_at).toBe('2026-11-14T12:15:00.000Z')

  vaultSwitchyard.clock.advance({ minutes: 14 })
  const active = await browser.get('/session')
  vaultSwitchyard.clock.advance({ minutes: 15 })
  const after = await browser.get('/session')

  expect([active.status, after.status]).toEqual([200, 401])
  expect((await vaultSwitchyard.call('live', 'GET', '/me', undefined, { token })).status).toBe(401)
})
