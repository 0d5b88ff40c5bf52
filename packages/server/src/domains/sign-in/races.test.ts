// What meets at the same moment. The row of the person is held from outside until all who race stand before it, so that
// they really do; they are let go in the order in which they came.

import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import type { Answer } from '../../../test/support/switchyard.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { asOwner } from '../../platform/db/owner.ts'

const switchyard = await switchyardForThisFile()

/** Starts one after the other, each when the one before waits for the person, and then lets them go. */
function race(email: string, racers: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select 1 from control.people where email = $1 for update', [email])
    const running: Promise<Answer>[] = []
    for (const start of racers) {
      running.push(start())
      await expect.poll(waiting, { timeout: 4_000, interval: 10 }).toBe(running.length)
    }
    await client.query('commit')
    return Promise.all(running)
  })
}

function waiting(): Promise<number> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].count
  })
}

/** What an authenticator shows now. */
function codeOf(secret: string): string {
  const reading = switchyard.clock.read()
  if (reading.from !== 'harness') throw new Error('The clock of a test is turned by hand.')
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: reading.at.getTime() })
}

test('whoever signs in with the old password while it is changed is not in', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password } = organization
  const owner = await switchyard.signIn(organization)
  const thieves = [switchyard.openBrowser(), switchyard.openBrowser(), switchyard.openBrowser()]

  const [changed, ...entered] = await race(email, [
    () => owner.put('/session/password', { current: password, password: 'a new password' }),
    ...thieves.map((thief) => () => thief.signIn(email, password)),
  ])

  expect(changed?.status).toBe(204)
  expect(entered.map(({ status }) => status)).toEqual([401, 401, 401])
  expect((await owner.get('/sessions')).body.data).toHaveLength(1)
  expect((await owner.signIn(email, 'a new password')).status).toBe(200)
})

test('of two new passwords that were chosen at once the first holds, and its session alone', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password: current } = organization
  const [first, second] = [await switchyard.signIn(organization), await switchyard.signIn(organization)]

  const answers = await race(email, [
    () => first.put('/session/password', { current, password: 'the first password' }),
    () => second.put('/session/password', { current, password: 'the second password' }),
  ])

  expect(answers).toMatchObject([{ status: 204 }, { status: 401, body: { code: 'sign_in_refused' } }])
  expect([(await first.get('/session')).status, (await second.get('/session')).status]).toEqual([200, 401])
  expect((await switchyard.openBrowser().signIn(email, 'the first password')).status).toBe(200)
})

test('whoever has proven the password alone is not in once an authenticator is confirmed', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password } = organization
  const owner = await switchyard.signIn(organization)
  const { body } = await owner.post('/session/totp')

  const [confirmed, entered] = await race(email, [
    () => owner.post('/session/totp/confirm', { code: codeOf(body.secret) }),
    () => switchyard.openBrowser().signIn(email, password),
  ])

  expect([confirmed?.status, entered?.status]).toEqual([200, 401])
})

test('a secret that is handed out while another is confirmed does not take its place', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password } = organization
  const browser = await switchyard.signIn(organization)
  const { body } = await browser.post('/session/totp')

  const [confirmed, begun] = await race(email, [
    () => browser.post('/session/totp/confirm', { code: codeOf(body.secret) }),
    () => browser.post('/session/totp'),
  ])

  expect(confirmed?.status).toBe(200)
  expect(begun).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  switchyard.clock.advance({ seconds: 30 })
  const right = await switchyard.openBrowser().signIn(email, password, codeOf(body.secret))
  expect(right.status).toBe(200)
})

test('a code confirms the secret that it is of, and not one that was handed out meanwhile', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const { body } = await browser.post('/session/totp')

  const [begun, confirmed] = await race(organization.email, [
    () => browser.post('/session/totp'),
    () => browser.post('/session/totp/confirm', { code: codeOf(body.secret) }),
  ])

  expect(begun?.status).toBe(200)
  expect(confirmed).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  expect((await browser.get('/session')).body.person.totp_enabled).toBe(false)
})

test('an authenticator is not confirmed by a session that a new password has just ended', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password: current } = organization
  const [owner, thief] = [await switchyard.signIn(organization), await switchyard.signIn(organization)]
  const { body } = await thief.post('/session/totp')

  const answers = await race(email, [
    () => owner.put('/session/password', { current, password: 'a new password' }),
    () => thief.post('/session/totp/confirm', { code: codeOf(body.secret) }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([204, 401])
  expect((await owner.get('/session')).body.person.totp_enabled).toBe(false)
})
