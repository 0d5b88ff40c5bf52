// What surrounds every page: signing in, finding one's way, and what a role may see and do.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { officeForThisFile } from './support/office.ts'

const office = await officeForThisFile()

test('whoever opens a page signs in first, and is then where they wanted to be', async () => {
  const workspace = await office.newWorkspace()
  const { email, password } = await workspace.aPerson('DEVELOPER')
  const page = await (await office.newBrowser()).newPage()

  await page.goto(`${office.dashboardUrl}/${workspace.workspaceId}/payments?status=failed`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill('not the password')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor()

  expect(new URL(page.url()).search).toBe('?status=failed')
})

test('a link that asks to go elsewhere after signing in is not followed out of the dashboard', async () => {
  const workspace = await office.newWorkspace()
  const { email, password } = await workspace.aPerson()
  const page = await (await office.newBrowser()).newPage()

  await page.goto(`${office.dashboardUrl}/sign-in?to=//evil.example/`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()

  expect(new URL(page.url()).origin).toBe(office.dashboardUrl)
})

test('whoever is invited follows the link, gives a name and a password, and is in; the link is in no address', async () => {
  const workspace = await office.newWorkspace()
  await workspace.aPerson('ADMIN')
  const { status, body } = await workspace.post('/invitations', {
    email: 'grace@example.com',
    role: 'SUPPORT',
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const page = await (await office.newBrowser()).newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))

  await page.goto(body.url)
  await page.getByLabel('Your name').fill('Grace Hopper')
  await page.getByLabel('Password').fill('a long enough password')
  // Somebody who is not sure whether it was taken: the second one must not say that the link is used up.
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /Grace Hopper.*SUPPORT/ }).waitFor()
  expect(asked.filter((url) => url.endsWith('/invitations/accept'))).toHaveLength(1)

  const secret = new URL(body.url).hash.slice(1)
  expect(asked.filter((url) => !url.includes('#') && url.includes(secret))).toEqual([])
})

test('a test workspace says so on every page', async () => {
  const page = await office.open(await office.newWorkspace('test'))

  await page.getByText('Test workspace. No money moves.').waitFor()
})

test('Ctrl K and an id lead to the page of the object, with the keyboard alone', async () => {
  const workspace = await office.newWorkspace()
  const id = await workspace.aCustomer({ email: 'ada@example.com' })
  const page = await office.open(workspace)

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/An id/).waitFor()
  await page.keyboard.type(id)
  await page
    .getByRole('option')
    .filter({ hasText: /ada@example\.com|ustomer/ })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/customers/${id}$`))
})

test('the address that the command line opens leads to the object, whichever workspace it is in', async () => {
  const workspace = await office.newWorkspace()
  const id = await workspace.aCustomer()
  const page = await office.open(workspace)

  await page.goto(`${office.dashboardUrl}/open/${id}`)

  await page.waitForURL(`${office.dashboardUrl}/${workspace.workspaceId}/customers/${id}`)
})

test('keys lead to places, and stay letters in a field', async () => {
  const page = await office.open(await office.newWorkspace())

  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.waitForURL(/\/events$/)
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/An id/).waitFor()
  await page.keyboard.type('gp')

  expect(await page.getByPlaceholder(/An id/).inputValue()).toBe('gp')
  expect(page.url()).toMatch(/\/events$/)
})

test('the inspector shows the calls that the page was made of', async () => {
  const page = await office.open(await office.newWorkspace(), '/customers')

  await page.getByRole('button', { name: 'Show API calls' }).click()

  await page
    .getByRole('complementary')
    .getByText(/GET \/customers/)
    .first()
    .waitFor()
})

test('whoever signs out sees nothing any more, also after going back', async () => {
  const workspace = await office.newWorkspace()
  const page = await office.open(workspace, '/customers')

  await page.getByRole('button', { name: /Theme, sign out/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goBack()

  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
})

test('the theme that somebody chooses holds after a reload', async () => {
  const page = await office.open(await office.newWorkspace())
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const before = await ground()

  await page.getByRole('button', { name: /Theme, sign out/ }).click()
  await page.getByRole('menuitem', { name: 'Dark theme' }).click()
  // What is chosen happens once the menu has closed.
  await expect.poll(ground).not.toBe(before)
  const dark = await ground()
  await reload(page)

  expect(await ground()).toBe(dark)
})

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}
