// Every recipe of `trigger`, against the real server with its worker and the simulator: the event comes about.

import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { Switchyard } from '@switchyard/sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newDatabase } from '../../server/test/support/database.ts'
import { inherited } from '../../server/test/support/inherited.ts'
import { testMasterKeys } from '../../server/test/support/master-keys.ts'
import { natsForThisFile } from '../../server/test/support/nats.ts'
import { type ServerProcess, startServer } from '../../server/test/support/server-process.ts'
import { simulatorForThisFile } from '../../server/test/support/simulator.ts'
import { bringAbout } from '../src/triggers/bring-about.ts'
import { type EventTypeName, recipes } from '../src/triggers/recipes.ts'

// The slowest waits until it has not been known for ten seconds what became of a payment, and then for the look.
vi.setConfig({ testTimeout: 300_000 })

const nats = natsForThisFile()
const simulator = await simulatorForThisFile()
const main = resolve(import.meta.dirname, '../../server/src/main.ts')
let server: ServerProcess
let client: Switchyard

beforeAll(async () => {
  const settings = {
    DATABASE_URL: await newDatabase(),
    SIMULATOR_URL: simulator.url,
    MASTER_KEYS: testMasterKeys,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  }
  const env = { ...inherited, ...settings }
  const made = await promisify(execFile)(process.execPath, [main, 'setup', '--email', 'ada@example.com'], {
    env,
  })
  server = await startServer('all', { ...settings, NATS_URL: nats.url, RATE_LIMIT_TEST: '1000' })
  client = new Switchyard({ token: JSON.parse(made.stdout).tokens.test, baseUrl: server.addresses.test })
})
afterAll(() => server?.kill('SIGTERM'))

const possible = (Object.keys(recipes) as EventTypeName[]).filter((type) => 'run' in recipes[type])

test.concurrent.each(possible)('%s', async (type) => {
  const recipe = recipes[type]
  if (!('run' in recipe)) return
  const waitSeconds = (recipe.waitSeconds ?? 30) * 2

  const event = await bringAbout(client, type, recipe, { signal: AbortSignal.timeout(290_000), waitSeconds })

  expect(event).toMatchObject({ object: 'event', type })
})

test('most types can be brought about, and every other one says why not', () => {
  const others = Object.values(recipes).filter((recipe) => 'why' in recipe)

  expect(possible.length).toBeGreaterThan(80)
  expect(others.map(({ why }) => why.length > 20)).toEqual(others.map(() => true))
})
