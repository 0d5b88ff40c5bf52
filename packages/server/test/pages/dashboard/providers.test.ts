// Setting up connectors: missing credentials, the webhook at the provider, emulated providers, and new credentials.

import { expect, test } from 'vitest'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'
import { pay } from './support/payments.ts'

const dashboard = await dashboardForThisFile()

test('a connector is added with its credentials, which no request shown on the page contains', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/provider-accounts')
  await page.getByRole('button', { name: 'Add provider' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: 'Add provider' })
  await dialog.getByLabel('Provider', { exact: true }).selectOption('Stripe')
  await dialog.getByLabel('Name', { exact: true }).fill('Stripe Europe')

  await submit.click()
  await dialog.getByText('is required').first().waitFor()
  await dialog.getByLabel('Secret key').fill('sk_live_51WrongEnvironment')
  await submit.click()
  await dialog.getByText('is a live key, but this is the test environment').first().waitFor()
  await dialog.getByLabel('Secret key').fill('sk_test_51RightEnvironment')
  expect(await dialog.textContent()).not.toContain('sk_test_51')
  await submit.click()

  await dialog.getByText('Stripe Europe added').waitFor()
  const [account] = (await workspace.get('/provider-accounts')).body.data
  expect(account).toMatchObject({
    provider: 'stripe',
    card_data: 'token',
    credentials: { names: ['secret_key'] },
  })
  await expect.poll(() => dialog.textContent()).toContain(account.webhook_url)
  expect(await dialog.textContent()).toContain('payment_intent.succeeded')
})

test('an emulated provider needs no credentials, passes its check, and takes payments', async () => {
  const workspace = await dashboard.newWorkspace()
  for (const { id } of (await workspace.get('/provider-accounts')).body.data)
    await workspace.post(`/provider-accounts/${id}/disable`)
  const page = await dashboard.open(workspace, '/provider-accounts')
  await page.getByRole('button', { name: 'Add provider' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Provider', { exact: true }).selectOption('Adyen')
  await dialog.getByLabel('Name', { exact: true }).fill('Our Adyen')
  await dialog.getByLabel('Emulate this provider').check()
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await dialog.getByText('Our Adyen added').waitFor()

  await dialog.getByRole('button', { name: 'Run check' }).click()
  await dialog.getByText('The provider accepts the credentials').waitFor()
  await dialog.getByRole('link', { name: 'Open account' }).click()

  await page.getByRole('heading', { name: 'Our Adyen', exact: true }).waitFor()
  await page.getByText('Adyen (emulated) is part of the simulator').waitFor()
  expect(await pay(workspace)).toMatchObject({ status: 'succeeded' })
})

test('credentials are replaced, and those that stay empty keep their value', async () => {
  const workspace = await dashboard.newWorkspace()
  const { body: account } = await workspace.post('/provider-accounts', {
    provider: 'stripe',
    display_name: 'Stripe',
    credentials: { secret_key: 'sk_test_51FirstSecretKey' },
  })
  const page = await dashboard.open(workspace, `/provider-accounts/${account.id}`)

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Replace credentials…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Webhook signing secret').fill('whsec_firstSigningSecret')
  await dialog.getByRole('button', { name: 'Replace credentials' }).click()
  await toast(page, 'Credentials replaced').waitFor()

  const { body: after } = await workspace.get(`/provider-accounts/${account.id}`)
  expect(after.credentials).toMatchObject({
    names: ['secret_key', 'signing_secret'],
    rotated_at: expect.any(String),
  })
})
