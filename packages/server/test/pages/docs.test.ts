// The documentation in a real browser: no accessibility violations, no horizontal scrolling, a search that
// works with the keyboard alone, and no requests to other hosts.

import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startChromium } from '../../../../scripts/services/chromium.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'
import { enhancedColorRules, findViolations, loadAxe } from './support/accessibility.ts'
import { takeScreenshot } from './support/screenshots.ts'

const switchyard = await switchyardForThisFile()
const browser = await startChromium()
afterAll(() => browser.close())

const problems: string[] = []
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  expect(problems.splice(0)).toEqual([])
})

/** The pages of API operations. */
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
    '%s has no accessibility violations, in both themes, on a desktop and on a phone',
    async (name, path) => {
      const page = await openPage(path, { bypassCSP: true })
      await loadAxe(page)
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: width < 700 ? 844 : 900 })
        await takeScreenshot(page, `${name}-${width}`)
        const scrollWidth = await page.evaluate('document.documentElement.scrollWidth')
        expect(scrollWidth, `at ${width}`).toBeLessThanOrEqual(width)
        expect(await findViolations(page), `at ${width}`).toEqual([])
      }
      // Only the colors differ in the dark theme.
      await page.emulateMedia({ colorScheme: 'dark' })
      await takeScreenshot(page, `${name}-dark`)
      expect(await findViolations(page, { rules: enhancedColorRules })).toEqual([])
    },
  )
})

describe('the search', () => {
  test('can be opened, used and closed with the keyboard only', async () => {
    const page = await openPage('/docs/')
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

  test('leads to the heading that contains the words', async () => {
    const page = await openPage('/docs/')
    await page.getByRole('button', { name: 'Search' }).click()
    // The dialog is downloaded when it is first opened. Keys that are pressed before that are ignored.
    await page.getByRole('combobox').fill('if-match etag')
    await page.getByRole('group', { name: 'Build' }).getByRole('option').first().click()
    await page.waitForURL('**/docs/guides/objects#change-only-what-you-have-seen')

    expect(await page.getByRole('heading', { name: 'Change only what you have seen' }).isVisible()).toBe(true)
  })

  test('shows that there are no results', async () => {
    const page = await openPage('/docs/guides/lists')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('xylophone')

    await page.getByText('No results for “xylophone”').waitFor()
    expect(await page.getByRole('option').count()).toBe(0)
  })

  test.each([1440, 390])('has no accessibility violations at %d', async (width) => {
    const page = await openPage('/docs/', { bypassCSP: true, viewport: { width, height: 844 } })
    await loadAxe(page)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox').fill('conflict')
    await page.getByRole('option').first().waitFor()
    await takeScreenshot(page, `search-${width}`)

    expect(await page.getByRole('option').first().getAttribute('href')).toBe('/docs/errors/conflict')
    expect(await findViolations(page)).toEqual([])
  })
})

test('the chosen theme is applied from the first paint of the next page', async () => {
  const page = await openPage('/docs/')
  await page.getByRole('button', { name: 'Theme: Auto' }).click()
  await page.getByRole('button', { name: 'Theme: Light' }).click()
  await page.goto(`${switchyard.addresses.test}/docs/guides/lists`, { waitUntil: 'commit' })

  await page.getByRole('button', { name: 'Theme: Dark' }).waitFor()
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
})

test('copied code can be run as it is', async () => {
  const page = await openPage('/docs/guides/quickstart', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()

  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm ci\nnpm run dev\n')
})

test('if the browser denies access to the clipboard, the button shows that nothing was copied', async () => {
  // Granting one permission denies all others.
  const page = await openPage('/docs/guides/quickstart', { permissions: ['geolocation'] })
  const button = page.getByRole('button', { name: 'Copy: Code: sh' }).first()
  await button.click()

  await page.getByRole('button', { name: 'Not copied: Code: sh' }).waitFor()
  expect(await page.locator('main [role=status]').textContent()).toBe('Not copied')
})

test('if the browser blocks site data, everything works except remembering the theme', async () => {
  const page = await openPage('/docs/guides/lists', {}, blockSiteData)
  await page.getByRole('button', { name: 'Theme: Auto' }).click()

  await page.getByRole('button', { name: 'Theme: Light' }).waitFor()
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light')
  expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(true)
})

/** In browsers that block site data, reading `localStorage` throws. */
const blockSiteData = `Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('Access is denied for this document.', 'SecurityError') },
})`

test('on a phone without JavaScript, the menu opens, navigates and closes', async () => {
  const page = await openPage('/docs/', { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
  const sections = page.getByRole('navigation', { name: 'Documentation' })
  expect(await sections.isVisible()).toBe(false)

  await page.getByRole('link', { name: 'Menu' }).click()
  await sections.getByRole('link', { name: 'Quickstart' }).click()
  await page.waitForURL('**/docs/guides/quickstart')
  await page.getByRole('link', { name: 'Menu' }).click()
  expect(await sections.getByRole('link', { name: 'Quickstart' }).getAttribute('aria-current')).toBe('page')
  await page.getByRole('link', { name: 'Close menu' }).click()

  expect(await sections.isVisible()).toBe(false)
  expect(await page.getByRole('button').count()).toBe(0)
})

async function openPage(path: string, options: BrowserContextOptions = {}, initScript = ''): Promise<Page> {
  const desktop = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const
  const context = await browser.newContext({ ...desktop, ...options })
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  await context.addInitScript({ content: initScript })
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== switchyard.addresses.test)
      problems.push(`request to another host: ${request.url()}`)
  })
  context.on('console', (message) => {
    // The missing page is requested on purpose.
    const isMissing = message.text().includes('404') && path === '/docs/nowhere'
    if (['error', 'warning'].includes(message.type()) && !isMissing) problems.push(message.text())
  })
  context.on('weberror', (error) => problems.push(String(error.error())))
  const page = await context.newPage()
  await page.goto(switchyard.addresses.test + path)
  return page
}

function isFocused(page: Page, tag: string): Promise<boolean> {
  return page.evaluate(`document.activeElement?.tagName === '${tag}'`)
}
