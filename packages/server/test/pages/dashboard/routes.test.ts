// Editing routes: drafts, review, publishing and rollback.

import { expect, test } from 'vitest'
import { stripeFile, uploadTo } from '../../support/settlement.ts'
import type { Workspace } from '../../support/switchyard.ts'
import { dashboardForThisFile, toast } from './support/dashboard-pages.ts'
import { pay } from './support/payments.ts'

const dashboard = await dashboardForThisFile()
type WithId = { readonly id: string }

test('after a draft is published and rolled back, payments use the current revision each time', async () => {
  const { workspace, first, second, route } = await createDraft()
  const payAndFetchAccount = async () => (await pay(workspace)).provider_account_id
  expect(await payAndFetchAccount()).toBe(first)
  const page = await dashboard.open(workspace, `/payment-routes/${route.id}`)

  await page.getByRole('button', { name: 'Review and publish…' }).click()
  await page.getByRole('button', { name: 'Publish revision 2' }).click()
  await page.getByText('Revision 2 published. It now routes payments.').waitFor()
  await expect.poll(payAndFetchAccount).toBe(second)

  await page.getByRole('tab', { name: /Revisions|History/ }).click()
  await page.getByRole('button', { name: 'Roll back to revision 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back to revision 1' }).click()
  await toast(page, 'Rolled back to revision 1').waitFor()
  await expect.poll(payAndFetchAccount).toBe(first)
  const [latestRevision] = (await workspace.get(`/payment-routes/${route.id}/revisions`)).body.data
  const person = (await workspace.get('/people')).body.data.find(
    ({ id }: WithId) => id === latestRevision.person_id,
  )
  const revision = page.getByRole('table', { name: 'Revisions of this route' }).getByRole('row').nth(1)
  await expect.poll(() => revision.textContent()).toContain(person.name ?? person.email)
})

test('a route that is not the default shows a banner, and can become the default when it is published', async () => {
  const { workspace, first, second } = await createDraft()
  const payAndFetchAccount = async () => (await pay(workspace)).provider_account_id
  const { body: other } = await workspace.post('/payment-routes', {
    name: 'Others',
    default: { type: 'priority', targets: [second] },
  })
  await workspace.put(`/payment-routes/${other.id}`, { name: 'Others, renamed', draft: true })
  const page = await dashboard.open(workspace, `/payment-routes/${other.id}`)
  await page.getByText('only payments that name it use it').waitFor()
  expect(await payAndFetchAccount()).toBe(first)

  await page.getByRole('button', { name: 'Review and publish…' }).click()
  await page.getByText('New payments that name this route use this revision').waitFor()
  await page.getByLabel('Set as default route').check()
  await page.getByRole('button', { name: 'Publish and make default' }).click()
  await page.getByText('Revision 2 published. The route is now the default.').waitFor()

  await expect.poll(payAndFetchAccount).toBe(second)
  await expect.poll(() => page.getByText('only payments that name it use it').count()).toBe(0)
})

test('the dry run of a route that is not the default compares with the default route', async () => {
  const { workspace, first, second, route } = await createDraft()
  const { body: other } = await workspace.post('/payment-routes', {
    name: 'Others',
    default: { type: 'priority', targets: [second] },
  })
  expect((await pay(workspace)).provider_account_id).toBe(first)
  const page = await dashboard.open(workspace, `/payment-routes/${other.id}`)

  await page.getByRole('tab', { name: 'Dry run' }).click()
  await page.getByLabel('The current default route').waitFor()
  await page.getByRole('button', { name: 'Run revision 1 on 7 days' }).click()

  const run = page.getByRole('region', { name: 'Latest dry run' })
  await run.getByText('of the default route').waitFor()
  await dashboard.settle()
  await expect.poll(() => run.textContent()).toContain('1would be rerouted (100% of 1 payment)')
  const [simulation] = (await workspace.get(`/payment-routes/${other.id}/simulations`)).body.data
  expect(simulation).toMatchObject({ against: 1, against_payment_route_id: route.id, payments: 'all' })
})

