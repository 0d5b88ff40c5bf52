// When a browser gets another secret, what the one before is worth, and when nobody is there any more.

import { expect, test } from 'vitest'
import { makePerson, type Organization } from '../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const withCards = await switchyardForThisFile({ environment: { VAULT_LIVE: 'true' } })

/** Somebody who was signed in when their role was changed. Their browser has not heard of it yet. */
async function whoseRoleChanged({ organizationId, live }: Organization) {
  const place = { organizationId, workspaceId: live.workspaceId }
  const person = await makePerson(switchyard.deps, place, { role: 'SUPPORT' })
  const browser = await switchyard.signIn(person)
  const path = `/people/${person.id}`
  await switchyard.call('live', 'PUT', path, { role: 'DEVELOPER' }, { token: live.token })
  return { browser, person }
}

test('a new password brings a new secret, and a copy of the one before opens nothing', async () => {
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
  ])
  expect((await browser.get('/session')).status).toBe(200)
  expect(browser.cookie()).not.toBe(copy)
  expect((await browser.get('/session', { cookie: copy })).status).toBe(401)
})

test('a new role brings a new secret also with an answer that refuses', async () => {
  const { browser } = await whoseRoleChanged(await switchyard.newOrganization())
  const before = browser.cookie()

  const refused = await browser.post('/session/totp/confirm', { code: '000000' })

  expect([refused.status, refused.headers.getSetCookie().length]).toEqual([409, 1])
  expect(browser.cookie()).not.toBe(before)
  switchyard.clock.advance({ seconds: 30 })
  expect((await browser.get('/session')).status).toBe(200)
})

test('whoever signs in again ends the session before, also by a secret that was replaced', async () => {
  const { browser, person } = await whoseRoleChanged(await switchyard.newOrganization())
  const before = browser.cookie()
  await browser.get('/session')

  const again = switchyard.openBrowser()
  const { email, password } = person
  await again.post('/session', { email, password }, { cookie: before })

  expect((await again.get('/sessions')).body.data).toHaveLength(1)
  expect((await browser.get('/session')).status).toBe(401)
})

test('a page that asks for tokens by itself does not keep a session from being idle', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const ask = (is_active: boolean) =>
    browser.post('/session/token', { workspace_id: organization.live.workspaceId, is_active })

  switchyard.clock.advance({ minutes: 50 })
  const busy = await ask(true)
  switchyard.clock.advance({ minutes: 50 })
  const idle = await ask(false)
  switchyard.clock.advance({ minutes: 10 })
  const over = await ask(true)

  expect([busy.status, idle.status, over.status]).toEqual([200, 200, 401])
})

test('where production takes card numbers a session is over after fifteen minutes without a visit', async () => {
  const organization = await withCards.newOrganization()
  const browser = await withCards.signIn(organization)
  const token = await browser.tokenFor(organization.live.workspaceId)
  expect(browser.session.idle_expires_at).toBe('2026-11-14T12:15:00.000Z')

  withCards.clock.advance({ minutes: 14 })
  const visited = await browser.get('/session')
  withCards.clock.advance({ minutes: 15 })
  const after = await browser.get('/session')

  expect([visited.status, after.status]).toEqual([200, 401])
  expect((await withCards.call('live', 'GET', '/me', undefined, { token })).status).toBe(401)
})
