/** A service with so many payments, its dashboard, and a browser in which an ADMIN is signed in. */

import { buildApp, buildDashboard } from '../../packages/server/src/app.ts'
import { compose } from '../../packages/server/src/compose.ts'
import { readConfig } from '../../packages/server/src/config.ts'
import type { Id } from '../../packages/server/src/kernel/id.ts'
import { migrate } from '../../packages/server/src/platform/db/migrate.ts'
import { setUp } from '../../packages/server/src/setup.ts'
import { startChromium } from '../../scripts/services/chromium.ts'
import { freePort } from '../../scripts/services/ports.ts'
import { fillHistory } from '../routes/history.ts'
import { throwawayKeys, throwawayPostgres } from '../throwaway.ts'

export async function openOffice(payments: number) {
  const postgres = await throwawayPostgres({ shared_buffers: '256MB' })
  await migrate(postgres.url)
  const [live, test, pages] = [await freePort(), await freePort(), await freePort()]
  const url = `http://localhost:${pages}`
  const switchyard = compose(
    readConfig({
      ...{ DATABASE_URL: postgres.url, MASTER_KEYS: throwawayKeys, LOG_LEVEL: 'silent' },
      ...{ LIVE_LISTEN: `127.0.0.1:${live}`, TEST_LISTEN: `127.0.0.1:${test}`, RATE_LIMIT_TEST: '100000' },
      ...{ DASHBOARD_LISTEN: `127.0.0.1:${pages}`, DASHBOARD_BASE_URL: url },
    }),
  )
  const made = await setUp(switchyard.deps, { organization: 'Measured', email: 'admin@example.com' })
  if (made === null) throw new Error('A new database was set up before.')
  const { email, password, tokens } = made
  const apps = [buildApp(switchyard, 'live'), buildApp(switchyard, 'test'), buildDashboard(switchyard)]
  for (const [at, port] of [live, test, pages].entries()) await apps[at]?.listen({ host: '127.0.0.1', port })

  const browser = await startChromium()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const answer = await context.request.post(`${url}/session`, {
    headers: { origin: url },
    data: { email, password },
  })
  const { workspaces } = await answer.json()
  const { id } = workspaces.find(({ mode }: { mode: string }) => mode === 'test')
  await fillHistory(postgres.url, { workspaceId: id as Id<'workspace'> }, { payments, targets: [id] })

  return {
    async open(to: string) {
      const page = await context.newPage()
      await page.goto(`${url}/${id}${to}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return page
    },
    /** Makes customers, each of which is an event. Answers how many there were. */
    async makeEvents(rate: number, seconds: number): Promise<number> {
      const end = performance.now() + seconds * 1_000
      let count = 0
      const one = () =>
        fetch(`http://127.0.0.1:${test}/customers`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokens.test}`, 'content-type': 'application/json' },
          body: '{}',
        }).then((response) => {
          count += response.ok ? 1 : 0
        })
      while (performance.now() < end) {
        const wave = Array.from({ length: Math.ceil(rate / 20) }, one)
        await Promise.all([...wave, new Promise((done) => setTimeout(done, 50))])
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
