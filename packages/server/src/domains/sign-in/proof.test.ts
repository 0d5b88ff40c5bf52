// What opens the account later is changed by whoever has just proven who they are, and not by an open browser.

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Organization } from '../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { idFromUuid } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'

const switchyard = await switchyardForThisFile()

/** A passkey as if a device had made it. */
async function aPasskey({ email }: { readonly email: string }): Promise<string> {
  const id = randomUUID()
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into control.passkeys (id, person_id, name, credential_id, public_key, counter, transports, created_at)
       select $1, id, 'Laptop', $2, '', 0, '{}', now() from control.people where email = $3`,
      [id, id, email],
    ),
  )
  return idFromUuid('passkey', 'live', id)
}

/** A session that was begun five minutes ago. */
async function anOpenBrowser(organization: Organization) {
  const browser = await switchyard.signIn(organization)
  switchyard.clock.advance({ minutes: 5 })
  return browser
}

type Browser = Awaited<ReturnType<typeof anOpenBrowser>>

test.each([
  ['adding a passkey', (browser: Browser, proof: object) => browser.post('/session/passkeys/options', proof)],
  ['setting up an authenticator', (browser: Browser, proof: object) => browser.post('/session/totp', proof)],
  [
    'removing a passkey',
    async (browser: Browser, proof: object) =>
      browser.delete(`/session/passkeys/${await aPasskey(browser.session.person)}`, proof),
  ],
])('%s takes the password, or a session that has just begun', async (_, act) => {
  const organization = await switchyard.newOrganization()
  const { password } = organization
  const open = await anOpenBrowser(organization)

  expect(await act(open, {})).toMatchObject({ status: 403, body: { code: 'fresh_proof_required' } })
  expect(await act(open, { password: 'wrong' })).toMatchObject({
    status: 401,
    body: { code: 'sign_in_refused' },
  })
  expect([200, 204]).toContain((await act(open, { password })).status)
  const fresh = await switchyard.signIn(organization)
  switchyard.clock.advance({ minutes: 4, seconds: 59 })
  expect([200, 204]).toContain((await act(fresh, {})).status)
})

test('without a body a passkey is removed like with an empty one', async () => {
  const organization = await switchyard.newOrganization()
  const id = await aPasskey(organization)
  const browser = await switchyard.signIn(organization)

  expect((await browser.delete(`/session/passkeys/${id}`)).status).toBe(204)
})

test('guessing the password there is slowed and locked like at the door', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await anOpenBrowser(organization)
  const guess = () => browser.post('/session/totp', { password: 'wrong' })

  const answers = [await guess(), await guess(), await guess(), await guess(), await guess()]

  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429])
  expect((await switchyard.openBrowser().signIn(organization.email, organization.password)).status).toBe(429)
})

test('a challenge that was left open is answered by nobody after five minutes', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())
  await browser.post('/session/passkeys/options')
  switchyard.clock.advance({ minutes: 5 })

  const late = await browser.post('/session/passkeys', { name: 'Laptop', credential: { id: 'x' } })

  expect(late).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
})

test('a new password takes the passkeys away, and writes down each of them', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password: current, live } = organization
  const ids = [await aPasskey({ email }), await aPasskey({ email })]
  const browser = await switchyard.signIn(organization)
  expect(browser.session.person.passkeys).toHaveLength(2)

  await browser.put('/session/password', { current, password: 'a new password' })

  expect((await browser.get('/session')).body.person.passkeys).toEqual([])
  const { body } = await switchyard.call('live', 'GET', '/audit-entries?limit=3', undefined, {
    token: live.token,
  })
  const [changed, ...removed] = body.data
  expect(changed.act).toBe('person.password_changed')
  expect(removed.map(({ details }: { details: object }) => details)).toEqual(
    expect.arrayContaining(ids.map((id) => ({ passkey_id: id }))),
  )
})

test('an ADMIN who signs somebody out leaves their passkeys, unless asked to remove them', async () => {
  const organization = await switchyard.newOrganization()
  const { email, live } = organization
  const browser = await switchyard.signIn(organization)
  await aPasskey({ email })
  const signOut = async (body?: object) => {
    const path = `/people/${browser.session.person.id}/sign_out`
    const { status } = await switchyard.call('live', 'POST', path, body, { token: live.token })
    return { status, passkeys: (await switchyard.signIn(organization)).session.person.passkeys.length }
  }

  expect(await signOut()).toEqual({ status: 200, passkeys: 1 })
  expect(await signOut({ remove_passkeys: false })).toEqual({ status: 200, passkeys: 1 })
  expect(await signOut({ remove_passkeys: true })).toEqual({ status: 200, passkeys: 0 })
})
