// People who change how payments are routed: a draft, what it changes, publishing it, and the way back.

import { expect, test } from 'vitest'
import type { Workspace } from '../../support/switchyard.ts'
import { officeForThisFile } from './support/office.ts'
import { pay } from './support/payments.ts'

const office = await officeForThisFile()

test('a draft is reviewed, published, and rolled back; payments follow each time', async () => {
  const { workspace, first, second, route } = await aDraft()
  const asked = async () => (await pay(workspace)).provider_account_id
  expect(await asked()).toBe(first)
  const page = await office.open(workspace, `/payment-routes/${route.id}`)

  await page.getByRole('button', { name: 'Review and publish…' }).click()
  await page.getByRole('button', { name: 'Publish revision 2' }).click()
  await page.getByText('Revision 2 decides about payments now.').waitFor()
  await expect.poll(asked).toBe(second)

  await page.getByRole('tab', { name: /Revisions|History/ }).click()
  await page.getByRole('button', { name: 'Roll back to revision 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back to revision 1' }).click()
  await page.getByText('It decides as revision 1 did.').waitFor()
  await expect.poll(asked).toBe(first)
})

test('a draft that the lint finds wrong cannot be published, and the page says what is wrong', async () => {
  const { workspace, route, second } = await aDraft()
  await workspace.post(`/provider-accounts/${second}/disable`)
  const page = await office.open(workspace, `/payment-routes/${route.id}`)

  await page.getByRole('button', { name: 'Review and publish…' }).click()
  const button = page.getByRole('button', { name: 'Publish revision 2' })
  await expect.poll(() => button.getAttribute('title')).toMatch(/must be repaired first/)
  await button.click({ force: true })

  expect((await workspace.get(`/payment-routes/${route.id}`)).body.revision).toBe(1)
})

/** A default route that asks the first account, and a draft of it that asks another. */
async function aDraft() {
  const workspace = await office.newWorkspace()
  const [second, first] = await accountsOf(workspace)
  const { body: route } = await workspace.post('/payment-routes', {
    name: 'Cards',
    is_default: true,
    default: { type: 'priority', targets: [first] },
  })
  const draft = { default: { type: 'priority', targets: [second] }, draft: true }
  const { status, body } = await workspace.put(`/payment-routes/${route.id}`, draft)
  expect(status, JSON.stringify(body)).toBe(200)
  return { workspace, first, second, route }
}

async function accountsOf({ get }: Workspace): Promise<string[]> {
  return (await get('/provider-accounts')).body.data.map(({ id }: { id: string }) => id)
}
