// Runs every recipe of `trigger` against a real server with its worker and the simulator, and waits for the event.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Switchyard } from '@switchyard/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../../scripts/services/ports.ts'
import { newDatabase } from '../../server/test/support/database.ts'
import { inheritedEnvironment } from '../../server/test/support/inherited-environment.ts'
import { testMasterKeys } from '../../server/test/support/master-keys.ts'
import { natsForThisFile } from '../../server/test/support/nats.ts'
import { programPath } from '../../server/test/support/program-path.ts'
import { type ServerProcess, startServer } from '../../server/test/support/server-process.ts'
import { simulatorForThisFile } from '../../server/test/support/simulator.ts'
import { type EventTypeName, recipes } from '../src/triggers/recipes.ts'
import { runTrigger } from '../src/triggers/run-trigger.ts'

// The slowest recipes wait until an account is probed again, or until a provider reports the outcome of a payment.
vi.setConfig({ testTimeout: 300_000 })

const nats = natsForThisFile()
const simulator = await simulatorForThisFile()
const main = programPath('server')
let server: ServerProcess
let client: Switchyard

beforeAll(async () => {
  const settings = {
    // The simulator sends its webhooks to this address.
    TEST_LISTEN: `127.0.0.1:${await freePort()}`,
    DATABASE_URL: await newDatabase(),
    SIMULATOR_URL: simulator.url,
    MASTER_KEYS: testMasterKeys,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  }
  const env = { ...inheritedEnvironment, ...settings }
  const setup = await promisify(execFile)(process.execPath, [main, 'setup', '--email', 'ada@example.com'], {
    env,
  })
  server = await startServer('all', { ...settings, NATS_URL: nats.url, RATE_LIMIT_TEST: '1000' })
  client = new Switchyard({ token: JSON.parse(setup.stdout).tokens.test, baseUrl: server.addresses.test })
})
afterAll(() => server?.kill('SIGTERM'))

// Vitest runs five at a time. Types that wait for the server start first, so that the others run in the
// meantime.
const slowest: readonly string[] = ['provider_account.recovered', 'payment.resolved', 'payment.unresolved']
const triggerableTypes = (Object.keys(recipes) as EventTypeName[])
  .filter((type) => 'run' in recipes[type])
  .toSorted((a, b) => slowest.indexOf(b) - slowest.indexOf(a))

test.concurrent.each(triggerableTypes)('%s', async (type) => {
  const recipe = recipes[type]
  if (!('run' in recipe)) return
  const waitSeconds = (recipe.waitSeconds ?? 30) * 2

  const event = await runTrigger(client, type, recipe, { signal: AbortSignal.timeout(290_000), waitSeconds })

  expect(event).toMatchObject({ object: 'event', type })
})

test('most event types can be triggered, and the others say why not', () => {
  const untriggerable = Object.values(recipes).filter((recipe) => 'why' in recipe)

  expect(triggerableTypes.length).toBeGreaterThan(80)
  expect(untriggerable.map(({ why }) => why.length > 20)).toEqual(untriggerable.map(() => true))
})
