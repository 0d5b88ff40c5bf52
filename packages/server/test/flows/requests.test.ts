// Requests against real processes that are killed, cut off and asked to stop.

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

async function start(more: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer('api', { ...environment, ...more })
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

test('fifty repeats of one request over two servers make one object', async () => {
  const { token, get } = await switchyard.newWorkspace()
  const servers = await Promise.all([start(), start()])

  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, place) =>
      post(servers[place % 2] as ServerProcess, token, 'once', { name: 'Ada' }),
    ),
  )

  const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())))
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201))
  expect(bodies.size).toBe(1)
  expect((await get('/customers')).body.data).toHaveLength(1)
})

test('a process killed between commit and answer replays the answer afterwards', async () => {
  const { token, get } = await switchyard.newWorkspace()
  const doomed = await start({ CRASHPOINT: 'reply.lost' })

  await expect(post(doomed, token, 'signup', { name: 'Ada' })).rejects.toThrow()
  expect(await doomed.exited).toBe('SIGKILL')
  const { body: list } = await get('/customers')
  const answer = await post(await start(), token, 'signup', { name: 'Ada' })

  expect(answer.status).toBe(201)
  expect(answer.headers.get('idempotent-replayed')).toBe('true')
  expect(list.data).toHaveLength(1)
  expect(await answer.json()).toEqual(list.data[0])
  const other = await post(running.at(-1) as ServerProcess, token, 'signup', { name: 'Grace' })
  expect(other.status).toBe(422)
})

test('when the answer to a COMMIT is lost, a request with a key finds out and has one effect', async () => {
  const { token, get } = await switchyard.newWorkspace()
  const proxy = await startFaultProxy(Number(new URL(inject('postgresUrl')).port))
  const server = await start({ DATABASE_URL: proxy.url(switchyard.databaseUrl) })
  // Once, so that the use of the token is noted and the next commit is that of the request.
  await post(server, token, 'warm-up', {})

  proxy.loseNextCommitAnswer()
  const answer = await post(server, token, 'signup', { name: 'Ada' })
  proxy.loseNextCommitAnswer()
  const uncertain = await post(server, token, null, { name: 'Grace' })
  proxy.close()

  expect(proxy.lost()).toBe(2)
  expect(answer.status).toBe(201)
  const names = (await get('/customers')).body.data.map((customer: { name: string | null }) => customer.name)
  expect(names.filter((name: string | null) => name === 'Ada')).toHaveLength(1)
  // Without a key nobody can know: the answer says so, and nothing is tried a second time.
  expect(uncertain.status).toBe(503)
  expect(await uncertain.json()).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining('not certain'),
  })
  expect(names.filter((name: string | null) => name === 'Grace').length).toBeLessThanOrEqual(1)
})

test('connections that Postgres ends are replaced without an error', async () => {
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
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, place) => post(server, token, `${round}-${place}`, {})),
    )
    statuses.push(...answers.map(({ status }) => status))
  }

  expect(new Set(statuses)).toEqual(new Set([201]))
})

test('a process that is asked to stop finishes what it has begun, and then ends well', async () => {
  const { token } = await switchyard.newWorkspace()
  const server = await start()
  await post(server, token, 'warm-up', {})

  const underWay = Promise.all(Array.from({ length: 20 }, (_, place) => post(server, token, `k${place}`, {})))
  await expect.poll(() => server.lines.filter((line) => line.includes('"request"')).length).toBeGreaterThan(1)
  const ended = server.kill('SIGTERM')

  const answers = await underWay
  expect(await ended).toBe(0)
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
  expect(server.lines.at(-1)).toContain('stopped')
})

test('a process that is asked to stop does not wait for a connection on which nothing was ever asked', {
  timeout: 60_000,
}, async () => {
  const { token } = await switchyard.newWorkspace()
  const server = await start({ DRAIN_SECONDS: '0' })
  const unused = connect(Number(new URL(server.addresses.test).port), '127.0.0.1')
  await once(unused, 'connect')
  // Connections are taken in their order: with the answer to a later one, this one is known to the server.
  expect((await post(server, token, 'later', {})).status).toBe(201)

  // By force it would end with 1.
  expect(await server.kill('SIGTERM')).toBe(0)
  unused.destroy()
})
