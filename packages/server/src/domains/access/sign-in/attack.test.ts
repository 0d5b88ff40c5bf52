// Password guessing is rate limited, locked out and recorded, and the responses reveal nothing about the
// account.

import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { asOwner } from '../../../../test/support/owner.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { createLog } from '../../../platform/log.ts'
import { hashPassword } from '../people/password.ts'
import { counterKey } from './attempt-limits.ts'

const lines: string[] = []
const logDestination = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk))
    done()
  },
})
const switchyard = await switchyardForThisFile({
  // Each test uses its own client addresses, and sends them in the header that a proxy would set.
  environment: { TRUST_PROXY: 'true' },
  overrides: { log: createLog('debug', logDestination) },
})

let networks = 0
function browserOnNewNetwork() {
  networks += 1
  return switchyard.openBrowser(`192.0.2.${networks}`)
}

/** Sends wrong passwords as fast as the server accepts them, and returns the responses. */
async function guess(browser: ReturnType<typeof browserOnNewNetwork>, email: string, times: number) {
  const responses = []
  for (let nth = 0; nth < times; nth += 1) {
    const response = await browser.signIn(email, `guess ${nth}`)
    responses.push({
      status: response.status,
      code: response.body.code,
      wait: response.headers.get('retry-after'),
    })
    if (response.status === 429)
      switchyard.clock.advance({ seconds: Number(response.headers.get('retry-after')) })
  }
  return responses
}

test('after ten wrong passwords only their own network is locked out for half an hour, even with the correct password', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = browserOnNewNetwork()

  // Six of the sixteen are sent too early: starting with the fourth wrong password, each one causes a pause.
  const responses = await guess(browser, email, 16)
  const wrong = responses.filter(({ status }) => status === 401)
  const correct = await browser.signIn(email, password)
  const otherNetwork = await browserOnNewNetwork().signIn(email, password)

  expect(wrong).toHaveLength(10)
  expect(new Set(wrong.map(({ code }) => code))).toEqual(new Set(['sign_in_refused']))
  expect(responses.filter(({ status }) => status === 429).map(({ wait }) => wait)).toEqual([
    '1',
    '2',
    '4',
    '8',
    '16',
    '32',
  ])
  expect(correct).toMatchObject({ status: 429, body: { code: 'sign_in_locked' } })
  expect(correct.headers.get('retry-after')).toBe('1800')
  expect(otherNetwork.status).toBe(200)

  switchyard.clock.advance({ minutes: 30 })
  expect((await browser.signIn(email, password)).status).toBe(200)
})

test('guesses from many networks are slowed down, and do not lock out a browser that has signed in before', async () => {
  const { email, password } = await switchyard.newOrganization()
  const known = browserOnNewNetwork()
  await known.signIn(email, password)
  await known.delete('/session')
  // The count after one guess from each of 19 other networks.
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query('update control.sign_in_tries set wrong = 19 where key = $1', [counterKey('email', email)]),
  )
  const responses = []
  for (let nth = 0; nth < 4; nth += 1) {
    const { status, headers } = await browserOnNewNetwork().signIn(
      nth % 2 === 0 ? email : email.toUpperCase(),
      'guess',
    )
    responses.push({ status, wait: headers.get('retry-after') })
  }

  expect(responses.map(({ status }) => status)).toEqual([401, 401, 429, 429])
  expect(responses.at(-1)?.wait).toBe('1')
  expect((await browserOnNewNetwork().signIn(email, password)).status).toBe(429)
  expect((await known.signIn(email, password)).status).toBe(200)
})

test('guesses from many /64 networks of one /48 are counted together', async () => {
  const { email } = await switchyard.newOrganization()
  const statuses: number[] = []
  for (let nth = 0; nth < 5; nth += 1)
    statuses.push((await switchyard.openBrowser(`2001:db8:ffff:${nth}::1`).signIn(email, 'guess')).status)

  expect(statuses).toEqual([401, 401, 401, 401, 429])
})

