// Passkeys as browsers make them: a Chromium with a device that says yes, at the real doors.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../../../../scripts/services/chromium.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { type Organization, openBrowser } from '../support/dashboard.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const chromium = await startChromium()
afterAll(() => chromium.close())

let organization: Organization
let page: Page

beforeAll(async () => {
  organization = await switchyard.newOrganization()
  page = await atTheDashboard()
})

/** A page of the dashboard's origin, in a browser of its own with a device in it. */
async function atTheDashboard(): Promise<Page> {
  const context = await chromium.newContext()
  const opened = await context.newPage()
  const devtools = await context.newCDPSession(opened)
  await devtools.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const device = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...device } })
  // Whatever is there: a page is needed for its origin, and none has to be built for that.
  await opened.goto(`${switchyard.dashboardUrl}/session`)
  return opened
}

// biome-ignore lint/suspicious/noExplicitAny: a body is what the test says it is.
type Told = { readonly status: number; readonly body: any }

/** Runs in the page, which knows what this side has no types for. */
function inPage<T>(at: Page, source: string, input: unknown): Promise<T> {
  return at.evaluate(`(${source})(${JSON.stringify(input)})`)
}

/** Knocks at a door, as a script of the page does. */
function knock(at: Page, method: string, path: string, body: unknown = null): Promise<Told> {
  const source = `async ({ method, path, body }) => {
    const headers = body === null ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
  }`
  return inPage(at, source, { method, path, body })
}

/** What the device answers to a challenge. */
async function answerOf(at: Page): Promise<object> {
  const { body } = await knock(at, 'POST', '/session/passkey-options', {})
  const source = `async (options) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    return (await navigator.credentials.get({ publicKey })).toJSON()
  }`
  return inPage(at, source, body)
}

/** A new key of the device, for the options that the server gave, or for others. */
async function newCredential(at: Page, changes: object = {}): Promise<object> {
  const { body } = await knock(at, 'POST', '/session/passkeys/options', {})
  const source = `async (options) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    return (await navigator.credentials.create({ publicKey })).toJSON()
  }`
  return inPage(at, source, { ...body, ...changes })
}

async function addPasskey(at: Page, name: string): Promise<Told> {
  return knock(at, 'POST', '/session/passkeys', { name, credential: await newCredential(at) })
}

test('a passkey is added, signs in without a password, and opens nothing once it is removed', async () => {
  const { email, password } = organization
  await knock(page, 'POST', '/session', { email, password })

  const added = await addPasskey(page, 'Laptop')
  await knock(page, 'DELETE', '/session')
  const signedIn = await knock(page, 'POST', '/session/passkey', await answerOf(page))

  expect(added).toMatchObject({ status: 200, body: { name: 'Laptop', last_used_at: null } })
  expect(signedIn).toMatchObject({
    status: 200,
    body: { person: { email, passkeys: [{ name: 'Laptop' }] } },
  })
  const { body: session } = await knock(page, 'GET', '/session')
  const [passkey] = session.person.passkeys
  expect(passkey.last_used_at).toBe('2026-11-14T12:00:00.000Z')

  expect((await knock(page, 'DELETE', `/session/passkeys/${passkey.id}`)).status).toBe(204)
  expect(await knock(page, 'POST', '/session/passkey', await answerOf(page))).toMatchObject({
    status: 401,
    body: { code: 'sign_in_refused' },
  })
})

test('an answer opens once, and only for the challenge that it was given to', async () => {
  const { email, password } = organization
  await knock(page, 'POST', '/session', { email, password })
  await addPasskey(page, 'Another')
  const answer = await answerOf(page)

  const first = await knock(page, 'POST', '/session/passkey', answer)
  const second = await knock(page, 'POST', '/session/passkey', answer)
  const late = await answerOf(page)
  switchyard.clock.advance({ minutes: 5 })
  const third = await knock(page, 'POST', '/session/passkey', late)

  expect([first.status, second.status, third.status]).toEqual([200, 401, 401])
})

test('a passkey is made for the challenge of this session alone', async () => {
  const { email, password } = organization
  await knock(page, 'POST', '/session', { email, password })
  // A challenge of somebody else's choice.
  const credential = await newCredential(page, { challenge: 'A'.repeat(43), excludeCredentials: [] })

  const refused = await knock(page, 'POST', '/session/passkeys', { name: 'Forged', credential })
  const again = await knock(page, 'POST', '/session/passkeys', { name: 'Forged', credential })

  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/credential' }] } })
  // The challenge is used up with the first answer, right or wrong.
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
})

test('of passkeys that were begun before the twentieth was added, none is the twenty-first', async () => {
  const { email, password } = await switchyard.newOrganization()
  const other = await atTheDashboard()
  await knock(other, 'POST', '/session', { email, password })
  const credential = await newCredential(other)
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into control.passkeys (id, person_id, name, credential_id, public_key, counter, transports, created_at)
       select gen_random_uuid(), id, 'Laptop', id || ' ' || nth, '', 0, '{}', now()
       from control.people, generate_series(1, 20) as nth where email = $1`,
      [email],
    ),
  )

  expect(await knock(other, 'POST', '/session/passkeys', { name: 'One more', credential })).toMatchObject({
    ...{ status: 409, body: { code: 'limit_reached' } },
  })
})

test.each([{ id: 'x' }, { id: 'x', response: {} }, { id: 'x', rawId: 7, response: { clientDataJSON: '!' } }])(
  'what no device says is refused like a wrong one: %j',
  async (answer) => {
    const browser = openBrowser(() => switchyard.dashboardUrl)

    expect(await browser.post('/session/passkey', answer)).toMatchObject({
      status: 401,
      body: { code: 'sign_in_refused' },
    })
  },
)
