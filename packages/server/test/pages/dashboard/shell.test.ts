// The layout around every page: sign-in, navigation and permissions.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { dashboardForThisFile } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

test('opening a page requires signing in, and then shows that page', async () => {
  const workspace = await dashboard.newWorkspace()
  const { email, password } = await workspace.aPerson('DEVELOPER')
  const page = await (await dashboard.newBrowser()).newPage()

  await page.goto(`${dashboard.dashboardUrl}/${workspace.workspaceId}/payments?status=failed`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill('not the password')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Payments', level: 1 }).waitFor()

  expect(new URL(page.url()).search).toBe('?status=failed')
})

test.each(['//evil.example/', '/%09/evil.example/', '/%5Cevil.example/', '/.//evil.example/'])(
  'signing in with ?to=%s stays in the dashboard',
  async (to) => {
    const workspace = await dashboard.newWorkspace()
    const { email, password } = await workspace.aPerson()
    const page = await (await dashboard.newBrowser()).newPage()

    await page.goto(`${dashboard.dashboardUrl}/sign-in?to=${to}`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname !== '/sign-in')

    expect(new URL(page.url()).origin).toBe(dashboard.dashboardUrl)
  },
)

test('an invited person joins with a name and a password, and the secret of the link is in no request URL', async () => {
  const workspace = await dashboard.newWorkspace()
  await workspace.aPerson('ADMIN')
  const { status, body } = await workspace.post('/invitations', {
    email: 'grace@example.com',
    role: 'SUPPORT',
  })
  expect(status, JSON.stringify(body)).toBe(201)
  const page = await (await dashboard.newBrowser()).newPage()
  const requestUrls: string[] = []
  page.on('request', (request) => requestUrls.push(request.url()))

  await page.goto(body.url)
  await page.getByLabel('Your name').fill('Grace Hopper')
  await page.getByLabel('Password').fill('a long enough password')
  // Press Enter twice: the second submit must not report that the link was already used.
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /Grace Hopper.*SUPPORT/ }).waitFor()
  expect(requestUrls.filter((url) => url.endsWith('/invitations/accept'))).toHaveLength(1)

  const secret = new URL(body.url).hash.slice(1)
  expect(requestUrls.filter((url) => !url.includes('#') && url.includes(secret))).toEqual([])
})

test('a test workspace is labelled on every page', async () => {
  const page = await dashboard.open(await dashboard.newWorkspace('test'))

  await page.getByText('Test workspace. No money moves.').waitFor()
})

test('Ctrl K and an id open the page of the object, with the keyboard only', async () => {
  const workspace = await dashboard.newWorkspace()
  const id = await workspace.aCustomer({ email: 'ada@example.com' })
  const page = await dashboard.open(workspace)

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search by name/).waitFor()
  await page.keyboard.type(id)
  await page
    .getByRole('option')
    .filter({ hasText: /ada@example\.com|ustomer/ })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/customers/${id}$`))
})

test('the URL that the command line opens redirects to the object in its workspace', async () => {
  const workspace = await dashboard.newWorkspace()
  const id = await workspace.aCustomer()
  const page = await dashboard.open(workspace)

  await page.goto(`${dashboard.dashboardUrl}/open/${id}`)

  await page.waitForURL(`${dashboard.dashboardUrl}/${workspace.workspaceId}/customers/${id}`)
})

test('shortcuts open pages, and are ignored in text fields', async () => {
  const page = await dashboard.open(await dashboard.newWorkspace())

  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.waitForURL(/\/events$/)
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder(/Search by name/).waitFor()
  await page.keyboard.type('gp')

  expect(await page.getByPlaceholder(/Search by name/).inputValue()).toBe('gp')
  expect(page.url()).toMatch(/\/events$/)
})

test('the inspector shows the API calls of the page', async () => {
  const page = await dashboard.open(await dashboard.newWorkspace(), '/customers')

  await page.getByRole('button', { name: 'Show API calls' }).click()

  await page
    .getByRole('complementary')
    .getByText(/GET \/customers/)
    .first()
    .waitFor()
})

test('after signing out, going back in the browser shows nothing of the workspace', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/customers')

  await page.getByRole('button', { name: /Theme, sign out/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goBack()

  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
})

test('the chosen theme is kept after a reload', async () => {
  const page = await dashboard.open(await dashboard.newWorkspace())
  const readBackground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const before = await readBackground()

  await page.getByRole('button', { name: /Theme, sign out/ }).click()
  await page.getByRole('menuitem', { name: 'Dark theme' }).click()
  // The action runs once the menu has closed.
  await expect.poll(readBackground).not.toBe(before)
  const dark = await readBackground()
  await reload(page)

  expect(await readBackground()).toBe(dark)
})

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}
