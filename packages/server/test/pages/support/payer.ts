// Actions of a payer on the payment page. Elements are found by their label or text.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { cards } from '../../support/checkout.ts'

export const payButton = (page: Page) => page.locator('button[type=submit]')
export const receipt = (page: Page) => page.getByText(/^Paid on /)

export async function typeCard(page: Page, number: string = cards.approved): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry date').fill('12/30')
  await page.getByLabel('Security code').fill('123')
  await page.getByLabel('Name on card').fill('Ana Duarte')
}

export async function pay(page: Page, number: string = cards.approved): Promise<void> {
  await page.getByLabel('Email').fill('ana@example.com')
  await typeCard(page, number)
  await payButton(page).click()
}

export async function waitForReceipt(page: Page): Promise<void> {
  await receipt(page).waitFor()
  expect(await page.getByRole('button', { name: /^Pay / }).count()).toBe(0)
}

/** Makes the next payment fail with 429, as if the limit on declined payments were reached. */
export function limitPayments(page: Page, retryAfterSeconds: number): Promise<unknown> {
  return rejectOnce(page, '**/confirm', { status: 429, code: 'too_many_tries', retryAfterSeconds })
}

/** Makes the next opening of a payment link fail with 429, as if the link were opened too often. */
export function limitOpens(page: Page, retryAfterSeconds: number): Promise<unknown> {
  return rejectOnce(page, '**/sessions', { status: 429, code: 'rate_limited', retryAfterSeconds })
}

type Rejection = { readonly status: number; readonly code: string; readonly retryAfterSeconds?: number }

/** The next request to a matching URL gets this error instead of reaching the server. */
export function rejectOnce(page: Page, url: string, rejection: Rejection): Promise<unknown> {
  const { status, code, retryAfterSeconds } = rejection
  const response = {
    status,
    headers: retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) },
    contentType: 'application/problem+json',
    body: JSON.stringify({ code }),
  }
  return page.route(url, (route) => route.fulfill(response), { times: 1 })
}

/** The label or the text of the focused element. */
export function focusedLabel(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const { activeElement: element } = document
    return element.labels?.[0]?.textContent ?? element.textContent
  })()`)
}
