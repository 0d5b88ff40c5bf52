/** Starts a server with many payments, its dashboard, and a browser in which an ADMIN is signed in. */

import { buildApp, buildDashboard } from '../../packages/server/src/app.ts'
import { compose } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import type { Id } from '../../packages/server/src/kernel/id.ts'
import { migrate } from '../../packages/server/src/platform/db/migrate.ts'
import { setUp } from '../../packages/server/src/setup.ts'
import { startChromium } from '../../scripts/services/chromium.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { fillHistory } from '../routes/history.ts'
import { startTemporaryPostgres, temporaryMasterKeys } from '../temporary-postgres.ts'

export async function startDashboard(payments: number) {
  const postgres = await startTemporaryPostgres({ shared_buffers: '256MB' })
  await migrate(postgres.url)
  const [livePort, testPort, dashboardPort] = [await freePort(), await freePort(), await freePort()]
  const url = `http://localhost:${dashboardPort}`
  const switchyard = compose(
    readConfig({
      DATABASE_URL: postgres.url,
      MASTER_KEYS: temporaryMasterKeys,
      LOG_LEVEL: 'silent',
      LIVE_LISTEN: `127.0.0.1:${livePort}`,
      TEST_LISTEN: `127.0.0.1:${testPort}`,
      RATE_LIMIT_TEST: '100000',
      DASHBOARD_LISTEN: `127.0.0.1:${dashboardPort}`,
      DASHBOARD_BASE_URL: url,
    }),
  )
  const account = await setUp(switchyard.deps, { organization: 'Measured', email: 'admin@example.com' })
  if (account === null) throw new Error('The database is already set up.')
  const { email, password, tokens } = account
  const apps = [buildApp(switchyard, 'live'), buildApp(switchyard, 'test'), buildDashboard(switchyard)]
  for (const [at, port] of [livePort, testPort, dashboardPort].entries())
    await apps[at]?.listen({ host: '127.0.0.1', port })

  const browser = await startChromium()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const response = await context.request.post(`${url}/session`, {
    headers: { origin: url },
    data: { email, password },
  })
  const { workspaces } = await response.json()
  const { id } = workspaces.find(({ mode }: { mode: string }) => mode === 'test')
  await fillHistory(postgres.url, { workspaceId: id as Id<'workspace'> }, { payments, targets: [id] })

  return {
    async open(path: string) {
      const page = await context.newPage()
      await page.goto(`${url}/${id}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return page
    },
    /** Creates customers, each of which emits an event. Returns the number of events. */
    async createEvents(rate: number, seconds: number): Promise<number> {
      const end = performance.now() + seconds * 1_000
      let count = 0
      const createCustomer = () =>
        fetch(`http://127.0.0.1:${testPort}/customers`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokens.test}`, 'content-type': 'application/json' },
          body: '{}',
        }).then((response) => {
          count += response.ok ? 1 : 0
        })
      while (performance.now() < end) {
        const batch = Array.from({ length: Math.ceil(rate / 20) }, createCustomer)
        await Promise.all([...batch, new Promise((resolve) => setTimeout(resolve, 50))])
      }
      return count
    },
    async close() {
      await browser.close()
      await Promise.all(apps.map((app) => app.close()))
      await switchyard.close()
      await postgres.remove()
    },
  }
}
