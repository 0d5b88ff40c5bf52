import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Type } from 'typebox'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openSocket, requestHead } from '../../../test/hostile/support/raw-socket.ts'
import { asOwner } from '../../../test/support/owner.ts'
import { openStream } from '../../../test/support/stream-reader.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { buildApp } from '../../app.ts'
import type { Mode } from '../../kernel/id.ts'
import type { HttpContext } from './http-context.ts'
import { createInFlight } from './limits.ts'
import { stream } from './operation.ts'
import { addOperations, createServer } from './server.ts'

const switchyard = await switchyardForThisFile()
const shortTimeouts = { heartbeatMs: 200, recheckMs: 50 }

/** A server as built by app.ts, except for `changes`. */
async function serverWith(changes: Partial<HttpContext>) {
  const httpContext = (mode: Mode) => ({ ...switchyard.httpContext(mode), ...changes })
  const app = buildApp({ ...switchyard, httpContext }, 'test')
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  return { app, address }
}

async function createWorkspaceAt(address: string): Promise<Workspace> {
  return { ...(await switchyard.newWorkspace()), address }
}

test('a stream without events sends heartbeats, even beyond the handler timeout', async () => {
  const { address } = await serverWith({ timeouts: { ...shortTimeouts, handlerMs: 300 } })
  const reader = await openStream(await createWorkspaceAt(address))

  const frames = []
  for (let count = 0; count < 6; count += 1) frames.push(await reader.frame())

  expect(frames.map((frame) => frame?.event)).not.toContain('event')
  expect(frames).not.toContain(null)
})

test('a reader whose filter matches no event gets new cursors', async () => {
  const { address } = await serverWith({ timeouts: shortTimeouts })
  const workspace = await createWorkspaceAt(address)
  const reader = await openStream(workspace, '?types=customer.deleted')
  const first = await reader.frame()
  await workspace.aCustomer()

  const cursors = new Set([first?.id])
  while (cursors.size < 3) cursors.add((await reader.frame())?.id || first?.id)
  const [, , newest] = [...cursors]
  await reader.close()

  // Events before this cursor are not read again, whatever the filter.
  const again = await openStream(workspace, `?cursor=${newest}`)
  const customer = await workspace.aCustomer()
  const [frame] = await again.events(1)
  expect(JSON.parse(frame?.data.data).object.id).toBe(customer)
})

test('the first cursor is sent immediately', async () => {
  const { address } = await serverWith({ timeouts: { heartbeatMs: 600_000 } })
  const reader = await openStream(await createWorkspaceAt(address))

  expect(await reader.frame()).toMatchObject({ event: 'cursor' })
})

test('a stream ends cleanly when its time limit is reached', async () => {
  const { address } = await serverWith({ timeouts: { ...shortTimeouts, streamMs: 300 } })
  const workspace = await createWorkspaceAt(address)
  const reader = await openStream(workspace)
  const cursor = (await reader.frame())?.id

  expect(await reader.rest()).toEqual([])

  const customer = await workspace.aCustomer()
  const again = await openStream(workspace, '', { 'last-event-id': String(cursor) })
  const [frame] = await again.events(1)
  expect(JSON.parse(frame?.data.data).object.id).toBe(customer)
})

test('revoking a token ends the streams that were opened with it, and no others', async () => {
  const { address } = await serverWith({ timeouts: shortTimeouts })
  const workspace = await createWorkspaceAt(address)
  const { body: created } = await workspace.post('/api-tokens', { name: 'to be revoked', role: 'READ_ONLY' })
  const [revoked, other] = [
    await openStream({ address, token: created.token }),
    await openStream({ address, token: workspace.token }),
  ]
  await workspace.post(`/api-tokens/${created.id}/revoke`)

  expect(await revoked.rest()).toEqual([])

  await workspace.aCustomer()
  expect(await other.events(1)).toHaveLength(1)
})

test.each(['closes', 'is draining'])('a stream ends cleanly when the server %s', async (how) => {
  let draining = false
  const { app, address } = await serverWith({ timeouts: shortTimeouts, isDraining: () => draining })
  const reader = await openStream(await createWorkspaceAt(address))
  await reader.frame()

  const closed = how === 'closes' ? app.close() : Promise.resolve()
  draining = how !== 'closes'

  expect(await reader.rest()).toEqual([])
  await closed
})

test('a workspace can have 20 open streams, and closing one makes room', async () => {
  const workspace = await switchyard.newWorkspace()
  const readers = await Promise.all(Array.from({ length: 20 }, () => openStream(workspace)))

  const rejected = await openStream(workspace)
  expect([rejected.status, rejected.problem?.code]).toEqual([429, 'too_many_in_flight'])
  expect(rejected.headers.get('retry-after')).toBe('5')
  expect((await openStream(await switchyard.newWorkspace())).status).toBe(200)

  await readers[0]?.close()
  await vi.waitFor(async () => expect((await openStream(workspace)).status).toBe(200), 5_000)
})

