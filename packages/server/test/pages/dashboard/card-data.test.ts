// The page on which an ADMIN selects who collects card numbers.

import { expect, test } from 'vitest'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

test('an emulated vault is selected, then a real one, whose secret no request shown on the page contains', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/card-data')
  await page.getByText('Switchyard vault').waitFor()
  await page.getByRole('button', { name: 'Change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('External card vault').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await toast(page, 'Setting saved').waitFor()
  await page.getByText('Basis Theory (emulated)').waitFor()
  const { body: emulated } = await workspace.get('/workspace')
  expect(emulated.card_data).toMatchObject({
    mode: 'external_vault',
    vault: { provider: 'basis_theory', emulated: true },
  })

  await page.getByRole('button', { name: 'Change' }).click()
  await dialog.getByLabel('Use the emulated vault of the simulator').uncheck()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('is required').first().waitFor()
  await dialog.getByLabel('API key', { exact: true }).fill('key_of_a_private_application')
  expect(await dialog.textContent()).not.toContain('key_of_a')
  await dialog.getByRole('button', { name: 'Save' }).click()

  await page.getByText('Stored, never shown').waitFor()
  const { body: real } = await workspace.get('/workspace')
  expect(real.card_data.vault).toMatchObject({ emulated: false, secrets: ['api_key'] })
})

test('only an ADMIN can change the setting', async () => {
  const workspace = await dashboard.newWorkspace()
  const page = await dashboard.open(workspace, '/card-data', 'DEVELOPER')
  await page.getByText('Switchyard vault').waitFor()
  const button = page.getByRole('button', { name: 'Change' })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
})
