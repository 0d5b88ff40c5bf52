// The public cancellation page in a browser: two labelled steps, the receipt, and the confirmation with the link.

import { expect, test } from 'vitest'
import { aPrice } from '../support/subscriptions.ts'
import { findViolations, loadAxe } from './support/accessibility.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { takeScreenshot } from './support/screenshots.ts'

const checkout = await checkoutPagesForThisFile()

async function newSubscriber() {
  const workspace = await checkout.newWorkspace()
  await workspace.put('/workspace', { branding: { display_name: 'Northwind Bicycles' } })
  const customer_id = await workspace.aCustomer({ email: 'ana@example.com' })
  const price_id = await aPrice(workspace, { currency: 'eur', unit_amount: 1_900 })
  const items = [{ price_id }]
  const { body } = await workspace.post('/subscriptions', { customer_id, items, trial: { days: 14 } })
  const { cancellation_url: url } = (await workspace.get('/portal-configuration')).body
  return { workspace, url: url as string, subscriptionId: body.id as string }
}

test('a subscriber cancels in German, and confirms with the link in the e-mail', async () => {
  const { workspace, url, subscriptionId } = await newSubscriber()
  const payer = await checkout.newPayer({ bypassCSP: true, locale: 'de-DE' })
  const page = await payer.newPage()
  const expectAccessible = async (name: string) => {
    await loadAxe(page)
    expect(await findViolations(page), name).toEqual([])
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow), name).toBe(0)
    await takeScreenshot(page, name, { fullPage: true })
  }
  await page.goto(url)
  await expectAccessible('cancel-1')
  await page.getByRole('link', { name: 'Verträge hier kündigen' }).click()
  await page.getByLabel('Name').fill('Ana Duarte')
  await page.getByLabel('E-Mail-Adresse').fill('ana@example.com')
  await expectAccessible('cancel-2')
  await page.getByRole('button', { name: 'Jetzt kündigen' }).click()
  await page.getByRole('heading', { name: 'Erklärung eingegangen' }).waitFor()
  await expectAccessible('cancel-3')

  const [mail] = (await workspace.get('/mails')).body.data
  const { text } = (await workspace.get(`/mails/${mail.id}`)).body
  await page.goto(/https?:\S+\/kc\/\S+/.exec(text)?.[0] ?? '')
  await expectAccessible('cancel-4')
  await page.getByRole('button', { name: 'Bestätigen' }).click()
  await page.getByText(/^Ihr Vertrag endet am /).waitFor()
  await expectAccessible('cancel-5')
  expect((await workspace.get(`/subscriptions/${subscriptionId}`)).body).toMatchObject({
    scheduled_change: { action: 'cancel' },
  })
})

const widthOf: { readonly [locale: string]: number } = {
  en: 360,
  de: 768,
  es: 1280,
  fr: 360,
  ja: 768,
  ar: 1280,
}

test('the form with its errors is accessible in six languages', async () => {
  const { url } = await newSubscriber()
  const check = async (locale: string, type: string) => {
    const payer = await checkout.newPayer({ bypassCSP: true, locale })
    const page = await payer.newPage()
    await page.setViewportSize({ width: widthOf[locale] ?? 360, height: 900 })
    await page.goto(`${url}/${type}`)
    await page.getByRole('textbox').first().fill('Ana')
    await page.locator('#email').fill('ana@example.com')
    await page.locator('#contract').fill('not a number!')
    await page.getByRole('button').click()
    await page.locator('#contract-fault').waitFor()
    await loadAxe(page)
    expect(await findViolations(page), `${locale} ${type}`).toEqual([])
    await takeScreenshot(page, `form-${locale}-${type}`, { fullPage: true })
    await payer.close()
  }
  for (const [index, locale] of Object.keys(widthOf).entries())
    await check(locale, index % 2 === 0 ? 'cancellation' : 'withdrawal')
})