test('a stream does not count as a request in flight', async () => {
  const { address } = await serverWith({ inFlight: createInFlight(1) })
  const { token } = await switchyard.newWorkspace()
  await openStream({ address, token })

  const response = await fetch(`${address}/me`, { headers: { authorization: `Bearer ${token}` } })

  expect(response.status).toBe(200)
})

test('the number of streams per process is limited', async () => {
  const { address } = await serverWith({ streams: createInFlight(20, 2) })
  await openStream(await createWorkspaceAt(address))
  await openStream(await createWorkspaceAt(address))

  expect((await openStream(await createWorkspaceAt(address))).problem?.code).toBe('too_many_in_flight')
})

test('a stream is one entry in the request log, written when it ends, whichever side ended it', async () => {
  let draining = false
  const { address } = await serverWith({ timeouts: shortTimeouts, isDraining: () => draining })
  const workspace = await createWorkspaceAt(address)
  const loggedIds = async () => {
    await switchyard.flushRequestLog()
    const { body } = await workspace.get('/requests?limit=100')
    const lines = body.data.filter(({ operation }: { operation: string }) => operation === 'events.stream')
    return lines.map(({ id }: { id: string }) => id)
  }
  const [endedByServer, endedByReader] = [await openStream(workspace), await openStream(workspace)]
  expect(await loggedIds()).toEqual([])

  await endedByReader.close()
  await vi.waitFor(
    async () => expect(await loggedIds()).toEqual([endedByReader.headers.get('request-id')]),
    5_000,
  )
  draining = true
  await endedByServer.rest()
  await vi.waitFor(async () => expect(await loggedIds()).toHaveLength(2), 5_000)
})

/** A stream of many long items, on a separate server. `produced` counts the items for each reader. */
async function longStream(count: number, timeouts: HttpContext['timeouts'] = {}) {
  const context = {
    ...switchyard.httpContext('test'),
    access: { 'test.follow': ['ADMIN'] as const },
    timeouts,
  }
  const app = createServer(context)
  const produced: number[] = []
  const long = 'x'.repeat(50_000)
  async function* longItems(reader: number) {
    for (let index = 0; index < count; index += 1) {
      produced[reader] = index + 1
      yield { cursor: String(index), result: { text: long } }
    }
  }
  const follow = stream({
    id: 'test.follow',
    path: '/follow',
    summary: 'Follow the items of the test',
    response: Type.Object({ text: Type.String() }),
    present: (result: { text: string }) => result,
    handle: async () => longItems(produced.push(0) - 1),
  })
  addOperations(app, context, [follow])
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  const { token } = await switchyard.newWorkspace()
  return { app, address, token, sockets, produced }
}

/** Sends a request, and does not read the response until the socket is resumed. */
async function requestWithoutReading(address: string, token: string): Promise<Socket> {
  const socket = await openSocket(address)
  onTestFinished(() => void socket.destroy())
  socket.pause()
  socket.write(requestHead('GET /follow HTTP/1.1', [`Authorization: Bearer ${token}`]))
  return socket
}

test('data is not buffered for a reader that does not read, and the reader gets all data once it reads', {
  timeout: 60_000,
}, async () => {
  const { address, token, sockets, produced } = await longStream(1_000)
  const slow = await requestWithoutReading(address, token)
  await vi.waitFor(() => expect(sockets[0]?.writableNeedDrain).toBe(true), 10_000)

  // The other reader has received everything by now, so there was time to buffer. Some data is always in
  // flight.
  const response = await fetch(`${address}/follow`, { headers: { authorization: `Bearer ${token}` } })
  expect(countItems(await response.text())).toBe(1_000)
  expect(produced[1]).toBe(1_000)
  expect(produced[0]).toBeLessThan(500)

  const received = text(slow)
  slow.resume()
  expect(countItems(await received)).toBe(1_000)
})

function countItems(received: string): number {
  return received.match(/^event: event$/gm)?.length ?? 0
}

test('a reader that does not read does not delay the end of the stream', async () => {
  const { app, address, token, sockets } = await longStream(1_000)
  await requestWithoutReading(address, token)
  await vi.waitFor(() => expect(sockets[0]?.writableNeedDrain).toBe(true), 10_000)

  const closed = once(sockets[0] as Socket, 'close')
  await app.close()
  await closed
})

test('a failure ends the stream and is logged', async () => {
  const lines: string[] = []
  const log = { ...switchyard.log, warn: (line: string) => void lines.push(line) }
  const { address } = await serverWith({ log, timeouts: shortTimeouts })
  const workspace = await createWorkspaceAt(address)
  const reader = await openStream(workspace)
  await reader.frame()

  const { databaseUrl } = switchyard
  await asOwner(databaseUrl, (client) => client.query('alter table events rename to events_renamed'))
  onTestFinished(() =>
    asOwner(databaseUrl, (client) => client.query('alter table events_renamed rename to events')).then(
      () => {},
    ),
  )

  expect(await reader.rest()).toEqual([])
  expect(lines).toEqual(['an event stream failed'])
})
