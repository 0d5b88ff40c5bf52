// Requests to server processes that are killed, stopped, or disconnected from the database.

import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect, inject, test } from 'vitest'
import { asOwner } from '../../src/platform/db/owner.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { switchyardForThisFile } from '../support/switchyard.ts'

const switchyard = await switchyardForThisFile()
const environment = {
  DATABASE_URL: switchyard.databaseUrl,
  RATE_LIMIT_TEST: '100000',
  IN_FLIGHT_LIMIT: '1000',
  DATABASE_POOL: '8',
}

const running: ServerProcess[] = []
afterAll(() => Promise.all(running.map((server) => server.kill('SIGKILL'))))

async function start(overrides: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer('api', { ...environment, ...overrides })
  running.push(server)
  return server
}

function post(server: ServerProcess, token: string, key: string | null, body: object): Promise<Response> {
  return fetch(`${server.addresses.test}/customers`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  })
}

test('fifty concurrent repeats of one request to two servers create one object', async () => {
  const { token, get } = await switchyard.newWorkspace()
  const servers = await Promise.all([start(), start()])

  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      post(servers[index % 2] as ServerProcess, token, 'once', { name: 'Ada' }),
    ),
  )

  const bodies = new Set(await Promise.all(responses.map((response) => response.text())))
  expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(201))
  expect(bodies.size).toBe(1)
  expect((await get('/customers')).body.data).toHaveLength(1)
})

test('after a crash between commit and response, another process replays the stored response', async () => {
  const { token, get } = await switchyard.newWorkspace()
  const crashing = await start({ CRASHPOINT: 'reply.lost' })

  await expect(post(crashing, token, 'signup', { name: 'Ada' })).rejects.toThrow()
  expect(await crashing.exited).toBe('SIGKILL')
  const { body: list } = await get('/customers')
  const response = await post(await start(), token, 'signup', { name: 'Ada' })

  expect(response.status).toBe(201)
  expect(response.headers.get('idempotent-replayed')).toBe('true')
  expect(list.data).toHaveLength(1)
  expect(await response.json()).toEqual(list.data[0])
  const other = await post(running.at(-1) as ServerProcess, token, 'signup', { name: 'Grace' })
  expect(other.status).toBe(422)
})

test('when the response to a COMMIT is lost, a request with an idempotency key has exactly one effect', async () => {
  const { token, get } = await switchyard.newWorkspace()
  const proxy = await startFaultProxy(Number(new URL(inject('postgresUrl')).port))
  const server = await start({ DATABASE_URL: proxy.url(switchyard.databaseUrl) })
  // The first request also commits the use of the token. After it, the next commit belongs to the next request.
  await post(server, token, 'warm-up', {})

  proxy.dropNextCommitResponse()
  const response = await post(server, token, 'signup', { name: 'Ada' })
  proxy.dropNextCommitResponse()
  const uncertain = await post(server, token, null, { name: 'Grace' })
  proxy.close()

  expect(proxy.droppedCount()).toBe(2)
  expect(response.status).toBe(201)
  const names = (await get('/customers')).body.data.map((customer: { name: string | null }) => customer.name)
  expect(names.filter((name: string | null) => name === 'Ada')).toHaveLength(1)
  // Without an idempotency key the outcome is unknown: the response says so, and nothing is retried.
  expect(uncertain.status).toBe(503)
  expect(await uncertain.json()).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('may have had an effect'),
  })
  expect(names.filter((name: string | null) => name === 'Grace').length).toBeLessThanOrEqual(1)
})

test('connections that PostgreSQL closes are replaced without failing a request', async () => {
  const { token } = await switchyard.newWorkspace()
  const server = await start()
  await post(server, token, 'a', {})

  const statuses: number[] = []
  for (let round = 0; round < 10; round += 1) {
    await asOwner(switchyard.databaseUrl, (client) =>
      client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ),
    )
    const responses = await Promise.all(
      Array.from({ length: 5 }, (_, index) => post(server, token, `${round}-${index}`, {})),
    )
    statuses.push(...responses.map(({ status }) => status))
  }

  expect(new Set(statuses)).toEqual(new Set([201]))
})

test('a process that receives SIGTERM finishes its requests and exits with 0', async () => {
  const { token } = await switchyard.newWorkspace()
  const server = await start()
  await post(server, token, 'warm-up', {})

  const requests = Promise.all(Array.from({ length: 20 }, (_, index) => post(server, token, `k${index}`, {})))
  await expect.poll(() => server.lines.filter((line) => line.includes('"request"')).length).toBeGreaterThan(1)
  const exitCode = server.kill('SIGTERM')

  const responses = await requests
  expect(await exitCode).toBe(0)
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(201))
  expect(server.lines.at(-1)).toContain('stopped')
})

test('a process that receives SIGTERM does not wait for an idle connection', {
  timeout: 60_000,
}, async () => {
  const { token } = await switchyard.newWorkspace()
  const server = await start({ DRAIN_SECONDS: '0' })
  const unused = connect(Number(new URL(server.addresses.test).port), '127.0.0.1')
  await once(unused, 'connect')
  // Connections are accepted in order, so after this response the server has accepted the idle one.
  expect((await post(server, token, 'later', {})).status).toBe(201)

  // A forced exit would return 1.
  expect(await server.kill('SIGTERM')).toBe(0)
  unused.destroy()
})
