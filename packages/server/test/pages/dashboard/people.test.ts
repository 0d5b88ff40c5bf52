// An admin changes the role of another admin, or deactivates them, and sees what happens to their API tokens.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { dashboardForThisFile } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

/** Creates an admin who has created an API token, and opens the list of people as another admin. */
async function openPeopleAsOtherAdmin() {
  const workspace = await dashboard.newWorkspace()
  const admin = await workspace.aPerson('ADMIN')
  const browser = await dashboard.signIn(admin)
  const token = await browser.tokenFor(workspace.workspaceId)
  const input = { name: 'Backup script', role: 'READ_ONLY' }
  const { body: created } = await workspace.post('/api-tokens', input, { token })
  const page = await dashboard.open(workspace, '/people')
  const fetchTokenStatus = async () => (await workspace.get(`/api-tokens/${created.id}`)).body.status
  return { workspace, admin, page, fetchTokenStatus }
}

async function chooseAction(page: Page, { email }: { readonly email: string }, action: string) {
  const row = page.getByRole('row').filter({ hasText: email })
  await row.getByRole('button', { name: /^More actions for/ }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

test('deactivating a person first lists the API tokens that they created, and then revokes these tokens', async () => {
  const { admin, page, fetchTokenStatus } = await openPeopleAsOtherAdmin()

  await chooseAction(page, admin, 'Deactivate…')
  const listed = page.getByRole('region', { name: 'API tokens to be revoked' })
  await expect.poll(() => listed.textContent()).toContain('Backup script')
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate person' }).click()

  await expect.poll(fetchTokenStatus).toBe('revoked')
})

test('a person who is no longer admin may keep the API tokens they created', async () => {
  const { workspace, admin, page, fetchTokenStatus } = await openPeopleAsOtherAdmin()

  await chooseAction(page, admin, 'Change role…')
  await page.getByLabel('SUPPORT').check()
  const listed = page.getByRole('region', { name: 'API tokens to be revoked' })
  await expect.poll(() => listed.textContent()).toContain('Backup script')
  await page.getByLabel('Keep the API tokens they created').check()
  expect(await listed.count()).toBe(0)
  await page.getByRole('button', { name: 'Change role' }).click()

  const fetchRole = async () => {
    const { data } = (await workspace.get('/people')).body
    return data.find(({ id }: { id: string }) => id === admin.id).role
  }
  await expect.poll(fetchRole).toBe('SUPPORT')
  expect(await fetchTokenStatus()).toBe('active')
})
