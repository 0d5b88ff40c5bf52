// The customer portal in a browser: accessible in six languages, on phones and in both themes, and a cancellation.

import { expect, test } from 'vitest'
import { createAttachedMethod } from '../support/payment-methods.ts'
import { aPrice, aSubscription } from '../support/subscriptions.ts'
import { findViolations, loadAxe } from './support/accessibility.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'

const checkout = await checkoutPagesForThisFile()
const { settle } = checkout

const titles = {
  en: 'Your account',
  de: 'Ihr Konto',
  es: 'Su cuenta',
  fr: 'Votre compte',
  ja: 'お客様のアカウント',
  ar: 'حسابك',
}

async function aSubscriber() {
  const workspace = await checkout.newWorkspace()
  const customerId = await workspace.aCustomer({ email: 'ada@example.com', name: 'Ada Lovelace' })
  await createAttachedMethod(workspace, customerId)
  await createAttachedMethod(workspace, customerId)
  const { id: subscriptionId } = await aSubscription(workspace, { customer_id: customerId })
  const larger = await aPrice(workspace, { unit_amount: 5999 })
  await workspace.put('/portal-configuration', { pause: true, switch_plan: { price_ids: [larger] } })
  await settle()
  return { workspace, customerId, subscriptionId, larger }
}

test('the portal is accessible in six languages, and a customer cancels with two clicks', async () => {
  const { workspace, customerId, subscriptionId, larger } = await aSubscriber()
  const { body } = await workspace.post('/portal-sessions', { customer_id: customerId })
  const url: string = body.url
  const page = await (await checkout.newPayer({ bypassCSP: true })).newPage()
  page.setDefaultTimeout(8_000)
  for (const [locale, title] of Object.entries(titles)) {
    await workspace.put(`/customers/${customerId}`, { locale })
    await page.setViewportSize(locale === 'de' ? { width: 320, height: 700 } : { width: 1024, height: 800 })
    await page.emulateMedia({ colorScheme: locale === 'fr' || locale === 'ar' ? 'dark' : 'light' })
    for (const path of ['', '/details', `/subscriptions/${subscriptionId}/switch?price_id=${larger}`]) {
      await page.goto(url + path)
      if (path === '') await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await loadAxe(page)
      expect(await findViolations(page), `${locale} ${path}`).toEqual([])
    }
    const width = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    expect(width, locale).toBeLessThanOrEqual(0)
  }

  await workspace.put(`/customers/${customerId}`, { locale: 'en' })
  await page.goto(url)
  await page.getByRole('link', { name: 'Cancel subscription' }).click()
  await page.getByRole('button', { name: 'Cancel subscription' }).click()
  await page.getByRole('status').getByText('Your change is saved.').waitFor()
  await page.getByText(/^Ends on/).waitFor()
  expect((await workspace.get(`/subscriptions/${subscriptionId}`)).body.scheduled_change.action).toBe(
    'cancel',
  )
})
