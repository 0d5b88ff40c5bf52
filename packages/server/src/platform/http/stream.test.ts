import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Type } from 'typebox'
import { expect, onTestFinished, test, vi } from 'vitest'
import { dial, head } from '../../../test/hostile/support/wire.ts'
import { openStream } from '../../../test/support/stream-reader.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { buildApp } from '../../app.ts'
import type { Mode } from '../../kernel/id.ts'
import { asOwner } from '../db/owner.ts'
import { createInFlight } from './limits.ts'
import { stream } from './operation.ts'
import { addOperations, createServer } from './server.ts'
import type { Site } from './site.ts'

const switchyard = await switchyardForThisFile()
const hasty = { heartbeatMs: 200, recheckMs: 50 }

/** A server as app.ts makes it, but for `changes`. */
async function serverWith(changes: Partial<Site>) {
  const siteFor = (mode: Mode) => ({ ...switchyard.siteFor(mode), ...changes })
  const app = buildApp({ ...switchyard, siteFor }, 'test')
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  return { app, address }
}

async function aWorkspaceAt(address: string): Promise<Workspace> {
  return { ...(await switchyard.newWorkspace()), address }
}

test('in a silence it says that it is there, for longer than an answer may take to make', async () => {
  const { address } = await serverWith({ patience: { ...hasty, handlerMs: 300 } })
  const reader = await openStream(await aWorkspaceAt(address))

  const frames = []
  for (let count = 0; count < 6; count += 1) frames.push(await reader.frame())

  expect(frames.map((frame) => frame?.event)).not.toContain('event')
  expect(frames).not.toContain(null)
})

test('a reader whose filter lets nothing pass is given new cursors', async () => {
  const { address } = await serverWith({ patience: hasty })
  const workspace = await aWorkspaceAt(address)
  const reader = await openStream(workspace, '?types=customer.deleted')
  const first = await reader.frame()
  await workspace.aCustomer()

  const cursors = new Set([first?.id])
  while (cursors.size < 3) cursors.add((await reader.frame())?.id || first?.id)
  const [, , newest] = [...cursors]
  await reader.close()

  // From there on nothing of what was passed over is looked at again, whatever is asked for.
  const again = await openStream(workspace, `?cursor=${newest}`)
  const customer = await workspace.aCustomer()
  const [frame] = await again.events(1)
  expect(JSON.parse(frame?.data.data).object.id).toBe(customer)
})

test('the first cursor comes at once', async () => {
  const { address } = await serverWith({ patience: { heartbeatMs: 600_000 } })
  const reader = await openStream(await aWorkspaceAt(address))

  expect(await reader.frame()).toMatchObject({ event: 'cursor' })
})

test('it ends well when its time is over', async () => {
  const { address } = await serverWith({ patience: { ...hasty, streamMs: 300 } })
  const workspace = await aWorkspaceAt(address)
  const reader = await openStream(workspace)
  const cursor = (await reader.frame())?.id

  expect(await reader.rest()).toEqual([])

  const customer = await workspace.aCustomer()
  const again = await openStream(workspace, '', { 'last-event-id': String(cursor) })
  const [frame] = await again.events(1)
  expect(JSON.parse(frame?.data.data).object.id).toBe(customer)
})

test('a token that is revoked ends the streams that were opened with it, and no others', async () => {
  const { address } = await serverWith({ patience: hasty })
  const workspace = await aWorkspaceAt(address)
  const { body: shown } = await workspace.post('/api-tokens', { name: 'soon over', role: 'READ_ONLY' })
  const [revoked, other] = [
    await openStream({ address, token: shown.token }),
    await openStream({ address, token: workspace.token }),
  ]
  await workspace.post(`/api-tokens/${shown.id}/revoke`)

  expect(await revoked.rest()).toEqual([])

  await workspace.aCustomer()
  expect(await other.events(1)).toHaveLength(1)
})

test.each(['closes', 'is about to stop'])('it ends well when the server %s', async (how) => {
  let draining = false
  const { app, address } = await serverWith({ patience: hasty, isDraining: () => draining })
  const reader = await openStream(await aWorkspaceAt(address))
  await reader.frame()

  const closed = how === 'closes' ? app.close() : Promise.resolve()
  draining = how !== 'closes'

  expect(await reader.rest()).toEqual([])
  await closed
})

test('a workspace may have 20 streams open, and one that is closed makes room', async () => {
  const workspace = await switchyard.newWorkspace()
  const readers = await Promise.all(Array.from({ length: 20 }, () => openStream(workspace)))

  const refused = await openStream(workspace)
  expect([refused.status, refused.problem?.code]).toEqual([429, 'too_many_in_flight'])
  expect(refused.headers.get('retry-after')).toBe('5')
  expect((await openStream(await switchyard.newWorkspace())).status).toBe(200)

  await readers[0]?.close()
  await vi.waitFor(async () => expect((await openStream(workspace)).status).toBe(200), 5_000)
})

