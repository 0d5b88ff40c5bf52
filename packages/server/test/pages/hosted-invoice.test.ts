// A customer whose renewal was declined follows the link in the e-mail, and pays the invoice with authentication.

import { expect, test } from 'vitest'
import { cards } from '../support/checkout.ts'
import { mailServerForThisFile } from '../support/mail-server.ts'
import { createAttachedMethod } from '../support/payment-methods.ts'
import { aSubscription } from '../support/subscriptions.ts'
import { findViolations, loadAxe } from './support/accessibility.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { payButton, typeCard, waitForReceipt } from './support/payer.ts'

const mails = await mailServerForThisFile()
const checkout = await checkoutPagesForThisFile({
  environment: { SMTP_URL: mails.url, MAIL_FROM: 'shop@example.com' },
})
const { settle } = checkout

/** The renewal of a subscription of this customer was declined. */
async function aFailedRenewal() {
  const workspace = await checkout.newWorkspace()
  const { email } = await workspace.aPerson()
  const customer_id = await workspace.aCustomer({ email })
  const method = await createAttachedMethod(workspace, customer_id)
  await workspace.put(`/payment-methods/${method}`, { metadata: { simulate: 'approve, decline:51' } })
  await aSubscription(workspace, { customer_id })
  await settle()
  await checkout.advanceTime(31 * 86_400)
  return { workspace, email, customer_id }
}

test('from the e-mail about a failed renewal, the invoice is paid with three clicks, including authentication', async () => {
  const { workspace, email, customer_id } = await aFailedRenewal()
  const [mail] = mails.received().filter(({ to }) => to.includes(email))
  expect(mail?.head).toContain('Subject: Your payment to A workspace failed')
  const [, url = ''] = /^Pay invoice: (\S+)$/m.exec(mail?.text ?? '') ?? []
  expect(mail?.html).toContain(`<a href="${url}"`)

  const page = await (await checkout.newPayer({ bypassCSP: true })).newPage()
  page.setDefaultTimeout(8_000)
  await page.goto(url)
  await page.getByRole('heading', { name: /^Invoice / }).waitFor()
  await loadAxe(page)
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('button', { name: /^Pay / }).click()
  await typeCard(page, cards.requiresAuthentication)
  await payButton(page).click()
  await page.getByRole('button', { name: 'Approve' }).click()

  await waitForReceipt(page)
  await page.goto(url)
  await page.getByText('This invoice is paid.').waitFor()
  await settle()
  const [invoice] = (await workspace.get(`/invoices?customer_id=${customer_id}`)).body.data
  expect(invoice).toMatchObject({ status: 'paid', hosted_invoice_url: url })
  const campaigns = await workspace.get(`/dunning-campaigns?subscription_id=${invoice.subscription_id}`)
  expect(campaigns.body.data).toMatchObject([{ status: 'recovered' }])
  const payments = (await workspace.get('/payments')).body.data.filter(
    ({ invoice_id }: { invoice_id: string }) => invoice_id === invoice.id,
  )
  expect(payments.map(({ status }: { status: string }) => status).toSorted()).toEqual(['failed', 'succeeded'])
})
