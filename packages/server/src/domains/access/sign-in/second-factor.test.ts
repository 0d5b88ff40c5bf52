import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import type { Organization } from '../../../../test/support/dashboard.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

/** The current code of an authenticator. */
function currentCode(secret: string): string {
  const reading = switchyard.clock.read()
  if (reading.from !== 'harness') throw new Error('Tests use a clock that they advance themselves.')
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: reading.at.getTime() })
}

/** Confirms an authenticator, and advances the clock, because the confirmation code cannot be used again. */
async function withAuthenticator(organization: Organization) {
  const browser = await switchyard.signIn(organization)
  const { body: started } = await browser.post('/session/totp')
  const { status, body } = await browser.post('/session/totp/confirm', { code: currentCode(started.secret) })
  expect(status).toBe(200)
  switchyard.clock.advance({ seconds: 30 })
  return { browser, secret: started.secret as string, recoveryCodes: body.recovery_codes as string[] }
}

test('an authenticator has no effect until a code confirms it', async () => {
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

test('with a confirmed authenticator signing in requires a code', async () => {
  const organization = await switchyard.newOrganization()
  const { secret, recoveryCodes } = await withAuthenticator(organization)
  const { email, password } = organization
  const browser = switchyard.openBrowser()

  const withoutCode = await browser.signIn(email, password)
  const wrongCode = await browser.signIn(email, password, '000000')
  const correct = await browser.signIn(email, password, currentCode(secret))

  expect(withoutCode).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
  expect(wrongCode).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
  expect(correct).toMatchObject({ status: 200, body: { person: { totp_enabled: true } } })
  expect(recoveryCodes).toHaveLength(10)
  expect(new Set(recoveryCodes).size).toBe(10)
})

test('without the code neither the response nor the attempt count reveals whether a password is correct', async () => {
  const organization = await switchyard.newOrganization()
  await withAuthenticator(organization)
  const { email, password } = organization
  const responsesTo = async (text: string) => {
    const browser = switchyard.openBrowser()
    const responses = []
    for (let nth = 0; nth < 5; nth += 1) {
      const { status, body, headers } = await browser.signIn(email, text)
      responses.push({ status, code: body.code, detail: body.detail, wait: headers.get('retry-after') })
    }
    switchyard.clock.advance({ minutes: 30 })
    return responses
  }

  expect(await responsesTo(password)).toEqual(await responsesTo('wrong'))
})

test('a browser that has signed in before gets second_factor_required with any password', async () => {
  const organization = await switchyard.newOrganization()
  const { browser, secret } = await withAuthenticator(organization)
  const { email, password } = organization

  for (let nth = 0; nth < 12; nth += 1)
    expect((await browser.signIn(email, nth % 2 === 0 ? password : 'wrong')).body.code).toBe(
      'second_factor_required',
    )

  expect((await browser.signIn(email, password, currentCode(secret))).status).toBe(200)
})

test('a code works once, and older codes are rejected afterwards', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await withAuthenticator(organization)
  const { email, password } = organization
  const before = currentCode(secret)
  switchyard.clock.advance({ seconds: 30 })
  const code = currentCode(secret)
  const signIn = (text: string) => switchyard.openBrowser().signIn(email, password, text)

  expect((await signIn(code)).status).toBe(200)
  expect((await signIn(code)).body.code).toBe('sign_in_refused')
  expect((await signIn(before)).body.code).toBe('sign_in_refused')
  switchyard.clock.advance({ seconds: 30 })
  expect((await signIn(currentCode(secret))).status).toBe(200)
})

test('the code that confirmed the authenticator cannot be used to sign in', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const { body } = await browser.post('/session/totp')
  const code = currentCode(body.secret)
  await browser.post('/session/totp/confirm', { code })

  const response = await switchyard.openBrowser().signIn(organization.email, organization.password, code)

  expect(response.body.code).toBe('sign_in_refused')
})

test('only one of several concurrent sign-ins with the same code succeeds', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await withAuthenticator(organization)
  const code = currentCode(secret)
  const signIn = () => switchyard.openBrowser().signIn(organization.email, organization.password, code)

  const responses = await Promise.all([signIn(), signIn(), signIn()])

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
})

test('a recovery code works once, regardless of how it is typed', async () => {
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

test('wrong codes cause a lockout like wrong passwords', async () => {
  const organization = await switchyard.newOrganization()
  const { secret } = await withAuthenticator(organization)
  const { email, password } = organization
  const browser = switchyard.openBrowser()
  let wrong = 0
  while (wrong < 10) {
    const response = await browser.signIn(email, password, '000000')
    if (response.status === 401) wrong += 1
    else switchyard.clock.advance({ seconds: Number(response.headers.get('retry-after')) })
  }

  const correct = await browser.signIn(email, password, currentCode(secret))

  expect(correct).toMatchObject({ status: 429, body: { code: 'sign_in_locked' } })
})

test('removing the second factor requires the password, and removes the recovery codes', async () => {
  const organization = await switchyard.newOrganization()
  const { browser, recoveryCodes } = await withAuthenticator(organization)
  const { email, password } = organization

  const wrong = await browser.delete('/session/totp', { password: 'wrong' })
  const removed = await browser.delete('/session/totp', { password })

  expect([wrong.status, removed.status]).toEqual([401, 204])
  expect((await switchyard.openBrowser().signIn(email, password)).status).toBe(200)
  const { body } = await browser.post('/session/totp')
  await browser.post('/session/totp/confirm', { code: currentCode(body.secret) })
  const [old] = recoveryCodes
  expect((await switchyard.openBrowser().signIn(email, password, old)).status).toBe(401)
})

test('an existing second factor cannot be replaced without removing it first', async () => {
  const organization = await switchyard.newOrganization()
  const { browser } = await withAuthenticator(organization)

  expect(await browser.post('/session/totp')).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  expect(await browser.post('/session/totp/confirm', { code: '123456' })).toMatchObject({ status: 409 })
})

test('the database stores the secret encrypted, and recovery codes as hashes', async () => {
  const organization = await switchyard.newOrganization()
  const { secret, recoveryCodes } = await withAuthenticator(organization)

  const storedRows = await asOwner(switchyard.databaseUrl, async (client) => {
    const people = await client.query('select row::text from control.people as row')
    const codes = await client.query('select row::text from control.recovery_codes as row')
    return [...people.rows, ...codes.rows].map(({ row }) => row).join('\n')
  })

  const inHex = (text: string) => Buffer.from(text).toString('hex')
  for (const text of [secret, ...recoveryCodes]) {
    expect(storedRows).not.toContain(text)
    expect(storedRows).not.toContain(inHex(text))
  }
})
