import { afterAll, expect, test } from 'vitest'
import { natsForThisFile } from '../support/nats.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const nats = natsForThisFile()
const switchyard = await switchyardForThisFile()
const running: ServerProcess[] = []
afterAll(() => Promise.all(running.map((server) => server.kill('SIGKILL'))))

test('processes share a limit by number, and one that is gone gives its share back', {
  timeout: 60_000,
}, async () => {
  const { token } = await switchyard.newWorkspace()
  const environment = { DATABASE_URL: switchyard.databaseUrl, NATS_URL: nats.url, RATE_LIMIT_TEST: '60' }
  const [one, other] = [await startServer('api', environment), await startServer('api', environment)]
  running.push(one, other)
  const policyOf = async ({ addresses }: ServerProcess) => {
    const answer = await fetch(`${addresses.test}/me`, { headers: { authorization: `Bearer ${token}` } })
    return answer.headers.get('ratelimit-policy')
  }

  const patience = { timeout: 20_000, interval: 250 }
  await expect.poll(() => policyOf(one), patience).toBe('"default";q=30;w=1')
  await expect.poll(() => policyOf(other), patience).toBe('"default";q=30;w=1')
  await other.kill('SIGKILL')
  await expect.poll(() => policyOf(one), patience).toBe('"default";q=60;w=1')
})