test('a device cookie is valid for one person, and a new password invalidates it', async () => {
  const { email, password } = await switchyard.newOrganization()
  const other = await switchyard.newOrganization()
  const [known, attacker] = [browserOnNewNetwork(), browserOnNewNetwork()]
  await known.signIn(email, password)
  const cookie = known.deviceCookie()
  // After the fourth wrong password there is a pause.
  await guess(attacker, other.email, 4)
  await guess(attacker, email, 4)

  const signIn = (address: string, text: string) =>
    attacker.post('/session', { email: address, password: text }, { cookie })

  expect((await signIn(other.email, other.password)).status).toBe(429)
  expect((await signIn(email, password)).status).toBe(200)
  await known.put('/session/password', { current: password, password: 'a new password' })
  expect((await signIn(email, 'a new password')).status).toBe(429)
  expect((await known.signIn(email, 'a new password')).status).toBe(200)
})

test('guesses from a known device are limited per device', async () => {
  const { email, password } = await switchyard.newOrganization()
  const known = browserOnNewNetwork()
  await known.signIn(email, password)

  await guess(known, email, 4)

  expect(await known.signIn(email, password)).toMatchObject({ status: 429, body: { code: 'sign_in_locked' } })
  expect((await browserOnNewNetwork().signIn(email, password)).status).toBe(200)
})

test('a lockout is recorded in the audit log with the address of the client', async () => {
  const organization = await switchyard.newOrganization()
  const browser = browserOnNewNetwork()

  await guess(browser, organization.email, 16)

  const token = organization.live.token
  const entries = async () =>
    (await switchyard.call('live', 'GET', '/audit-entries', undefined, { token })).body.data
  await expect.poll(async () => (await entries())[0].act).toBe('person.sign_in_locked')
  expect((await entries())[0]).toMatchObject({
    object_id: expect.stringMatching(/^person_/),
    details: { address: `192.0.2.${networks}` },
  })
})

test('concurrent guesses are limited like sequential ones', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = browserOnNewNetwork()

  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, nth) => browser.signIn(email, nth === 29 ? password : `guess ${nth}`)),
  )

  const checked = responses.filter(({ status }) => status !== 429)
  expect(checked.length).toBeLessThanOrEqual(4)
})

test('an unknown email address gets the same responses, delays and lockout as a known one', async () => {
  const { email } = await switchyard.newOrganization()
  const unknownEmail = 'nobody@example.com'
  const withoutIds = ({ request_id: _, ...body }: Record<string, unknown>) => body

  const known = await browserOnNewNetwork().signIn(email, 'wrong')
  const unknown = await browserOnNewNetwork().signIn(unknownEmail, 'wrong')

  expect(unknown.status).toBe(known.status)
  expect(withoutIds(unknown.body)).toEqual(withoutIds(known.body))
  const [knownResponses, unknownResponses] = [
    await guess(browserOnNewNetwork(), email, 15),
    await guess(browserOnNewNetwork(), unknownEmail, 15),
  ]
  expect(unknownResponses).toEqual(knownResponses)
})

test('a sign-in with an unknown email address takes as much CPU time as with a known one', async () => {
  const { email, password } = await switchyard.newOrganization()
  // The passwords of other test persons are hashed with a lower cost.
  const passwordHash = await hashPassword(password)
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query('update control.people set password_hash = $1 where email = $2', [passwordHash, email]),
  )
  const browser = browserOnNewNetwork()
  const cpuTimeOf = async (address: string) => {
    const before = process.cpuUsage()
    await browser.signIn(address, 'wrong')
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await cpuTimeOf('warm-up@example.com')

  // Other work of this process can only add to a measurement, so the lowest of three is the most accurate.
  const known = Math.min(await cpuTimeOf(email), await cpuTimeOf(email), await cpuTimeOf(email))
  const invented = 'nobody-2@example.com'
  const unknown = Math.min(await cpuTimeOf(invented), await cpuTimeOf(invented), await cpuTimeOf(invented))

  // Hashing the password takes most of the time: without it the request would take a hundredth of the time.
  expect(unknown).toBeGreaterThan(known / 4)
  expect(unknown).toBeLessThan(known * 4)
})

