// Concurrent requests. Each test locks the row of the person until all requests wait for it, so that they
// actually overlap. PostgreSQL then grants the lock in the order in which the requests started to wait.

import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import type { ApiResponse } from '../../../../test/support/switchyard.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const switchyard = await switchyardForThisFile()

/** Starts the requests in order, each once the previous one waits for the row, and then releases the row. */
function race(email: string, requests: readonly (() => Promise<ApiResponse>)[]): Promise<ApiResponse[]> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query('select 1 from control.people where email = $1 for update', [email])
    const running: Promise<ApiResponse>[] = []
    for (const start of requests) {
      running.push(start())
      await expect.poll(countWaitingForLock, { timeout: 4_000, interval: 10 }).toBe(running.length)
    }
    await client.query('commit')
    return Promise.all(running)
  })
}

function countWaitingForLock(): Promise<number> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].count
  })
}

/** The current code of an authenticator. */
function currentCode(secret: string): string {
  const reading = switchyard.clock.read()
  if (reading.from !== 'harness') throw new Error('Tests use a clock that they advance themselves.')
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: reading.at.getTime() })
}

test('signing in with the old password while it is being changed creates no valid session', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password } = organization
  const owner = await switchyard.signIn(organization)
  const attackers = [switchyard.openBrowser(), switchyard.openBrowser(), switchyard.openBrowser()]

  const [changed, ...signIns] = await race(email, [
    () => owner.put('/session/password', { current: password, password: 'a new password' }),
    ...attackers.map((attacker) => () => attacker.signIn(email, password)),
  ])

  expect(changed?.status).toBe(204)
  expect(signIns.map(({ status }) => status)).toEqual([401, 401, 401])
  expect((await owner.get('/sessions')).body.data).toHaveLength(1)
  expect((await owner.signIn(email, 'a new password')).status).toBe(200)
})

test('the first of two concurrent password changes succeeds, and only its session remains', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password: current } = organization
  const [first, second] = [await switchyard.signIn(organization), await switchyard.signIn(organization)]

  const responses = await race(email, [
    () => first.put('/session/password', { current, password: 'the first password' }),
    () => second.put('/session/password', { current, password: 'the second password' }),
  ])

  expect(responses).toMatchObject([{ status: 204 }, { status: 401, body: { code: 'sign_in_refused' } }])
  expect([(await first.get('/session')).status, (await second.get('/session')).status]).toEqual([200, 401])
  expect((await switchyard.openBrowser().signIn(email, 'the first password')).status).toBe(200)
})

test('a sign-in with only the password fails if an authenticator is confirmed concurrently', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password } = organization
  const owner = await switchyard.signIn(organization)
  const { body } = await owner.post('/session/totp')

  const [confirmed, signIn] = await race(email, [
    () => owner.post('/session/totp/confirm', { code: currentCode(body.secret) }),
    () => switchyard.openBrowser().signIn(email, password),
  ])

  expect([confirmed?.status, signIn?.status]).toEqual([200, 401])
})

test('a new authenticator secret cannot replace one that is confirmed concurrently', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password } = organization
  const browser = await switchyard.signIn(organization)
  const { body } = await browser.post('/session/totp')

  const [confirmed, started] = await race(email, [
    () => browser.post('/session/totp/confirm', { code: currentCode(body.secret) }),
    () => browser.post('/session/totp'),
  ])

  expect(confirmed?.status).toBe(200)
  expect(started).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  switchyard.clock.advance({ seconds: 30 })
  const correct = await switchyard.openBrowser().signIn(email, password, currentCode(body.secret))
  expect(correct.status).toBe(200)
})

test('a code does not confirm another authenticator secret that was issued concurrently', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const { body } = await browser.post('/session/totp')

  const [started, confirmed] = await race(organization.email, [
    () => browser.post('/session/totp'),
    () => browser.post('/session/totp/confirm', { code: currentCode(body.secret) }),
  ])

  expect(started?.status).toBe(200)
  expect(confirmed).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  expect((await browser.get('/session')).body.person.totp_enabled).toBe(false)
})

test('a session that is ended by a concurrent password change cannot confirm an authenticator', async () => {
  const organization = await switchyard.newOrganization()
  const { email, password: current } = organization
  const [owner, attacker] = [await switchyard.signIn(organization), await switchyard.signIn(organization)]
  const { body } = await attacker.post('/session/totp')

  const responses = await race(email, [
    () => owner.put('/session/password', { current, password: 'a new password' }),
    () => attacker.post('/session/totp/confirm', { code: currentCode(body.secret) }),
  ])

  expect(responses.map(({ status }) => status)).toEqual([204, 401])
  expect((await owner.get('/session')).body.person.totp_enabled).toBe(false)
})
