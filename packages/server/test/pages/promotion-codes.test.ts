// Payers enter a promotion code on the payment page, see the reduced amount, and can remove the code.

import { expect, test } from 'vitest'
import { cards, createLink } from '../support/checkout.ts'
import { findViolations, loadAxe } from './support/accessibility.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { pay, waitForReceipt } from './support/payer.ts'

const checkout = await checkoutPagesForThisFile()
const allowed = { allow_promotion_codes: true, max_completions: null }

async function newWorkspace() {
  const workspace = await checkout.newWorkspace()
  const coupon = { name: 'Spring offer', percent_off: '20', duration: 'once' }
  const { id: coupon_id } = (await workspace.post('/coupons', coupon)).body
  const { id } = (await workspace.post('/promotion-codes', { coupon_id, code: 'SPRING' })).body
  const redeemed = async () => (await workspace.get(`/promotion-codes/${id}`)).body.times_redeemed
  return { ...workspace, codeId: id as string, redeemed }
}

test('a payer enters a code, removes it, enters it again and pays the reduced amount', async () => {
  const workspace = await newWorkspace()
  const page = await checkout.open(await createLink(workspace, allowed))
  await page.getByRole('button', { name: 'Add promotion code' }).click()
  const field = page.getByLabel('Promotion code')
  await field.fill('autumn')
  await field.press('Enter')
  await page.getByText('This code is not valid for this order.').waitFor()
  await field.fill('spring')
  await field.press('Enter')
  await page.getByText('SPRING applied: Spring offer').waitFor()
  await page.getByRole('heading', { name: '€10.39' }).waitFor()
  await page.getByText('-€2.60').waitFor()
  await page.getByRole('button', { name: 'Remove code' }).click()
  await page.getByRole('heading', { name: '€12.99' }).waitFor()
  await field.fill('spring')
  await page.getByRole('button', { name: 'Apply code' }).click()
  await page.getByRole('button', { name: 'Pay €10.39' }).waitFor()
  expect(await workspace.redeemed()).toBe(0)

  await pay(page, cards.approved)
  await waitForReceipt(page)
  await page.getByText('Spring offer').waitFor()
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 1039 })
  expect(await workspace.redeemed()).toBe(1)
})

test('the discount follows the quantity, and a code that has become invalid is refused before anything is charged', async () => {
  const workspace = await newWorkspace()
  const line_items = [{ name: 'Ticket', unit_amount: 1000, adjustable_quantity: true }]
  const page = await checkout.open(await createLink(workspace, { line_items, ...allowed }))
  await page.getByRole('button', { name: 'Add promotion code' }).click()
  await page.getByLabel('Promotion code').fill('SPRING')
  await page.getByRole('button', { name: 'Apply code' }).click()
  await page.getByRole('button', { name: 'Pay €8.00' }).waitFor()
  await page.getByLabel('Quantity').fill('3')
  await page.getByRole('button', { name: 'Pay €24.00' }).waitFor()

  await workspace.put(`/promotion-codes/${workspace.codeId}`, { active: false })
  await pay(page, cards.approved)
  await page.getByText('This code is not valid for this order.').waitFor()
  await page.getByRole('button', { name: 'Pay €30.00' }).click()
  await waitForReceipt(page)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 3000 })
  expect(await workspace.redeemed()).toBe(0)
})

const names = {
  en: ['Add promotion code', 'Promotion code', 'SPRING applied: Spring offer'],
  de: ['Gutscheincode eingeben', 'Gutscheincode', 'SPRING eingelöst: Spring offer'],
  es: ['Añadir código promocional', 'Código promocional', 'SPRING aplicado: Spring offer'],
  fr: ['Ajouter un code promo', 'Code promo', 'SPRING appliqué : Spring offer'],
  ja: ['プロモーションコードを追加', 'プロモーションコード', 'SPRINGを適用しました：Spring offer'],
  ar: ['أضف رمزًا ترويجيًا', 'الرمز الترويجي', 'طُبّق SPRING: Spring offer'],
} as const

test.each(Object.entries(names))(
  'promotion codes are accessible in %s',
  async (locale, [add, label, applied]) => {
    const workspace = await newWorkspace()
    const page = await checkout.open(await createLink(workspace, allowed), { bypassCSP: true, locale })
    await page.getByRole('button', { name: add }).click()
    const field = page.getByLabel(label, { exact: true })
    await field.press('Enter')
    await page.locator('[aria-invalid=true]').waitFor()
    await loadAxe(page)
    expect(await findViolations(page)).toEqual([])
    await field.fill('spring')
    await field.press('Enter')
    await page.getByText(applied).waitFor()
    expect(await findViolations(page)).toEqual([])
  },
)
