// The documentation in a real browser: nobody is shut out, nothing scrolls sideways, the search is found and used by
// keyboard alone, and no other host is asked. A picture of each page is kept for people to look at too.

import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startChromium } from '../../../../scripts/services/chromium.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const browser = await startChromium()
afterAll(() => browser.close())

const pictures =
  process.env.SCREENSHOTS ?? resolve(import.meta.dirname, '../../../../.switchyard/screenshots/docs')
mkdirSync(pictures, { recursive: true })

const wrong: string[] = []
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  expect(wrong.splice(0)).toEqual([])
})

/** A page of the API, if there are any. */
const { body: index } = await switchyard.call('test', 'GET', '/docs/llms.txt')
const operations = [...index.matchAll(/\((\/docs\/api\/[a-z0-9_-]+)\.md\)/g)].map(([, path]) => ['api', path])

describe('every kind of page', () => {
  test.each([
    ['home', '/docs/'],
    ['guide', '/docs/guides/lists'],
    ['reference', '/docs/reference/test-cards'],
    ['error', '/docs/errors/conflict'],
    ['event', '/docs/events/product.deleted'],
    ['nowhere', '/docs/nowhere'],
    ...operations.slice(0, 1),
  ] as [string, string][])(
    '%s has no barrier, by day and by night, at a desk and on a phone',
    async (name, path) => {
      // The checker is a script from outside, which the policy of the page would refuse.
      const page = await open(path, { bypassCSP: true })
      await page.evaluate(axe.source)
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: width < 700 ? 844 : 900 })
        await page.screenshot({ path: join(pictures, `${name}-${width}.png`) })
        const across = await page.evaluate('document.documentElement.scrollWidth')
        expect(across, `at ${width}`).toBeLessThanOrEqual(width)
        expect(await barriersOn(page), `at ${width}`).toEqual([])
      }
      // By night nothing but the colours differs.
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.screenshot({ path: join(pictures, `${name}-dark.png`) })
      expect(await barriersOn(page, ['cat.color'])).toEqual([])
    },
  )
})

describe('the search', () => {
  test('is opened, used and left by keyboard alone', async () => {
    const page = await open('/docs/')
    await page.keyboard.press('/')
    const input = page.getByRole('combobox', { name: 'Search the documentation' })
    await expect.poll(() => isFocused(page, 'INPUT')).toBe(true)

    await page.keyboard.type('payment.created')
    const first = page.getByRole('option').first()
    await first.waitFor()
    expect(await first.getAttribute('href')).toBe('/docs/events/payment.created')
    expect(await first.getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowDown')
    expect(await input.getAttribute('aria-activedescendant')).toBe('hit-2')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/events/payment.created')

    await page.keyboard.press('Control+k')
    await input.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('leads to the heading that has the words, and says what section it is in', async () => {
    const page = await open('/docs/')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.keyboard.type('if-match etag')
    await page.getByRole('group', { name: 'Build' }).getByRole('option').first().click()
    await page.waitForURL('**/docs/guides/objects#change-only-what-you-have-seen')

    expect(await page.getByRole('heading', { name: 'Change only what you have seen' }).isVisible()).toBe(true)
  })

  test('says that nothing is found', async () => {
    const page = await open('/docs/guides/lists')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('xylophone')

    await page.getByText('Nothing is found for “xylophone”').waitFor()
    expect(await page.getByRole('option').count()).toBe(0)
  })

  test.each([1440, 390])('has no barrier at %d', async (width) => {
    const page = await open('/docs/', { bypassCSP: true, viewport: { width, height: 844 } })
    await page.evaluate(axe.source)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox').fill('conflict')
    await page.getByRole('option').first().waitFor()
    await page.screenshot({ path: join(pictures, `search-${width}.png`) })

    expect(await page.getByRole('option').first().getAttribute('href')).toBe('/docs/errors/conflict')
    expect(await barriersOn(page)).toEqual([])
  })
})

test('the theme that somebody chose is there from the first moment of the next page', async () => {
  const page = await open('/docs/')
  await page.getByRole('button', { name: 'Theme: Auto' }).click()
  await page.getByRole('button', { name: 'Theme: Light' }).click()
  await page.goto(`${switchyard.addresses.test}/docs/guides/lists`, { waitUntil: 'commit' })

  await page.getByRole('button', { name: 'Theme: Dark' }).waitFor()
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
})

test('code is copied as it is run', async () => {
  const page = await open('/docs/guides/quickstart', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()

  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm ci\nnpm run dev\n')
})

test('where the clipboard is refused, that is said', async () => {
  // Whoever gives one permission refuses the others.
  const page = await open('/docs/guides/quickstart', { permissions: ['geolocation'] })
  const button = page.getByRole('button', { name: 'Copy: Code: sh' }).first()
  await button.click()

  await page.getByRole('button', { name: 'Not copied: Code: sh' }).waitFor()
  expect(await page.locator('main [role=status]').textContent()).toBe('Not copied')
})

test('where site data is blocked, everything works but the memory of the theme', async () => {
  const page = await open('/docs/guides/lists', {}, dataBlocked)
  await page.getByRole('button', { name: 'Theme: Auto' }).click()

  await page.getByRole('button', { name: 'Theme: Light' }).waitFor()
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light')
  expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(true)
})

/** What browsers do then: looking at the member already throws. */
const dataBlocked = `Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
})`

test('without scripts, on a phone, the menu opens, leads on and closes', async () => {
  const page = await open('/docs/', { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
  const sections = page.getByRole('navigation', { name: 'Documentation' })
  expect(await sections.isVisible()).toBe(false)

  await page.getByRole('link', { name: 'Menu' }).click()
  await sections.getByRole('link', { name: 'Quickstart' }).click()
  await page.waitForURL('**/docs/guides/quickstart')
  await page.getByRole('link', { name: 'Menu' }).click()
  expect(await sections.getByRole('link', { name: 'Quickstart' }).getAttribute('aria-current')).toBe('page')
  await page.getByRole('link', { name: 'Close the menu' }).click()

  expect(await sections.isVisible()).toBe(false)
  expect(await page.getByRole('button').count()).toBe(0)
})

async function open(path: string, options: BrowserContextOptions = {}, before = ''): Promise<Page> {
  const desk = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const
  const context = await browser.newContext({ ...desk, ...options })
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  await context.addInitScript({ content: before })
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== switchyard.addresses.test) wrong.push(`asked ${request.url()}`)
  })
  context.on('console', (message) => {
    // The page that is not there is asked for on purpose.
    const isMissing = message.text().includes('404') && path === '/docs/nowhere'
    if (['error', 'warning'].includes(message.type()) && !isMissing) wrong.push(message.text())
  })
  context.on('weberror', (error) => wrong.push(String(error.error())))
  const page = await context.newPage()
  await page.goto(switchyard.addresses.test + path)
  return page
}

function isFocused(page: Page, tag: string): Promise<boolean> {
  return page.evaluate(`document.activeElement?.tagName === '${tag}'`)
}

const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

async function barriersOn(page: Page, kinds = everything): Promise<string[]> {
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(kinds)} })`,
  )) as { violations: { id: string; nodes: { target: unknown; failureSummary: string }[] }[] }
  return violations.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes[0])}`)
}
