// Passkeys as browsers create them: uses a Chromium with a virtual authenticator that approves every request.

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
  page = await openDashboardPage()
})

/** Opens a page at the origin of the dashboard, in a new browser context with a virtual authenticator. */
async function openDashboardPage(): Promise<Page> {
  const context = await chromium.newContext()
  const opened = await context.newPage()
  const devtools = await context.newCDPSession(opened)
  await devtools.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const
  const device = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true }
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...device } })
  // Only the origin of the page matters, so this URL works although the dashboard is not built.
  await opened.goto(`${switchyard.dashboardUrl}/session`)
  return opened
}

// biome-ignore lint/suspicious/noExplicitAny: each test knows the type of the body.
type PageResponse = { readonly status: number; readonly body: any }

/** Runs a function in the page. It is passed as text, because its browser types are not available here. */
function runInPage<T>(target: Page, source: string, input: unknown): Promise<T> {
  return target.evaluate(`(${source})(${JSON.stringify(input)})`)
}

/** Sends a request from the page. */
function sendFromPage(
  target: Page,
  method: string,
  path: string,
  body: unknown = null,
): Promise<PageResponse> {
  const source = `async ({ method, path, body }) => {
    const headers = body === null ? {} : { 'content-type': 'application/json' }
    const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  }`
  return runInPage(target, source, { method, path, body })
}

/** Requests a challenge, and returns the assertion of the authenticator. */
async function createAssertion(target: Page): Promise<object> {
  const { body } = await sendFromPage(target, 'POST', '/session/passkey-options', {})
  const source = `async (options) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    return (await navigator.credentials.get({ publicKey })).toJSON()
  }`
  return runInPage(target, source, body)
}

/** Creates a credential with the options of the server, except for `changes`. */
async function newCredential(target: Page, changes: object = {}): Promise<object> {
  const { body } = await sendFromPage(target, 'POST', '/session/passkeys/options', {})
  const source = `async (options) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    return (await navigator.credentials.create({ publicKey })).toJSON()
  }`
  return runInPage(target, source, { ...body, ...changes })
}

async function addPasskey(target: Page, name: string): Promise<PageResponse> {
  return sendFromPage(target, 'POST', '/session/passkeys', { name, credential: await newCredential(target) })
}

test('a passkey is added, signs in without a password, and is rejected once it is removed', async () => {
  const { email, password } = organization
  await sendFromPage(page, 'POST', '/session', { email, password })

  const added = await addPasskey(page, 'Laptop')
  await sendFromPage(page, 'DELETE', '/session')
  const signedIn = await sendFromPage(page, 'POST', '/session/passkey', await createAssertion(page))

  expect(added).toMatchObject({ status: 200, body: { name: 'Laptop', last_used_at: null } })
  expect(signedIn).toMatchObject({
    status: 200,
    body: { person: { email, passkeys: [{ name: 'Laptop' }] } },
  })
  const { body: session } = await sendFromPage(page, 'GET', '/session')
  const [passkey] = session.person.passkeys
  expect(passkey.last_used_at).toBe('2026-11-14T12:00:00.000Z')

  expect((await sendFromPage(page, 'DELETE', `/session/passkeys/${passkey.id}`)).status).toBe(204)
  expect(await sendFromPage(page, 'POST', '/session/passkey', await createAssertion(page))).toMatchObject({
    status: 401,
    body: { code: 'sign_in_refused' },
  })
})

test('an assertion is valid once, and only until its challenge expires', async () => {
  const { email, password } = organization
  await sendFromPage(page, 'POST', '/session', { email, password })
  await addPasskey(page, 'Another')
  const assertion = await createAssertion(page)

  const first = await sendFromPage(page, 'POST', '/session/passkey', assertion)
  const second = await sendFromPage(page, 'POST', '/session/passkey', assertion)
  const lateAssertion = await createAssertion(page)
  switchyard.clock.advance({ minutes: 5 })
  const third = await sendFromPage(page, 'POST', '/session/passkey', lateAssertion)

  expect([first.status, second.status, third.status]).toEqual([200, 401, 401])
})

test('a passkey is accepted only for the challenge of this session', async () => {
  const { email, password } = organization
  await sendFromPage(page, 'POST', '/session', { email, password })
  // A challenge that was not created by the server.
  const credential = await newCredential(page, { challenge: 'A'.repeat(43), excludeCredentials: [] })

  const rejected = await sendFromPage(page, 'POST', '/session/passkeys', { name: 'Forged', credential })
  const repeated = await sendFromPage(page, 'POST', '/session/passkeys', { name: 'Forged', credential })

  expect(rejected).toMatchObject({ status: 400, body: { errors: [{ pointer: '/credential' }] } })
  // A challenge can be used only once, even if the response was invalid.
  expect(repeated).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
})

test('a registration that was started before the limit of twenty passkeys was reached creates no further passkey', async () => {
  const { email, password } = await switchyard.newOrganization()
  const otherPage = await openDashboardPage()
  await sendFromPage(otherPage, 'POST', '/session', { email, password })
  const credential = await newCredential(otherPage)
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into control.passkeys (id, person_id, name, credential_id, public_key, counter, transports, created_at)
       select gen_random_uuid(), id, 'Laptop', id || ' ' || nth, '', 0, '{}', now()
       from control.people, generate_series(1, 20) as nth where email = $1`,
      [email],
    ),
  )

  expect(
    await sendFromPage(otherPage, 'POST', '/session/passkeys', { name: 'One more', credential }),
  ).toMatchObject({
    status: 409,
    body: { code: 'limit_reached' },
  })
})

test.each([{ id: 'x' }, { id: 'x', response: {} }, { id: 'x', rawId: 7, response: { clientDataJSON: '!' } }])(
  'a malformed response of an authenticator is rejected like a wrong one: %j',
  async (assertion) => {
    const browser = openBrowser(() => switchyard.dashboardUrl)

    expect(await browser.post('/session/passkey', assertion)).toMatchObject({
      status: 401,
      body: { code: 'sign_in_refused' },
    })
  },
)
