// Runs the payment page with the real service, a real simulator and a Chromium. A test fails if the page
// sends a request to another host, violates its content security policy, or logs an error.

import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { startChromium } from '../../../../../scripts/services/chromium.ts'
import { createLink } from '../../support/checkout.ts'
import { simulatorForThisFile } from '../../support/simulator.ts'
import { openLedger } from '../../support/simulator-ledger.ts'
import { switchyardForThisFile, type Workspace } from '../../support/switchyard.ts'

export type CheckoutPages = Awaited<ReturnType<typeof checkoutPagesForThisFile>>

/** The smallest phone that is supported. */
const phone = { viewport: { width: 360, height: 740 }, locale: 'en-US' }

type PageOptions = {
  /** Other origins that the page may send requests to. */
  readonly hosts?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

export async function checkoutPagesForThisFile({ hosts = [], environment = {} }: PageOptions = {}) {
  const simulator = await simulatorForThisFile()
  const ledger = openLedger(simulator.url)
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url, ...environment },
    overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
  })
  const browser = await startChromium()
  afterAll(() => browser.close())

  const origin = switchyard.addresses.test
  const problems: string[] = []
  const contexts: BrowserContext[] = []
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(problems.splice(0)).toEqual([])
  })

  /** The browser context of one payer. Its tabs share their storage. */
  const newPayer = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ ...phone, ...options })
    contexts.push(context)
    await watchForProblems(context, [origin, ...hosts], problems)
    return context
  }

  return {
    ...switchyard,
    simulator,
    origin,
    newPayer,
    /** Creates a workspace with one payment link. */
    async createLink(members: object = {}, branding: object = { display_name: 'Northwind Bicycles' }) {
      const workspace = await switchyard.newWorkspace()
      expect((await workspace.put('/workspace', { branding })).status).toBe(200)
      return { workspace, link: await createLink(workspace, { amount: 12_900, ...members }) }
    },
    async open(link: { readonly url: string }, options: BrowserContextOptions = {}): Promise<Page> {
      const page = await (await newPayer(options)).newPage()
      await page.goto(link.url)
      await page.locator('.sheet').waitFor()
      return page
    },
    /** Advances the clocks of the server and of the simulator, and runs due work. */
    async advanceTime(seconds: number): Promise<void> {
      switchyard.clock.advance({ seconds })
      await ledger.advance(seconds * 1000)
      await switchyard.settle()
    },
    /** The charges of all payments of the workspace, according to the ledger of the simulator. */
    async fetchCharges({ get }: Workspace): Promise<{ approvals: number; captured: number }> {
      const { body } = await get('/payments?limit=100')
      const totals = await Promise.all(body.data.map(({ id }: { id: string }) => ledger.fetchTotals(id)))
      return {
        approvals: totals.reduce((sum, { approvals }) => sum + approvals, 0),
        captured: totals.reduce((sum, { captured }) => sum + captured, 0),
      }
    },
  }
}

async function watchForProblems(
  context: BrowserContext,
  origins: readonly string[],
  problems: string[],
): Promise<void> {
  const [origin = ''] = origins
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  context.on('request', (request) => {
    if (request.isNavigationRequest() || !request.frame().url().startsWith(origin)) return
    if (![...origins, 'data:'].some((allowed) => request.url().startsWith(allowed)))
      problems.push(`request to another host: ${request.url()}`)
  })
  context.on('console', (message) => {
    // Some tests cause rejected or lost requests on purpose.
    const isNetwork = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isNetwork) problems.push(message.text())
  })
  context.on('weberror', (error) => problems.push(String(error.error())))
}
