// Changing credentials requires the password or a new session, so that an unattended browser is not enough.

import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Organization } from '../../../../test/support/dashboard.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { idFromUuid } from '../../../kernel/id.ts'

const switchyard = await switchyardForThisFile()

/** Inserts a passkey as if a device had created it. */
async function insertPasskey({ email }: { readonly email: string }): Promise<string> {
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

/** A browser that signed in five minutes ago. */
async function oldSession(organization: Organization) {
  const browser = await switchyard.signIn(organization)
  switchyard.clock.advance({ minutes: 5 })
  return browser
}

type Browser = Awaited<ReturnType<typeof oldSession>>

test.each([
  ['adding a passkey', (browser: Browser, proof: object) => browser.post('/session/passkeys/options', proof)],
  ['setting up an authenticator', (browser: Browser, proof: object) => browser.post('/session/totp', proof)],
  [
    'removing a passkey',
    async (browser: Browser, proof: object) =>
      browser.delete(`/session/passkeys/${await insertPasskey(browser.session.person)}`, proof),
  ],
])('%s requires the password, or a session that is less than five minutes old', async (_, send) => {
  const organization = await switchyard.newOrganization()
  const { password } = organization
  const old = await oldSession(organization)

  expect(await send(old, {})).toMatchObject({ status: 403, body: { code: 'fresh_proof_required' } })
  expect(await send(old, { password: 'wrong' })).toMatchObject({
    status: 401,
    body: { code: 'sign_in_refused' },
  })
  expect([200, 204]).toContain((await send(old, { password })).status)
  const fresh = await switchyard.signIn(organization)
  switchyard.clock.advance({ minutes: 4, seconds: 59 })
  expect([200, 204]).toContain((await send(fresh, {})).status)
})

test('the request to remove a passkey needs no body if the session is new', async () => {
  const organization = await switchyard.newOrganization()
  const id = await insertPasskey(organization)
  const browser = await switchyard.signIn(organization)

  expect((await browser.delete(`/session/passkeys/${id}`)).status).toBe(204)
})

test('wrong passwords in a session are rate limited, and do not affect signing in from another browser', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await oldSession(organization)
  const guess = () => browser.post('/session/totp', { password: 'wrong' })

  const responses = [await guess(), await guess(), await guess(), await guess(), await guess()]

  expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429])
  expect((await switchyard.openBrowser().signIn(organization.email, organization.password)).status).toBe(200)
})

test('a passkey challenge expires after five minutes', async () => {
  const browser = await switchyard.signIn(await switchyard.newOrganization())
  await browser.post('/session/passkeys/options')
  switchyard.clock.advance({ minutes: 5 })

  const response = await browser.post('/session/passkeys', { name: 'Laptop', credential: { id: 'x' } })

  expect(response).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
})

test('a new password removes the passkeys, and records each removal in the audit log', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password: current, live } = organization
  const ids = [await insertPasskey({ email }), await insertPasskey({ email })]
  const browser = await switchyard.signIn(organization)
  expect(browser.session.person.passkeys).toHaveLength(2)

  await browser.put('/session/password', { current, password: 'a new password' })

  expect((await browser.get('/session')).body.person.passkeys).toEqual([])
  const { body } = await switchyard.call('live', 'GET', '/audit-entries?limit=3', undefined, {
    token: live.token,
  })
  const [passwordEntry, ...passkeyEntries] = body.data
  expect(passwordEntry.act).toBe('person.password_changed')
  expect(passkeyEntries.map(({ details }: { details: object }) => details)).toEqual(
    expect.arrayContaining(ids.map((id) => ({ passkey_id: id }))),
  )
})

test('signing a person out keeps their passkeys, unless the ADMIN requests their removal', async () => {
  const organization = await switchyard.newOrganization()
  const { email, live } = organization
  const browser = await switchyard.signIn(organization)
  await insertPasskey({ email })
  const signOut = async (body?: object) => {
    const path = `/people/${browser.session.person.id}/sign_out`
    const { status } = await switchyard.call('live', 'POST', path, body, { token: live.token })
    return { status, passkeys: (await switchyard.signIn(organization)).session.person.passkeys.length }
  }

  expect(await signOut()).toEqual({ status: 200, passkeys: 1 })
  expect(await signOut({ remove_passkeys: false })).toEqual({ status: 200, passkeys: 1 })
  expect(await signOut({ remove_passkeys: true })).toEqual({ status: 200, passkeys: 0 })
})
