// An office with the dashboard open: the real service, a real simulator, and a Chromium that is watched. Whatever a
// page asks of another host, whatever it calls that the API's document does not have, whatever its policy refuses
// and whatever breaks in it fails the test, whichever it is.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { startChromium } from '../../../../../../scripts/services/chromium.ts'
import type { Role } from '../../../../src/kernel/caller.ts'
import type { HandClock } from '../../../../src/kernel/clock.ts'
import { simulatorForThisFile } from '../../../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../../../support/switchyard.ts'

const desk = { viewport: { width: 1440, height: 900 }, locale: 'en-GB', timezoneId: 'UTC' }

export async function officeForThisFile() {
  const simulator = await simulatorForThisFile()
  const switchyard = await switchyardForThisFile({
    environment: { SIMULATOR_URL: simulator.url },
    overrides: { limits: { providerMs: 1_500, requestMs: 10_000 } },
  })
  const browser = await startChromium()
  afterAll(() => browser.close())

  const wrong: string[] = []
  const contexts: BrowserContext[] = []
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(wrong.splice(0)).toEqual([])
  })

  const origins = [switchyard.dashboardUrl, switchyard.addresses.live, switchyard.addresses.test]
  const newBrowser = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ ...desk, ...options })
    contexts.push(context)
    // The clock of the service stands still, and what pages say of times should be the same each time.
    await context.clock.setFixedTime(timeOf(switchyard.clock))
    await watch(context, origins, wrong)
    return context
  }

  return {
    ...switchyard,
    simulator,
    newBrowser,
    /** Somebody of that role, at a page of the workspace: `to` is what comes behind it in the address. */
    async open(
      workspace: Workspace,
      to = '',
      role: Role = 'ADMIN',
      options: BrowserContextOptions = {},
    ): Promise<Page> {
      const context = await newBrowser(options)
      const { email, password } = await workspace.aPerson(role)
      const answer = await context.request.post(`${switchyard.dashboardUrl}/session`, {
        headers: { origin: switchyard.dashboardUrl },
        data: { email, password },
      })
      expect(answer.status(), await answer.text()).toBe(200)
      const page = await context.newPage()
      await page.goto(`${switchyard.dashboardUrl}/${workspace.workspaceId}${to}`)
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
      return page
    },
  }
}

function timeOf(clock: HandClock): Date {
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

/** Doors of the host that the pages come from. They are the pages' own, and no part of the API. */
const doors = /^\/(session|sessions|invitations)(\/|$)/

async function watch(context: BrowserContext, origins: readonly string[], wrong: string[]): Promise<void> {
  const [dashboard = ''] = origins
  await context.addInitScript({
    content: `addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  context.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (request.url().startsWith('data:')) return
    if (!origins.includes(origin)) wrong.push(`asked another host: ${request.url()}`)
    else if (origin !== dashboard) requireDocumented(request.method(), pathname, wrong)
    else if (request.resourceType() === 'fetch' && !doors.test(pathname))
      wrong.push(`called what is no door: ${pathname}`)
  })
  context.on('console', (message) => {
    // That a request was refused or lost is what some tests are about.
    const isNetwork = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isNetwork) wrong.push(message.text())
  })
  context.on('weberror', (error) => wrong.push(String(error.error())))
}

function requireDocumented(method: string, path: string, wrong: string[]): void {
  if (method === 'OPTIONS') return
  const isKnown = operations.some((operation) => operation.method === method && operation.pattern.test(path))
  if (!isKnown) wrong.push(`called what the API's document does not have: ${method} ${path}`)
}