test('costs that are entered for an account appear in the dry run as a sentence', async () => {
  const { workspace, first, second, route } = await createDraft()
  await workspace.put(`/provider-accounts/${second}`, { costs: [{ basis_points: 100 }] })
  expect(await pay(workspace)).toMatchObject({ provider_account_id: first, amount: 12_900, currency: 'eur' })
  const page = await dashboard.open(workspace, `/provider-accounts/${first}`)

  await page.getByRole('button', { name: 'Edit costs…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add entry' }).click()
  await dialog.getByLabel('Currency').selectOption('eur')
  await dialog.getByLabel('Percentage').fill('1.4')
  await dialog.getByLabel('Fixed fee').fill('0.25')
  await dialog.getByRole('button', { name: 'Save costs' }).click()
  await toast(page, 'Costs saved').waitFor()
  await page.getByRole('table', { name: 'Costs' }).getByText('1.4% + €0.25').waitFor()

  const routePage = await dashboard.open(workspace, `/payment-routes/${route.id}`)
  await routePage.getByRole('tab', { name: 'Dry run' }).click()
  await routePage.getByRole('button', { name: 'Run revision 2 on 7 days' }).click()
  const run = routePage.getByRole('region', { name: 'Latest dry run' })
  await run.waitFor()
  await dashboard.settle()
  // 1.4% of 129.00 and 0.25 is 2.06, and 1.0% is 1.29.
  await expect
    .poll(() => run.textContent())
    .toContain('This route would have cost €0.77 less.Estimated at €1.29 instead of €2.06, for 1 payment.')
})

test('fees of settlement reports appear at the account, and in the dry run as costs now and with the new route', async () => {
  const { workspace, first, second, route } = await createDraft()
  expect(await pay(workspace)).toMatchObject({ provider_account_id: first, amount: 12_900, currency: 'eur' })
  const runAgain = async () => {
    const page = await dashboard.open(workspace, `/payment-routes/${route.id}`)
    await page.getByRole('tab', { name: 'Dry run' }).click()
    // The page may still show the previous dry run, so wait for the response to the request that starts the new one.
    const started = page.waitForResponse((response) => {
      const { pathname } = new URL(response.url())
      const body = response.request().postData() ?? ''
      return pathname.endsWith(`/${route.id}/simulate`) && body.includes('"history"')
    })
    await page.getByRole('button', { name: 'Run revision 2 on 7 days' }).click()
    expect((await started).status()).toBe(202)
    await dashboard.settle()
    return page.getByRole('region', { name: 'Latest dry run' })
  }
  await importFees(workspace, first, { count: 200, basisPoints: 140, fixed: 25 })
  const unknown = await runAgain()
  await expect.poll(() => unknown.textContent()).toContain('The cost of payments in EUR is unknown.')

  await importFees(workspace, second, { count: 200, basisPoints: 100, fixed: 0 })
  const known = await runAgain()
  await expect
    .poll(() => known.textContent())
    .toContain('Cost now: €2.06. With this route: €1.29.Covers 100% of 1 payment.')
  const page = await dashboard.open(workspace, `/provider-accounts/${first}`)
  const fees = page.getByRole('table', { name: 'Charged fees' })
  await expect.poll(() => fees.textContent()).toContain('EUR 100.00 to 999.992001.4% + €0.25')
})

test('a draft with lint errors cannot be published, and the page shows the errors', async () => {
  const { workspace, route, second } = await createDraft()
  await workspace.post(`/provider-accounts/${second}/disable`)
  const page = await dashboard.open(workspace, `/payment-routes/${route.id}`)

  await page.getByRole('button', { name: 'Review and publish…' }).click()
  const button = page.getByRole('button', { name: 'Publish revision 2' })
  await expect.poll(() => button.getAttribute('title')).toMatch(/must be fixed first/)
  await button.click({ force: true })

  expect((await workspace.get(`/payment-routes/${route.id}`)).body.revision).toBe(1)
})

type Fees = { readonly count: number; readonly basisPoints: number; readonly fixed: number }

/** Imports a report about payments from 100.00 to 185.00, which all have the same percentage and fixed fee. */
async function importFees(
  workspace: Workspace,
  account: string | undefined,
  { count, basisPoints, fixed }: Fees,
) {
  const rows = Array.from({ length: count }, (_, index) => {
    const amount = 10_000 + 500 * (index % 18)
    const fee = (amount * basisPoints) / 10_000 + fixed
    const decimals = (minor: number) => (minor / 100).toFixed(2)
    const id = `txn_${index}`
    return { id, gross: decimals(amount), fee: decimals(fee), net: decimals(amount - fee) }
  })
  const input = { provider_account_id: account, format: 'stripe_payout_reconciliation' }
  const { body } = await workspace.post('/settlement-imports', input)
  expect((await uploadTo(workspace, body.id, stripeFile(rows))).status).toBe(200)
  await dashboard.settle()
}

/** Creates a default route to the first account, with a draft that routes to the second. */
async function createDraft() {
  const workspace = await dashboard.newWorkspace()
  const [second, first] = await listAccounts(workspace)
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

async function listAccounts({ get }: Workspace): Promise<string[]> {
  return (await get('/provider-accounts')).body.data.map(({ id }: { id: string }) => id)
}
