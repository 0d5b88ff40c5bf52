import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import type { Organization } from '../../../test/support/dashboard.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { asOwner } from '../../platform/db/owner.ts'

const switchyard = await switchyardForThisFile()

/** What an authenticator shows now. */
function codeOf(secret: string): string {
  const reading = switchyard.clock.read()
  if (reading.from !== 'harness') throw new Error('The clock of a test is turned by hand.')
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: reading.at.getTime() })
}

/** Somebody who has an authenticator. The code that confirmed it is used up. */
async function withAuthenticator(organization: Organization) {
  const browser = await switchyard.signIn(organization)
  const { body: begun } = await browser.post('/session/totp')
  const { status, body } = await browser.post('/session/totp/confirm', { code: codeOf(begun.secret) })
  expect(status).toBe(200)
  switchyard.clock.advance({ seconds: 30 })
  return { browser, secret: begun.secret as string, recoveryCodes: body.recovery_codes as string[] }
}

test('an authenticator asks for nothing until a code of it was shown', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = await switchyard.signIn({ email, password })

  const { body } = await browser.post('/session/totp')
  const wrong = await browser.post('/session/totp/confirm', { code: '000000' })

  expect(body).toEqual({
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    uri: expect.stringContaining(`secret=${body.secret}`),
  })
  expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: '/code' }] } })
  expect((await switchyard.openBrowser().signIn(email, password)).status).toBe(200)
})

test('from then on the password alone is not enough, and what is missing is said', async () => {
  const organization = await switchyard.newOrganization()
  const { secret, recoveryCodes } = await withAuthenticator(organization)
  const { email, password } = organization
  const browser = switchyard.openBrowser()

  const without = await browser.signIn(email, password)
  const wrong = await browser.signIn(email, password, '000000')
  const right = await browser.signIn(email, password, codeOf(secret))

  expect(without).toMatchObject({ status: 401, body: { code: 'second_factor_required' } })
  expect(wrong).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
  expect(right).toMatchObject({ status: 200, body: { person: { totp_enabled: true } } })
  expect(recoveryCodes).toHaveLength(10)
  expect(new Set(recoveryCodes).size).toBe(10)
})

test('whoever has a wrong password is not told that there is a second factor', async () => {
  const organization = await switchyard.newOrganization()
  await withAuthenticator(organization)

  const answer = await switchyard.openBrowser().signIn(organization.email, 'wrong')

  expect(answer.body.code).toBe('sign_in_refused')
})

test('a code opens once, also a moment later and with the code before it', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await withAuthenticator(organization)
  const { email, password } = organization
  const before = codeOf(secret)
  switchyard.clock.advance({ seconds: 30 })
  const code = codeOf(secret)
  const signIn = (text: string) => switchyard.openBrowser().signIn(email, password, text)

  expect((await signIn(code)).status).toBe(200)
  expect((await signIn(code)).body.code).toBe('sign_in_refused')
  expect((await signIn(before)).body.code).toBe('sign_in_refused')
  switchyard.clock.advance({ seconds: 30 })
  expect((await signIn(codeOf(secret))).status).toBe(200)
})

test('the code that confirmed the authenticator opens nothing', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const { body } = await browser.post('/session/totp')
  const code = codeOf(body.secret)
  await browser.post('/session/totp/confirm', { code })

  const answer = await switchyard.openBrowser().signIn(organization.email, organization.password, code)

  expect(answer.body.code).toBe('sign_in_refused')
})

test('of two who show the same code at the same time one is let in', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await withAuthenticator(organization)
  const code = codeOf(secret)
  const signIn = () => switchyard.openBrowser().signIn(organization.email, organization.password, code)

  const answers = await Promise.all([signIn(), signIn(), signIn()])

  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
})

test('a recovery code opens once, however it is typed', async () => {
  const organization = await switchyard.newOrganization()
  const { recoveryCodes } = await withAuthenticator(organization)
  const [first = '', second = ''] = recoveryCodes
  const { email, password } = organization
  const signIn = (code: string) => switchyard.openBrowser().signIn(email, password, code)

  expect((await signIn(first.toUpperCase().replaceAll('-', ' '))).status).toBe(200)
  expect((await signIn(first)).status).toBe(401)
  const both = await Promise.all([signIn(second), signIn(second)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
})

test('guessing codes locks like guessing passwords', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await withAuthenticator(organization)
  const { email, password } = organization
  const browser = switchyard.openBrowser()
  let wrong = 0
  while (wrong < 10) {
    const answer = await browser.signIn(email, password, '000000')
    if (answer.status === 401) wrong += 1
    else switchyard.clock.advance({ seconds: Number(answer.headers.get('retry-after')) })
  }

  const right = await browser.signIn(email, password, codeOf(secret))

  expect(right).toMatchObject({ status: 429, body: { code: 'sign_in_locked' } })
})

test('asking for the second factor is no wrong try', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await withAuthenticator(organization)
  const { email, password } = organization
  const browser = switchyard.openBrowser()

  for (let nth = 0; nth < 12; nth += 1)
    expect((await browser.signIn(email, password)).body.code).toBe('second_factor_required')

  expect((await browser.signIn(email, password, codeOf(secret))).status).toBe(200)
})

test('it is taken away with the password alone, and its recovery codes with it', async () => {
  const organization = await switchyard.newOrganization()
  const { browser, recoveryCodes } = await withAuthenticator(organization)
  const { email, password } = organization

  const wrong = await browser.delete('/session/totp', { password: 'wrong' })
  const removed = await browser.delete('/session/totp', { password })

  expect([wrong.status, removed.status]).toEqual([401, 204])
  expect((await switchyard.openBrowser().signIn(email, password)).status).toBe(200)
  const { body } = await browser.post('/session/totp')
  await browser.post('/session/totp/confirm', { code: codeOf(body.secret) })
  const [old] = recoveryCodes
  expect((await switchyard.openBrowser().signIn(email, password, old)).status).toBe(401)
})

test('there is one second factor, and it is not replaced by whoever finds an open browser', async () => {
  const organization = await switchyard.newOrganization()
  const { browser } = await withAuthenticator(organization)

  expect(await browser.post('/session/totp')).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  expect(await browser.post('/session/totp/confirm', { code: '123456' })).toMatchObject({ status: 409 })
})

test('the secret lies sealed in the database, and codes as hashes', async () => {
  const organization = await switchyard.newOrganization()
  const { secret, recoveryCodes } = await withAuthenticator(organization)

  const kept = await asOwner(switchyard.databaseUrl, async (client) => {
    const people = await client.query('select row::text from control.people as row')
    const codes = await client.query('select row::text from control.recovery_codes as row')
    return [...people.rows, ...codes.rows].map(({ row }) => row).join('\n')
  })

  const inHex = (text: string) => Buffer.from(text).toString('hex')
  for (const text of [secret, ...recoveryCodes]) {
    expect(kept).not.toContain(text)
    expect(kept).not.toContain(inHex(text))
  }
})
