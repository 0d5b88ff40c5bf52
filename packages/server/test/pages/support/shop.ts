// A shop with a payment page, and a browser in front of it: the real service, a real simulator whose books judge
// what was taken, and a Chromium that is watched. Whatever the page asks of another host, whatever its policy
// refuses and whatever breaks in it fails the test, whichever it is.

import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { startChromium } from '../../../../../scripts/services/chromium.ts'
import { aLink } from '../../support/checkout.ts'
import { ledgerOf } from '../../support/ledger.ts'
import { simulatorForThisFile } from '../../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../support/switchyard.ts'

export type Shop = Awaited<ReturnType<typeof shopForThisFile>>

/** As a person at a telephone: the smallest one that we promise to fit. */
const phone = { viewport: { width: 360, height: 740 }, locale: 'en-US' }

export async function shopForThisFile() {
  const simulator = await simulatorForThisFile()
  const ledger = ledgerOf(simulator.url)
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
  })
  const browser = await startChromium()
  afterAll(() => browser.close())

  const origin = switchyard.addresses.test
  const wrong: string[] = []
  const contexts: BrowserContext[] = []
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(wrong.splice(0)).toEqual([])
  })

  /** A browser of one payer: tabs of the same one share what it remembers. */
  const newPayer = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ ...phone, ...options })
    contexts.push(context)
    await watch(context, origin, wrong)
    return context
  }

  return {
    ...switchyard,
    simulator,
    origin,
    newPayer,
    /** A shop of its own for the test, with one link. */
    async sell(members: object = {}, branding: object = { display_name: 'Northwind Bicycles' }) {
      const workspace = await switchyard.newWorkspace()
      expect((await workspace.put('/workspace', { branding })).status).toBe(200)
      return { workspace, link: await aLink(workspace, { amount: 12_900, ...members }) }
    },
    async open(link: { readonly url: string }, options: BrowserContextOptions = {}): Promise<Page> {
      const page = await (await newPayer(options)).newPage()
      await page.goto(link.url)
      await page.locator('.sheet').waitFor()
      return page
    },
    /** The time passes, here and at the simulator, and what is due is done. */
    async letPass(seconds: number): Promise<void> {
      switchyard.clock.advance({ seconds })
      await ledger.advance(seconds * 1000)
      await switchyard.settle()
    },
    /** What was taken for all payments of the workspace, by the books of the simulator. */
    async chargesOf({ get }: Workspace): Promise<{ approvals: number; captured: number }> {
      const { body } = await get('/payments?limit=100')
      const sums = await Promise.all(body.data.map(({ id }: { id: string }) => ledger.sumsOf(id)))
      return {
        approvals: sums.reduce((sum, { approvals }) => sum + approvals, 0),
        captured: sums.reduce((sum, { captured }) => sum + captured, 0),
      }
    },
  }
}

async function watch(context: BrowserContext, origin: string, wrong: string[]): Promise<void> {
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  context.on('request', (request) => {
    if (request.isNavigationRequest() || !request.frame().url().startsWith(origin)) return
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      wrong.push(`asked another host: ${request.url()}`)
  })
  context.on('console', (message) => {
    // That a request was refused or lost is what some tests are about.
    const isNetwork = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isNetwork) wrong.push(message.text())
  })
  context.on('weberror', (error) => wrong.push(String(error.error())))
}
