import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { makeSignInLink } from './service.ts'

const switchyard = await switchyardForThisFile()

/** The secret of a link that the operator made. */
async function aLink(email: string): Promise<string> {
  const link = await makeSignInLink(switchyard.deps, email)
  return String(link).split('#link=')[1] as string
}

test('a link leads to the dashboard, and its secret stays out of logs', async () => {
  const { email } = await switchyard.newOrganization()

  const link = new URL(String(await makeSignInLink(switchyard.deps, email)))

  expect(`${link.origin}${link.pathname}`).toBe(`${switchyard.dashboardUrl}/sign-in`)
  expect(link.hash).toMatch(/^#link=[\w-]{43}$/)
})

test('it signs its person in, once', async () => {
  const { email } = await switchyard.newOrganization()
  const secret = await aLink(email)

  const first = await switchyard.openBrowser().post('/session/link', { secret })
  const second = await switchyard.openBrowser().post('/session/link', { secret })

  expect(first).toMatchObject({ status: 200, body: { person: { email } } })
  expect(second).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
})

test('of many who follow it at once one is let in', async () => {
  const { email } = await switchyard.newOrganization()
  const secret = await aLink(email)

  const answers = await Promise.all(
    Array.from({ length: 5 }, () => switchyard.openBrowser().post('/session/link', { secret })),
  )

  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
})

test('after fifteen minutes it opens nothing', async () => {
  const { email } = await switchyard.newOrganization()
  const secret = await aLink(email)
  switchyard.clock.advance({ minutes: 15 })

  expect((await switchyard.openBrowser().post('/session/link', { secret })).status).toBe(401)
})

test('it works while the address is locked: the operator has the last word', async () => {
  const { email, password } = await switchyard.newOrganization()
  const browser = switchyard.openBrowser()
  for (let wrong = 0; wrong < 10; ) {
    const answer = await browser.signIn(email, 'wrong')
    if (answer.status === 401) wrong += 1
    else switchyard.clock.advance({ seconds: Number(answer.headers.get('retry-after')) })
  }
  expect((await browser.signIn(email, password)).status).toBe(429)

  expect((await browser.post('/session/link', { secret: await aLink(email) })).status).toBe(200)
})

test('there is none for whom nobody knows', async () => {
  expect(await makeSignInLink(switchyard.deps, 'nobody@example.com')).toBeNull()
})
