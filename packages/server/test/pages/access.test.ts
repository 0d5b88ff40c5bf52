// Accessibility of the payment page: keyboard, screen reader, widths from a small phone to a desktop, and
// both themes, in every state of the page.

import { expect, test } from 'vitest'
import { colorRules, findViolations, loadAxe } from './support/accessibility.ts'
import { checkoutPagesForThisFile } from './support/checkout-pages.ts'
import { pageStates } from './support/page-states.ts'
import { focusedLabel, waitForReceipt } from './support/payer.ts'
import { takeScreenshot } from './support/screenshots.ts'

const checkout = await checkoutPagesForThisFile()

test.each(Object.entries(pageStates))(
  '%s has no accessibility violations, in both themes and at every width',
  async (name, openState) => {
    const page = await openState(checkout, { bypassCSP: true })
    await loadAxe(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: width < 700 ? 640 : 900 })
        expect(
          await page.evaluate('document.documentElement.scrollWidth'),
          `at ${width}`,
        ).toBeLessThanOrEqual(width)
        await takeScreenshot(page, `${name}-${width}-${colorScheme}`, { fullPage: true })
        if (width === 768) continue
        const rules = colorScheme === 'dark' ? { rules: colorRules } : {}
        expect(
          await findViolations(page, { exclude: ['option'], ...rules }),
          `${colorScheme} ${width}`,
        ).toEqual([])
      }
    }
  },
)

test('a payer can pay with the keyboard only: fields are in order, and an error can be corrected', async () => {
  const { workspace, link } = await checkout.createLink({ description: 'Touring wheelset' })
  const page = await checkout.open(link)
  const { keyboard } = page
  const visited: string[] = []
  const focusNext = async () => {
    await keyboard.press('Tab')
    visited.push(await focusedLabel(page))
  }

  await page.getByRole('radio', { name: 'Card', exact: true }).waitFor()

  await focusNext()
  await keyboard.type('ana@example.com')
  await focusNext()
  await focusNext()
  await focusNext()
  await keyboard.type('4242424242424241')
  await focusNext()
  await keyboard.type('1230')
  await focusNext()
  await keyboard.type('123')
  await focusNext()
  await keyboard.type('Ana Duarte')
  await keyboard.press('Enter')
  await expect.poll(() => focusedLabel(page)).toBe('Card number')
  await page.getByText('Check the card number. One or more digits are wrong.').waitFor()

  await keyboard.press('End')
  await keyboard.press('Backspace')
  await keyboard.type('2')
  for (let steps = 0; steps < 4; steps += 1) await focusNext()
  await keyboard.press('Space')
  await waitForReceipt(page)

  const card = ['Card number', 'Expiry date', 'Security code', 'Name on card']
  expect(visited).toEqual([
    'Email (optional)',
    'Card',
    'Test cards',
    ...card,
    ...card.slice(1),
    'Pay €129.00',
  ])
  await expect.poll(() => focusedLabel(page)).toMatch(/^Paid on/)
  expect(await checkout.fetchCharges(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('an error is linked to its field, and disappears when the field is changed', async () => {
  const { link } = await checkout.createLink()
  const page = await checkout.open(link)
  const number = page.getByLabel('Card number')

  await number.fill('4242')
  expect(await page.locator('.fault').count()).toBe(0)
  await page.getByLabel('Expiry date').focus()
  const error = page.locator(`[id="${await number.getAttribute('aria-describedby')}"]`)
  expect(await error.textContent()).toBe('The card number is too short.')

  await number.fill('42424')
  expect([await page.locator('.fault').count(), await number.getAttribute('aria-invalid')]).toEqual([
    0,
    'false',
  ])
})

test('digits are grouped while typing, and a correction in the middle keeps the position of the caret', async () => {
  const { link } = await checkout.createLink()
  const page = await checkout.open(link)
  const number = page.getByLabel('Card number')
  const caret = () => page.evaluate('document.activeElement.selectionStart')

  await number.pressSequentially('42424242')
  expect([await number.inputValue(), await caret()]).toEqual(['4242 4242', 9])
  await page.getByText('Visa').waitFor()

  for (let steps = 0; steps < 7; steps += 1) await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Backspace')
  expect([await number.inputValue(), await caret()]).toEqual(['4424 242', 1])
  await page.keyboard.type('1')
  expect([await number.inputValue(), await caret()]).toEqual(['4142 4242', 2])
})

test('with any brand colour, the button is readable and stands out from the page', async () => {
  for (const accent_color of ['#ffffff', '#000000', '#777777']) {
    const { link } = await checkout.createLink({}, { display_name: 'A shop', accent_color })
    const page = await checkout.open(link)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const [text, button, edge, canvas] = (await page.evaluate(`(() => {
        const { color, backgroundColor, borderTopColor } = getComputedStyle(document.querySelector('.action'))
        const bytes = (colour) => {
          const context = new OffscreenCanvas(1, 1).getContext('2d')
          context.fillStyle = colour
          context.fillRect(0, 0, 1, 1)
          return [...context.getImageData(0, 0, 1, 1).data]
        }
        return [color, backgroundColor, borderTopColor, getComputedStyle(document.body).backgroundColor].map(bytes)
      })()`)) as [number[], number[], number[], number[]]

      expect(contrast(text, button), `${accent_color} ${colorScheme}`).toBeGreaterThanOrEqual(4.5)
      expect(contrast(edge, canvas), `${accent_color} ${colorScheme}`).toBeGreaterThanOrEqual(3)
    }
  }
})

/** The contrast ratio of WCAG 2.2. */
function contrast(first: readonly number[], second: readonly number[]): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(bytes: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = bytes.map((byte) => {
    const share = byte / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
