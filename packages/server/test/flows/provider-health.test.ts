// A circuit breaker that one process opens is open in every other process about a second later, with or
// without NATS.

import { afterAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../scripts/services/ports.ts'
import { compose } from '../../src/compose.ts'
import { databaseClock } from '../../src/kernel/clock.ts'
import type { Id } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { natsForThisFile } from '../support/nats.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import { until } from './support/wait.ts'

const nats = natsForThisFile()
const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { clock: databaseClock },
})
const running: ServerProcess[] = []
afterAll(() => Promise.all(running.map((server) => server.kill('SIGKILL'))))

/** The state of NATS for a process: available, configured but unavailable, or not configured. */
const natsUrls = {
  'with NATS': async () => nats.url,
  'with NATS unavailable': async () => `nats://127.0.0.1:${await freePort()}`,
  'without NATS': async () => null,
}

/** Health tracking with separate connections and memory, as in another process. */
function startOtherProcess(natsUrl: string | null) {
  const other = compose({ ...switchyard.config, natsUrl }, { clock: databaseClock, log: switchyard.log })
  other.health.start()
  onTestFinished(() => other.close())
  return other.deps.health
}

async function firstAccount({ get, workspaceId }: Workspace) {
  const { body } = await get('/provider-accounts?limit=1')
  return { workspaceId: workspaceId as Id<'workspace'>, id: body.data[0].id as Id<'provider_account'> }
}

async function failRequests(account: Awaited<ReturnType<typeof firstAccount>>): Promise<void> {
  const result = { is: 'unknown', fault: { code: 'timeout', message: 'No response.' } } as const
  for (let count = 0; count < 10; count += 1)
    switchyard.deps.health.recordResult(account, { kind: 'authorize', observed: result, tookMs: 1 })
  await switchyard.health.flush()
}

test.each(Object.keys(natsUrls) as (keyof typeof natsUrls)[])(
  '%s, another process sees the open breaker of this account and operation only',
  async (natsState) => {
    const otherHealth = startOtherProcess(await natsUrls[natsState]())
    const [failing, other] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
    const [account, otherAccount] = [await firstAccount(failing), await firstAccount(other)]

    await failRequests(account)

    await until('the breaker is open', () => otherHealth.isOpen(account.id, 'authorize'))
    expect(otherHealth.isOpen(account.id, 'rest')).toBe(false)
    expect(otherHealth.isOpen(otherAccount.id, 'authorize')).toBe(false)
  },
)

test('a running server learns that a breaker opened, probes the account and closes the breaker', {
  timeout: 60_000,
}, async () => {
  const ops = `127.0.0.1:${await freePort()}`
  const environment = {
    DATABASE_URL: switchyard.databaseUrl,
    NATS_URL: nats.url,
    SIMULATOR_URL: simulator.url,
    OPS_LISTEN: ops,
  }
  running.push(await startServer('all', environment))
  const countOpenBreakers = async () => {
    const text = await (await fetch(`http://${ops}/metrics`)).text()
    return Number(/^switchyard_provider_breakers_open\{mode="test",lane="authorize"\} (\d+)/m.exec(text)?.[1])
  }
  const runSql = (text: string) => asOwner(switchyard.databaseUrl, (client) => client.query(text))
  await runSql("update provider_health set state = 'closed', next_probe_at = null")
  await expect.poll(countOpenBreakers, { timeout: 20_000, interval: 100 }).toBe(0)
  const workspace = await switchyard.newWorkspace()
  const account = await firstAccount(workspace)

  await failRequests(account)

  await expect.poll(countOpenBreakers, { timeout: 10_000, interval: 50 }).toBe(1)
  // End the open period, so that the worker probes the simulator, which is healthy.
  await runSql("update provider_health set open_until_at = now(), next_probe_at = now() where state = 'open'")
  const breaker = async () =>
    (await workspace.get(`/provider-accounts/${account.id}`)).body.health.breaker.authorize
  await expect.poll(breaker, { timeout: 40_000, interval: 250 }).toBe('closed')
})