test('a network that guesses passwords of many email addresses is blocked, and other networks are not', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = browserOnNewNetwork()

  // Each guess uses another email address, so that only the counter of the network can block it.
  const statuses: number[] = []
  for (let nth = 0; statuses.filter((status) => status === 401).length < 40 && nth < 80; nth += 1) {
    const response = await browser.signIn(`nobody-${nth}@invented.example`, 'wrong')
    statuses.push(response.status)
    if (response.status === 429)
      switchyard.clock.advance({ seconds: Number(response.headers.get('retry-after')) })
  }

  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401))
  expect(statuses.slice(30)).toContain(429)
  expect((await browserOnNewNetwork().signIn(email, password)).status).toBe(200)
})

test('a correct password resets the count of wrong ones', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = browserOnNewNetwork()
  await guess(browser, email, 3)

  expect((await browser.signIn(email, password)).status).toBe(200)

  expect((await guess(browser, email, 3)).map(({ status }) => status)).toEqual([401, 401, 401])
})

test('a deactivated person gets the same response as an unknown person', async () => {
  const organization = await switchyard.newOrganization()
  const browser = await switchyard.signIn(organization)
  const { token } = organization.live
  const invited = await switchyard.call(
    'live',
    'POST',
    '/invitations',
    { email: 'leaver@example.com', role: 'SUPPORT' },
    { token },
  )
  const secret = invited.body.url.split('#')[1]
  const leaver = browserOnNewNetwork()
  const { body } = await leaver.post('/invitations/accept', {
    secret,
    name: 'Leaver',
    password: 'a long password',
  })
  await switchyard.call('live', 'POST', `/people/${body.person.id}/deactivate`, {}, { token })

  const response = await browserOnNewNetwork().signIn('leaver@example.com', 'a long password')

  expect(response).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
  expect((await leaver.get('/session')).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
})

test('the server log, the request log and the audit log contain no secret', async () => {
  const organization = await switchyard.newOrganization()
  const browser = browserOnNewNetwork()
  await browser.signIn(organization.email, 'PLANTED-wrong-password')
  await browser.signIn(organization.email, organization.password)
  const session = (browser.cookie() ?? '').split('=')[1] as string
  const token = await browser.tokenFor(organization.live.workspaceId)
  const call = (method: string, path: string, body?: unknown) =>
    switchyard.call('live', method, path, body, { token })
  const invited = await call('POST', '/invitations', { email: 'planted@example.com', role: 'ADMIN' })
  const link = invited.body.url.split('#')[1]
  await browser.post('/invitations/look', { secret: link })
  await browser.put('/session/password', { current: organization.password, password: 'PLANTED-new-password' })
  await browser.post('/session/link', { secret: 'PLANTED-secret-of-a-link' })
  const { body: totp } = await browser.post('/session/totp')
  await switchyard.flushRequestLog()

  const storedRows = await asOwner(switchyard.databaseUrl, async (client) => {
    const tables = [
      'request_log',
      'audit_entries',
      'control.sessions',
      'control.people',
      'control.invitations',
    ]
    const texts: string[] = []
    for (const table of tables) {
      const { rows } = await client.query(`select row::text from ${table} as row`)
      texts.push(...rows.map(({ row }) => row))
    }
    return texts.join('\n')
  })
  const allText = `${lines.join('')}\n${storedRows}`

  expect(lines.length).toBeGreaterThan(5)
  for (const secret of [session, token, link, totp.secret, organization.password, 'PLANTED'])
    expect(allText.includes(secret), secret).toBe(false)
})
