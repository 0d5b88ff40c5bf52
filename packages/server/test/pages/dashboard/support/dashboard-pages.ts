// Runs the dashboard with the real service, a real simulator and a Chromium. A test fails if a page sends a
// request to another host, calls an endpoint that openapi.json does not contain, violates its content
// security policy, or logs an error.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { startChromium } from '../../../../../../scripts/services/chromium.ts'
import type { Role } from '../../../../src/kernel/caller.ts'
import type { ManualClock } from '../../../../src/kernel/clock.ts'
import { simulatorForThisFile } from '../../../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../support/switchyard.ts'

const desktop = { viewport: { width: 1440, height: 900 }, locale: 'en-GB', timezoneId: 'UTC' }

export async function dashboardForThisFile() {
  const simulator = await simulatorForThisFile()
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
  })
  const browser = await startChromium()
  afterAll(() => browser.close())

  const problems: string[] = []
  const contexts: BrowserContext[] = []
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(problems.splice(0)).toEqual([])
  })

  const origins = [switchyard.dashboardUrl, switchyard.addresses.live, switchyard.addresses.test]
  const newBrowser = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ ...desktop, ...options })
    contexts.push(context)
    // The clock of the server is fixed, so the clock of the browser is fixed too.
    await context.clock.setFixedTime(readClock(switchyard.clock))
    await watchForProblems(context, origins, problems)
    return context
  }

  /** Signs in as a new person with the role. */
  const newSession = async (workspace: Workspace, role: Role): Promise<SignedIn> => {
    const context = await browser.newContext(desktop)
    const { email, password } = await workspace.aPerson(role)
    const response = await context.request.post(`${switchyard.dashboardUrl}/session`, {
      headers: { origin: switchyard.dashboardUrl },
      data: { email, password },
    })
    expect(response.status(), await response.text()).toBe(200)
    const state = await context.storageState()
    await context.close()
    return state
  }

  /** Opens a page of the workspace. `path` is relative to the workspace. */
  const openSignedIn = async (
    workspace: Workspace,
    path: string,
    session: SignedIn,
    options: BrowserContextOptions = {},
  ): Promise<Page> => {
    const context = await newBrowser({ ...options, storageState: session })
    const page = await context.newPage()
    await page.goto(`${switchyard.dashboardUrl}/${workspace.workspaceId}${path}`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  return {
    ...switchyard,
    simulator,
    newBrowser,
    newSession,
    openSignedIn,
    /** Opens a page of the workspace as a new person with the role. */
    open: async (
      workspace: Workspace,
      path = '',
      role: Role = 'ADMIN',
      options: BrowserContextOptions = {},
    ) => openSignedIn(workspace, path, await newSession(workspace, role), options),
  }
}

/** The short confirmation message. The page may have the same text elsewhere, such as in its events. */
export const toast = (page: Page, text: string) => page.getByRole('status').getByText(text)

/** The cookies of a session. */
export type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>

function readClock(clock: ManualClock): Date {
  const reading = clock.read()
  return 'at' in reading ? reading.at : new Date()
}

const document = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../../../../openapi.json'), 'utf8'),
)
const operations = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) => {
  const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`)
  return Object.keys(methods).map((method) => ({ method: method.toUpperCase(), pattern }))
})

/** The session endpoints of the dashboard host, which are not part of the API. */
const dashboardRoutes = /^\/(session|sessions|invitations)(\/|$)/

async function watchForProblems(
  context: BrowserContext,
  origins: readonly string[],
  problems: string[],
): Promise<void> {
  const [dashboard = ''] = origins
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  context.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (request.url().startsWith('data:')) return
    if (!origins.includes(origin)) problems.push(`request to another host: ${request.url()}`)
    else if (origin !== dashboard) requireDocumented(request.method(), pathname, problems)
    else if (request.resourceType() === 'fetch' && !dashboardRoutes.test(pathname))
      problems.push(`request to an unknown route: ${pathname}`)
  })
  context.on('console', (message) => {
    // Some tests cause rejected or lost requests on purpose.
    const isNetwork = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isNetwork) problems.push(message.text())
  })
  context.on('weberror', (error) => problems.push(String(error.error())))
}

function requireDocumented(method: string, path: string, problems: string[]): void {
  if (method === 'OPTIONS') return
  const isKnown = operations.some((operation) => operation.method === method && operation.pattern.test(path))
  if (!isKnown) problems.push(`request to an endpoint that openapi.json does not contain: ${method} ${path}`)
}
