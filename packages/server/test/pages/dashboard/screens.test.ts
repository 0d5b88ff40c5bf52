// Every screen, by day and by night, at a desk and on a phone, with something to show and without: nobody is shut
// out, nothing scrolls sideways. With SCREENSHOTS a picture of each is kept for people to look at.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { typed } from '../../support/cards.ts'
import { cards } from '../../support/checkout.ts'
import type { Workspace } from '../../support/switchyard.ts'
import { officeForThisFile } from './support/office.ts'
import { pay } from './support/payments.ts'

const office = await officeForThisFile()
/** Taken only if somebody wants to look: `SCREENSHOTS=folder`. */
const { SCREENSHOTS: pictures } = process.env
if (pictures !== undefined) mkdirSync(pictures, { recursive: true })

/** A list, and where the page of its first object is, if it has one. */
const lists = [
  ...['', '/payments', '/refunds', '/customers', '/payment-methods', '/payment-links'],
  ...['/subscriptions', '/products', '/invoices', '/dunning', '/payment-routes', '/provider-accounts'],
  ...['/events', '/events/tail', '/webhook-endpoints', '/webhook-endpoints/lab', '/requests', '/api-tokens'],
  ...['/test-clocks', '/people', '/audit-entries', '/system', '/account'],
]
const details = [
  ...['/payments', '/refunds', '/customers', '/payment-methods', '/payment-links', '/subscriptions'],
  ...['/products', '/invoices', '/payment-routes', '/provider-accounts', '/events', '/webhook-endpoints'],
  ...['/requests', '/test-clocks'],
]

const busy = await aBusyWorkspace()
const still = await office.newWorkspace()

test.each(lists)('with something to show, %s has no barrier', async (to) => {
  await lookAt(busy, to, 'data')
})

test.each(details)('an object of %s has no barrier', async (to) => {
  const { body } = await busy.get(`${to}?limit=1`)
  await lookAt(busy, `${to}/${body.data[0].id}`, 'object')
})

test.each(lists)('with nothing to show, %s has no barrier', async (to) => {
  await lookAt(still, to, 'empty')
})

test('what is not there is said on a page of its own, which has no barrier', async () => {
  await lookAt(busy, '/payments/payment_test_01M7FWD4BQFNC8SMZVSDXVHCD7', 'missing')
  await lookAt(busy, '/nowhere', 'nowhere')
})

async function lookAt(workspace: Workspace, to: string, name: string): Promise<void> {
  // The checker is a script from outside, which the policy of the page would refuse.
  const page = await office.open(workspace, to, 'ADMIN', { bypassCSP: true, reducedMotion: 'reduce' })
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  await page.evaluate(axe.source)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: width < 700 ? 844 : 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const file = `${name}${to.replaceAll('/', '-').replace(/_test_\w+/, '')}-${width}-${colorScheme}.png`
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, file) })
      const across = await page.evaluate('document.documentElement.scrollWidth')
      expect(across, `at ${width}`).toBeLessThanOrEqual(width)
      // Colours differ between themes, the rest between widths.
      if (colorScheme === 'light' || width === 1440)
        expect(await barriersOn(page), `${colorScheme} ${width}`).toEqual([])
    }
  }
}

async function barriersOn(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as { violations: { id: string; nodes: { target: unknown; failureSummary: string }[] }[] }
  return violations.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes[0])}`)
}

/** Something of everything that has a page. */
async function aBusyWorkspace(): Promise<Workspace> {
  const workspace = await office.newWorkspace()
  const { post } = workspace
  await workspace.anEndpoint('http://127.0.0.1:1024/hooks')
  const good = await pay(workspace, cards.good, { order_reference: 'order-1' })
  await pay(workspace, cards.declined)
  await pay(workspace, cards.silent)
  await post('/refunds', { payment_id: good.id, amount: 4_000 })
  await post('/payment-links', { amount: 12_900, currency: 'eur', description: 'Touring wheelset' })
  const [account] = (await workspace.get('/provider-accounts')).body.data
  const wish = { type: 'priority', targets: [account.id] }
  await post('/payment-routes', { name: 'Cards', is_default: true, default: wish })
  await post('/test-clocks', { name: 'A year' })
  await aMethod(workspace)
  await workspace.aCampaign()
  await office.settle()
  return workspace
}

async function aMethod({ post }: Workspace): Promise<void> {
  const { body: token } = await post('/tokens', { type: 'card', card: typed })
  expect((await post('/payment-methods', { token: token.id })).status).toBe(201)
}
