import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { createSignInLink } from './service.ts'

const switchyard = await switchyardForThisFile()

/** Creates a sign-in link as the operator, and returns its secret. */
async function newLink(email: string): Promise<string> {
  const link = await createSignInLink(switchyard.deps, email)
  return String(link).split('#link=')[1] as string
}

test('a link leads to the dashboard, with its secret in the fragment, which servers do not log', async () => {
  const { email } = await switchyard.newOrganization()

  const link = new URL(String(await createSignInLink(switchyard.deps, email)))

  expect(`${link.origin}${link.pathname}`).toBe(`${switchyard.dashboardUrl}/sign-in`)
  expect(link.hash).toMatch(/^#link=[\w-]{43}$/)
})

test('a link signs the person in once', async () => {
  const { email } = await switchyard.newOrganization()
  const secret = await newLink(email)

  const first = await switchyard.openBrowser().post('/session/link', { secret })
  const second = await switchyard.openBrowser().post('/session/link', { secret })

  expect(first).toMatchObject({ status: 200, body: { person: { email } } })
  expect(second).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
})

test('only one of several concurrent sign-ins with the same link succeeds', async () => {
  const { email } = await switchyard.newOrganization()
  const secret = await newLink(email)

  const responses = await Promise.all(
    Array.from({ length: 5 }, () => switchyard.openBrowser().post('/session/link', { secret })),
  )

  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
})

test('a link expires after fifteen minutes', async () => {
  const { email } = await switchyard.newOrganization()
  const secret = await newLink(email)
  switchyard.clock.advance({ minutes: 15 })

  expect((await switchyard.openBrowser().post('/session/link', { secret })).status).toBe(401)
})

test('a link works while signing in with the password is locked', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = switchyard.openBrowser()
  for (let wrong = 0; wrong < 10; ) {
    const response = await browser.signIn(email, 'wrong')
    if (response.status === 401) wrong += 1
    else switchyard.clock.advance({ seconds: Number(response.headers.get('retry-after')) })
  }
  expect((await browser.signIn(email, password)).status).toBe(429)

  expect((await browser.post('/session/link', { secret: await newLink(email) })).status).toBe(200)
})

test('no link is created for an unknown email address', async () => {
  expect(await createSignInLink(switchyard.deps, 'nobody@example.com')).toBeNull()
})
