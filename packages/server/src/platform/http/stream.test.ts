import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { dial, head } from '../../../test/hostile/support/wire.ts'
import { writeEvents } from '../../../test/support/raw-events.ts'
import { openStream } from '../../../test/support/stream-reader.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import { buildApp } from '../../app.ts'
import type { Mode } from '../../kernel/id.ts'
import { createInFlight } from './limits.ts'
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

test('for a reader that does not read nothing piles up, and it gets everything when it does', {
  timeout: 60_000,
}, async () => {
  const { app, address } = await serverWith({})
  const workspace = await aWorkspaceAt(address)
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  const events = Array.from({ length: 600 }, () => ({ object: randomUUID(), sequence: 1, length: 50_000 }))
  await writeEvents(switchyard.databaseUrl, workspace.workspaceId, events)
  const since = new Date(Date.now() - 600_000).toISOString()

  const slow = await dial(address)
  onTestFinished(() => void slow.destroy())
  slow.pause()
  slow.write(head(`GET /events/stream?since=${since} HTTP/1.1`, [`Authorization: Bearer ${workspace.token}`]))
  await vi.waitFor(() => expect(sockets[0]?.writableNeedDrain).toBe(true), 10_000)
  // Whoever reads has had all of it by now: there was time to pile up.
  const quick = await openStream(workspace, `?since=${since}`)
  expect(await quick.events(600)).toHaveLength(600)

  expect(sockets[0]?.writableLength).toBeLessThan(1_000_000)

  let heard = ''
  slow.on('data', (bytes) => {
    heard += bytes
  })
  slow.resume()
  await vi.waitFor(() => expect(heard.match(/^event: event$/gm)).toHaveLength(600), 30_000)
})

test('one that does not read is not waited for when the stream shall end', async () => {
  const { app, address } = await serverWith({ patience: hasty })
  const workspace = await aWorkspaceAt(address)
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  const events = Array.from({ length: 200 }, () => ({ object: randomUUID(), sequence: 1, length: 50_000 }))
  await writeEvents(switchyard.databaseUrl, workspace.workspaceId, events)
  const since = new Date(Date.now() - 600_000).toISOString()
  const slow = await dial(address)
  onTestFinished(() => void slow.destroy())
  slow.pause()
  slow.write(head(`GET /events/stream?since=${since} HTTP/1.1`, [`Authorization: Bearer ${workspace.token}`]))
  await vi.waitFor(() => expect(sockets[0]?.writableNeedDrain).toBe(true), 10_000)

  const gone = once(sockets[0] as Socket, 'close')
  await app.close()
  await gone
})
