// The checkout sessions of a payment link: the payer and the outcome of the payment.

import { expect, test } from 'vitest'
import { cards, createLink, payerAt } from '../../support/checkout.ts'
import { dashboardForThisFile } from './support/dashboard-pages.ts'

const dashboard = await dashboardForThisFile()

test('a session whose payment was declined is shown as Declined, and the payer appears on the link page and on the payment page', async () => {
  const workspace = await dashboard.newWorkspace()
  const link = await createLink(workspace, { collect: ['name', 'email'] })
  const payer = payerAt(dashboard.addresses.test)
  const session = await payer.openSession(link.slug)
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com' }
  await payer.pay(session, cards.declined, ada)
  const { body: sessions } = await workspace.get(`/checkout-sessions?payment_link_id=${link.id}`)
  expect(sessions.data).toMatchObject([{ status: 'open', payer: ada }])

  const page = await dashboard.open(workspace, `/payment-links/${link.id}`)
  const row = page.getByRole('table', { name: 'Checkout sessions of this link' }).getByRole('row').nth(1)
  await expect.poll(() => row.textContent()).toContain('Declined')
  expect(await row.textContent()).not.toContain('Open')
  expect(await row.textContent()).toContain('Ada Lovelace, ada@example.com')

  await page.goto(
    `${dashboard.dashboardUrl}/${workspace.workspaceId}/payments/${sessions.data[0].payment_id}`,
  )
  await expect.poll(() => page.getByRole('main').textContent()).toContain('ada@example.com')
})
