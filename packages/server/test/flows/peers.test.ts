import { afterAll, expect, test } from 'vitest'
import { natsForThisFile } from '../support/nats.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const nats = natsForThisFile()
const switchyard = await switchyardForThisFile()
const running: ServerProcess[] = []
afterAll(() => Promise.all(running.map((server) => server.kill('SIGKILL'))))

test('processes share a rate limit equally, and the share of a process that ends goes to the others', {
  timeout: 60_000,
}, async () => {
  const { token } = await switchyard.newWorkspace()
  const environment = { DATABASE_URL: switchyard.databaseUrl, NATS_URL: nats.url, RATE_LIMIT_TEST: '60' }
  const [first, second] = [await startServer('api', environment), await startServer('api', environment)]
  running.push(first, second)
  const readPolicy = async ({ addresses }: ServerProcess) => {
    const response = await fetch(`${addresses.test}/me`, { headers: { authorization: `Bearer ${token}` } })
    return response.headers.get('ratelimit-policy')
  }

  const pollOptions = { timeout: 20_000, interval: 250 }
  await expect.poll(() => readPolicy(first), pollOptions).toBe('"default";q=30;w=1')
  await expect.poll(() => readPolicy(second), pollOptions).toBe('"default";q=30;w=1')
  await second.kill('SIGKILL')
  await expect.poll(() => readPolicy(first), pollOptions).toBe('"default";q=60;w=1')
})
