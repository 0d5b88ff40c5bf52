// Guessing: it is slowed, locked and told, and teaches nothing.

import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { createLog } from '../../platform/log.ts'

const lines: string[] = []
const collect = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk))
    done()
  },
})
const switchyard = await switchyardForThisFile({
  // Each test comes from an address of its own.
  environment: { TRUST_PROXY: 'true' },
  overrides: { log: createLog('debug', collect) },
})

let networks = 0
function aStranger() {
  networks += 1
  return switchyard.openBrowser(`192.0.2.${networks}`)
}

/** Guesses as fast as it is let in, and tells how it was answered. */
async function guess(browser: ReturnType<typeof aStranger>, email: string, times: number) {
  const answers = []
  for (let nth = 0; nth < times; nth += 1) {
    const answer = await browser.signIn(email, `guess ${nth}`)
    answers.push({ status: answer.status, code: answer.body.code, wait: answer.headers.get('retry-after') })
    if (answer.status === 429)
      switchyard.clock.advance({ seconds: Number(answer.headers.get('retry-after')) })
  }
  return answers
}

test('ten wrong passwords take ever longer, then nobody signs in for half an hour, with the right one neither', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = aStranger()

  // Six of them come too early: the fourth wrong one and those after it make the next wait.
  const answers = await guess(browser, email, 16)
  const wrong = answers.filter(({ status }) => status === 401)
  const right = await browser.signIn(email, password)
  const elsewhere = await aStranger().signIn(email, password)

  expect(wrong).toHaveLength(10)
  expect(new Set(wrong.map(({ code }) => code))).toEqual(new Set(['sign_in_refused']))
  expect(answers.filter(({ status }) => status === 429).map(({ wait }) => wait)).toEqual([
    ...['1', '2', '4', '8', '16', '32'],
  ])
  expect(right).toMatchObject({ status: 429, body: { code: 'sign_in_locked' } })
  expect(right.headers.get('retry-after')).toBe('1800')
  expect(elsewhere.status).toBe(429)

  switchyard.clock.advance({ minutes: 30 })
  expect((await browser.signIn(email, password)).status).toBe(200)
})

test('a lock is told in the audit log, with where it came from', async () => {
  const organization = await switchyard.newOrganization()
  const browser = aStranger()

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

test('many guesses at once are not more than one after another', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = aStranger()

  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, nth) => browser.signIn(email, nth === 29 ? password : `guess ${nth}`)),
  )

  const judged = answers.filter(({ status }) => status !== 429)
  expect(judged.length).toBeLessThanOrEqual(4)
})

test('an address that nobody has is answered, slowed and locked like any other', async () => {
  const { email } = await switchyard.newOrganization()
  const nobody = 'nobody@example.com'
  const withoutIds = ({ request_id: _, ...body }: Record<string, unknown>) => body

  const known = await aStranger().signIn(email, 'wrong')
  const unknown = await aStranger().signIn(nobody, 'wrong')

  expect(unknown.status).toBe(known.status)
  expect(withoutIds(unknown.body)).toEqual(withoutIds(known.body))
  const [ofKnown, ofUnknown] = [await guess(aStranger(), email, 15), await guess(aStranger(), nobody, 15)]
  expect(ofUnknown).toEqual(ofKnown)
})

test('an address that nobody has costs the same work', async () => {
  const { email } = await switchyard.newOrganization()
  const browser = aStranger()
  const cpuOf = async (address: string) => {
    const before = process.cpuUsage()
    await browser.signIn(address, 'wrong')
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await cpuOf('warm-up@example.com')

  const known = await cpuOf(email)
  const unknown = await cpuOf('nobody-2@example.com')

  // Hashing a password is most of it. Without it a hundredth would be left.
  expect(unknown).toBeGreaterThan(known / 4)
  expect(unknown).toBeLessThan(known * 4)
})

test('one network that guesses at many addresses is stopped, and others are not', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = aStranger()

  // The first hundred are spread over addresses that nobody has, so that none of them is locked.
  const statuses: number[] = []
  for (let nth = 0; statuses.filter((status) => status === 401).length < 40 && nth < 80; nth += 1) {
    const answer = await browser.signIn(`nobody-${nth}@invented.example`, 'wrong')
    statuses.push(answer.status)
    if (answer.status === 429)
      switchyard.clock.advance({ seconds: Number(answer.headers.get('retry-after')) })
  }

  expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401))
  expect(statuses.slice(30)).toContain(429)
  expect((await aStranger().signIn(email, password)).status).toBe(200)
})

test('a right password forgives the wrong ones before', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = aStranger()
  await guess(browser, email, 3)

  expect((await browser.signIn(email, password)).status).toBe(200)

  expect((await guess(browser, email, 3)).map(({ status }) => status)).toEqual([401, 401, 401])
})

test('whoever is deactivated is answered like somebody unknown', async () => {
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
  const leaver = aStranger()
  const { body } = await leaver.post('/invitations/accept', {
    secret,
    name: 'Leaver',
    password: 'a long password',
  })
  await switchyard.call('live', 'POST', `/people/${body.person.id}/deactivate`, {}, { token })

  const answer = await aStranger().signIn('leaver@example.com', 'a long password')

  expect(answer).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
  expect((await leaver.get('/session')).status).toBe(401)
  expect((await browser.get('/session')).status).toBe(200)
})

test('no secret of anybody is in a log, in the log of calls, or in the audit log', async () => {
  const organization = await switchyard.newOrganization()
  const browser = aStranger()
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

  const kept = await asOwner(switchyard.databaseUrl, async (client) => {
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
  const seen = `${lines.join('')}\n${kept}`

  expect(lines.length).toBeGreaterThan(5)
  for (const secret of [session, token, link, totp.secret, organization.password, 'PLANTED'])
    expect(seen.includes(secret), secret).toBe(false)
})
