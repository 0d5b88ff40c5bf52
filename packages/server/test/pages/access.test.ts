// Everybody can pay: with a keyboard alone, with a screen reader, on the smallest telephone and on a wide screen, by
// day and by night. Every state of the page is looked at; a picture of each is kept for people to look at too.

import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { focused, seesReceipt } from './support/payer.ts'
import { scenes } from './support/scenes.ts'
import { shopForThisFile } from './support/shop.ts'

const shop = await shopForThisFile()
const pictures =
  process.env.SCREENSHOTS ?? resolve(import.meta.dirname, '../../../../.switchyard/screenshots')
mkdirSync(pictures, { recursive: true })

test.each(Object.entries(scenes))(
  '%s has no barrier, in both themes and at every width',
  async (name, reach) => {
    // The checker is a script from outside, which the policy of the page would refuse.
    const page = await reach(shop, { bypassCSP: true })
    await page.evaluate(axe.source)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: width < 700 ? 640 : 900 })
        expect(
          await page.evaluate('document.documentElement.scrollWidth'),
          `at ${width}`,
        ).toBeLessThanOrEqual(width)
        await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true })
        if (width !== 768) expect(await barriersOn(page), `${colorScheme} ${width}`).toEqual([])
      }
    }
  },
)

test('the whole way is open to a keyboard: fields in order, a fault, the correction, the receipt', async () => {
  const { workspace, link } = await shop.sell({ description: 'Touring wheelset' })
  const page = await shop.open(link)
  const { keyboard } = page
  const passed: string[] = []
  const next = async () => {
    await keyboard.press('Tab')
    passed.push(await focused(page))
  }

  await next()
  await keyboard.type('ana@example.com')
  await next()
  await next()
  await keyboard.type('4242424242424241')
  await next()
  await keyboard.type('1230')
  await next()
  await keyboard.type('123')
  await next()
  await keyboard.type('Ana Duarte')
  await keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Card number')
  await page.getByText('Check the card number. One or more digits are wrong.').waitFor()

  await keyboard.press('End')
  await keyboard.press('Backspace')
  await keyboard.type('2')
  for (let steps = 0; steps < 4; steps += 1) await next()
  await keyboard.press('Space')
  await seesReceipt(page)

  const card = ['Card number', 'Expiry date', 'Security code', 'Name on card']
  expect(passed).toEqual(['Email (optional)', 'Test cards', ...card, ...card.slice(1), 'Pay €129.00'])
  await expect.poll(() => focused(page)).toMatch(/^Paid on/)
  expect(await shop.chargesOf(workspace)).toEqual({ approvals: 1, captured: 12_900 })
})

test('a fault is tied to its field, and gone as soon as the field is changed', async () => {
  const { link } = await shop.sell()
  const page = await shop.open(link)
  const number = page.getByLabel('Card number')

  await number.fill('4242')
  expect(await page.locator('.fault').count()).toBe(0)
  await page.getByLabel('Expiry date').focus()
  const fault = page.locator(`[id="${await number.getAttribute('aria-describedby')}"]`)
  expect(await fault.textContent()).toBe('The card number is too short.')

  await number.fill('42424')
  expect([await page.locator('.fault').count(), await number.getAttribute('aria-invalid')]).toEqual([
    0,
    'false',
  ])
})

test('digits are grouped while they are typed, and a correction in the middle leaves the caret where it is', async () => {
  const { link } = await shop.sell()
  const page = await shop.open(link)
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

test('whatever colour a seller has, the button can be read and stands out from the page', async () => {
  for (const accent_color of ['#ffffff', '#000000', '#777777']) {
    const { link } = await shop.sell({}, { display_name: 'A shop', accent_color })
    const page = await shop.open(link)
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

/** Countries are many, and one like the other. */
async function barriersOn(page: Page): Promise<unknown> {
  return page.evaluate(`axe.run({ exclude: ['option'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html + failureSummary)]))`)
}

/** As WCAG 2.2 defines it. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(bytes: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = bytes.map((byte) => {
    const share = byte / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
