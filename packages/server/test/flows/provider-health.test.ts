// A breaker that one process opens is open for every other about a second later, whatever NATS does meanwhile.

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

/** As NATS may be for a process: there, configured but gone, or none at all. */
const places = {
  'with NATS': async () => nats.url,
  'with NATS away': async () => `nats://127.0.0.1:${await freePort()}`,
  'without NATS': async () => null,
}

/** Another process in all but name: its own connections, its own memory. */
function another(natsUrl: string | null) {
  const other = compose({ ...switchyard.config, natsUrl }, { clock: databaseClock, log: switchyard.log })
  other.health.start()
  onTestFinished(() => other.close())
  return other.deps.health
}

async function anAccount({ get, workspaceId }: Workspace) {
  const { body } = await get('/provider-accounts?limit=1')
  return { workspaceId: workspaceId as Id<'workspace'>, id: body.data[0].id as Id<'provider_account'> }
}

async function fail(account: Awaited<ReturnType<typeof anAccount>>): Promise<void> {
  const learned = { is: 'unknown', fault: { code: 'timeout', message: 'Silence.' } } as const
  for (let nth = 0; nth < 10; nth += 1)
    switchyard.deps.health.note(account, { kind: 'authorize', learned, tookMs: 1 })
  await switchyard.health.flush()
}

test.each(Object.keys(places) as (keyof typeof places)[])(
  '%s another process sees it, and only it',
  async (place) => {
    const other = another(await places[place]())
    const [failing, well] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
    const [account, healthy] = [await anAccount(failing), await anAccount(well)]

    await fail(account)

    await until('the other process knows', () => other.isOpen(account.id, 'authorize'))
    expect([other.isOpen(account.id, 'rest'), other.isOpen(healthy.id, 'authorize')]).toEqual([false, false])
  },
)

test('a server that runs hears of it, and of its end', { timeout: 60_000 }, async () => {
  const ops = `127.0.0.1:${await freePort()}`
  const environment = {
    DATABASE_URL: switchyard.databaseUrl,
    NATS_URL: nats.url,
    SIMULATOR_URL: simulator.url,
    OPS_LISTEN: ops,
  }
  running.push(await startServer('all', environment))
  const openOnes = async () => {
    const text = await (await fetch(`http://${ops}/metrics`)).text()
    return Number(/^switchyard_provider_breakers_open\{mode="test",lane="authorize"\} (\d+)/m.exec(text)?.[1])
  }
  const inDatabase = (text: string) => asOwner(switchyard.databaseUrl, (client) => client.query(text))
  await inDatabase("update provider_health set state = 'closed', next_probe_at = null")
  await expect.poll(openOnes, { timeout: 20_000, interval: 100 }).toBe(0)
  const workspace = await switchyard.newWorkspace()
  const account = await anAccount(workspace)

  await fail(account)

  await expect.poll(openOnes, { timeout: 10_000, interval: 50 }).toBe(1)
  // As if its time were over: its worker asks the simulator, which is well.
  await inDatabase(
    "update provider_health set open_until_at = now(), next_probe_at = now() where state = 'open'",
  )
  const breaker = async () =>
    (await workspace.get(`/provider-accounts/${account.id}`)).body.health.breaker.authorize
  await expect.poll(breaker, { timeout: 40_000, interval: 250 }).toBe('closed')
})
