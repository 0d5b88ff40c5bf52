// What a person does on the payment page, found as a person finds it: by its labels and by its words.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { cards } from '../../support/checkout.ts'

export const payButton = (page: Page) => page.locator('button[type=submit]')
export const receipt = (page: Page) => page.getByText(/^Paid on /)

export async function typeCard(page: Page, number: string = cards.good): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry date').fill('12/30')
  await page.getByLabel('Security code').fill('123')
  await page.getByLabel('Name on card').fill('Ana Duarte')
}

export async function pay(page: Page, number: string = cards.good): Promise<void> {
  await page.getByLabel('Email').fill('ana@example.com')
  await typeCard(page, number)
  await payButton(page).click()
}

export async function seesReceipt(page: Page): Promise<void> {
  await receipt(page).waitFor()
  expect(await page.getByRole('button', { name: /^Pay / }).count()).toBe(0)
}

/** What has the focus, by its label or its text. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const { activeElement: element } = document
    return element.labels?.[0]?.textContent ?? element.textContent
  })()`)
}