test('a stream takes no room from requests that are under way', async () => {
  const { address } = await serverWith({ inFlight: createInFlight(1) })
  const { token } = await switchyard.newWorkspace()
  await openStream({ address, token })

  const answer = await fetch(`${address}/me`, { headers: { authorization: `Bearer ${token}` } })

  expect(answer.status).toBe(200)
})

test('a process has room for so many streams', async () => {
  const { address } = await serverWith({ streams: createInFlight(20, 2) })
  await openStream(await aWorkspaceAt(address))
  await openStream(await aWorkspaceAt(address))

  expect((await openStream(await aWorkspaceAt(address))).problem?.code).toBe('too_many_in_flight')
})

test('a stream is one line in the request log, when it is over, whoever ended it', async () => {
  let draining = false
  const { address } = await serverWith({ patience: hasty, isDraining: () => draining })
  const workspace = await aWorkspaceAt(address)
  const logged = async () => {
    await switchyard.flushRequestLog()
    const { body } = await workspace.get('/requests?limit=100')
    const lines = body.data.filter(({ operation }: { operation: string }) => operation === 'events.stream')
    return lines.map(({ id }: { id: string }) => id)
  }
  const [ended, left] = [await openStream(workspace), await openStream(workspace)]
  expect(await logged()).toEqual([])

  await left.close()
  await vi.waitFor(async () => expect(await logged()).toEqual([left.headers.get('request-id')]), 5_000)
  draining = true
  await ended.rest()
  await vi.waitFor(async () => expect(await logged()).toHaveLength(2), 5_000)
})

/** A stream of long pieces, as many as wanted, on a server of its own. It tells how many each reader was given. */
async function longStream(pieces: number, patience: Site['patience'] = {}) {
  const site = { ...switchyard.siteFor('test'), access: { 'test.follow': ['ADMIN'] as const }, patience }
  const app = createServer(site)
  const given: number[] = []
  const long = 'x'.repeat(50_000)
  async function* endless(reader: number) {
    for (let piece = 0; piece < pieces; piece += 1) {
      given[reader] = piece + 1
      yield { cursor: String(piece), result: { text: long } }
    }
  }
  const follow = stream({
    id: 'test.follow',
    path: '/follow',
    summary: 'Follow what the test says',
    answer: Type.Object({ text: Type.String() }),
    present: (result: { text: string }) => result,
    verb: async () => endless(given.push(0) - 1),
  })
  addOperations(app, site, [follow])
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  const { token } = await switchyard.newWorkspace()
  return { app, address, token, sockets, given }
}

/** Asks, and then reads nothing until it is told to. */
async function askAndWait(address: string, token: string): Promise<Socket> {
  const socket = await dial(address)
  onTestFinished(() => void socket.destroy())
  socket.pause()
  socket.write(head('GET /follow HTTP/1.1', [`Authorization: Bearer ${token}`]))
  return socket
}

test('for a reader that does not read nothing piles up, and it gets everything when it does', {
  timeout: 60_000,
}, async () => {
  const { address, token, sockets, given } = await longStream(1_000)
  const slow = await askAndWait(address, token)
  await vi.waitFor(() => expect(sockets[0]?.writableNeedDrain).toBe(true), 10_000)

  // Whoever reads has all of it by now, so there was time to pile up. Some is always on its way.
  const answer = await fetch(`${address}/follow`, { headers: { authorization: `Bearer ${token}` } })
  expect(piecesIn(await answer.text())).toBe(1_000)
  expect(given[1]).toBe(1_000)
  expect(given[0]).toBeLessThan(500)

  const heard = text(slow)
  slow.resume()
  expect(piecesIn(await heard)).toBe(1_000)
})

function piecesIn(received: string): number {
  return received.match(/^event: event$/gm)?.length ?? 0
}

test('one that does not read is not waited for when the stream shall end', async () => {
  const { app, address, token, sockets } = await longStream(1_000)
  await askAndWait(address, token)
  await vi.waitFor(() => expect(sockets[0]?.writableNeedDrain).toBe(true), 10_000)

  const gone = once(sockets[0] as Socket, 'close')
  await app.close()
  await gone
})

test('a failure ends it, and is noted', async () => {
  const lines: string[] = []
  const log = { ...switchyard.log, warn: (line: string) => void lines.push(line) }
  const { address } = await serverWith({ log, patience: hasty })
  const workspace = await aWorkspaceAt(address)
  const reader = await openStream(workspace)
  await reader.frame()

  const { databaseUrl } = switchyard
  await asOwner(databaseUrl, (client) => client.query('alter table events rename to events_elsewhere'))
  onTestFinished(() =>
    asOwner(databaseUrl, (client) => client.query('alter table events_elsewhere rename to events')).then(
      () => {},
    ),
  )

  expect(await reader.rest()).toEqual([])
  expect(lines).toEqual(['a stream broke'])
})
