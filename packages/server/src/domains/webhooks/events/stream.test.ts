import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { beginTransaction, type RawEvent, writeEvents } from '../../../../test/support/raw-events.ts'
import { type Frame, openStream } from '../../../../test/support/stream-reader.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { formatCursor, lookBackSeconds, parseCursor } from './reader-position.ts'

// Enough connections for 32 concurrent writers.
const switchyard = await switchyardForThisFile({ environment: { DATABASE_POOL: '40' } })

const contentOf = ({ data }: Frame) => JSON.parse(data.data)
const eventKeys = (frames: readonly Frame[]) =>
  frames.map(contentOf).map(({ object, sequence }) => `${object.id ?? object} ${sequence}`)

async function newWorkspace() {
  const workspace = await switchyard.newWorkspace()
  const { databaseUrl } = switchyard
  return {
    ...workspace,
    begin: () => beginTransaction(databaseUrl, workspace.workspaceId),
    write: (events: readonly RawEvent[]) => writeEvents(databaseUrl, workspace.workspaceId, events),
    /** A cursor after all existing events. */
    async cursor(): Promise<string> {
      const reader = await openStream(workspace)
      const first = await reader.frame()
      await reader.close()
      return first?.id ?? ''
    },
  }
}

test('the stream starts with a cursor, and sends each event as GET /events/{event_id} returns it', async () => {
  const workspace = await newWorkspace()
  const reader = await openStream(workspace)

  const first = await reader.frame()
  const customer = await workspace.aCustomer({ name: 'Café “Zürich” 漢字 \n💳' })
  const [frame] = await reader.events(1)

  expect(reader.headers.get('content-type')).toBe('text/event-stream')
  expect(first).toMatchObject({ event: 'cursor', data: {} })
  expect(frame?.data).toEqual((await workspace.get(`/events/${frame?.data.id}`)).body)
  expect(contentOf(frame as Frame)).toMatchObject({ type: 'customer.created', object: { id: customer } })
})

test('an event that is committed late is sent, although events with later ids were already sent', async () => {
  const workspace = await newWorkspace()
  const [slow, quick] = [await workspace.begin(), await workspace.begin()]
  const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()]
  const reader = await openStream(workspace)
  await slow.insert([{ object: a, sequence: 1 }])
  await quick.insert([{ object: b, sequence: 1 }])

  await quick.commit()
  const before = await reader.events(1)
  await slow.commit()
  await workspace.write([{ object: c, sequence: 1 }])
  const late = await reader.events(2)

  expect(eventKeys([...before, ...late])).toEqual([`${b} 1`, `${a} 1`, `${c} 1`])
})

test('an event that is committed late while the reader is disconnected is sent when it reconnects', async () => {
  const workspace = await newWorkspace()
  const [slow, quick] = [await workspace.begin(), await workspace.begin()]
  const [a, b] = [randomUUID(), randomUUID()]
  await slow.insert([{ object: a, sequence: 1 }])
  await quick.insert([{ object: b, sequence: 1 }])
  await quick.commit()
  const reader = await openStream(workspace)
  const cursor = (await reader.frame())?.id
  await reader.close()

  await slow.commit()
  const resumed = await openStream(workspace, '', { 'last-event-id': String(cursor) })

  expect(eventKeys(await resumed.events(1))).toEqual([`${a} 1`])
})

test('the transaction timeout is shorter than the time that the stream looks back', async () => {
  const { rows } = await switchyard.deps.databases.control.connect().then(async ({ client, release }) => {
    const result = await client.query(
      "select extract(epoch from current_setting('transaction_timeout')::interval) * 1000 as timeout_ms",
    )
    release()
    return result
  })

  expect(Number(rows[0].timeout_ms)).toBeGreaterThan(0)
  expect(Number(rows[0].timeout_ms)).toBeLessThanOrEqual(1000 * (lookBackSeconds - 5))
})

/** Events of one commit. The ids of each object's five events are not in the order of their sequences. */
function unorderedEvents(count: number, from: Date): RawEvent[] {
  const at = (ms: number) => new Date(from.getTime() + ms)
  return Array.from({ length: count / 5 }, () => randomUUID()).flatMap((object, index) =>
    [3, 1, 4, 2, 5].map((sequence, step) => ({ object, sequence, at: at(2 * index + step) })),
  )
}

test('a stream that resumes from the cursor of an event gets exactly the events after it', {
  timeout: 60_000,
}, async () => {
  const workspace = await newWorkspace()
  const start = await workspace.cursor()
  const { startedAt } = await workspace.begin()
  await workspace.write(unorderedEvents(50, startedAt))
  const last = { object: randomUUID(), sequence: 1 }
  const reference = await openStream(workspace, `?cursor=${start}`)
  const frames = await reference.events(50)
  await workspace.write([last])

  const expected = [...eventKeys(frames), `${last.object} 1`]
  expect(new Set(expected).size).toBe(51)
  const readers = []
  for (const [index, { id }] of frames.entries()) {
    const reader = await openStream(workspace, `?cursor=${id}`)
    expect(eventKeys(await reader.events(50 - index)), `after event ${index}`).toEqual(
      expected.slice(index + 1),
    )
    if (index % 10 === 0) readers.push(reader)
    else await reader.close()
  }
  const customer = await workspace.aCustomer()
  for (const reader of readers) expect(eventKeys(await reader.events(1))).toEqual([`${customer} 1`])
})

/** Expects the events of each object in the order of their sequence, without a gap. */
function expectInSequence(frames: readonly Frame[]): void {
  const byObject = Map.groupBy(frames.map(contentOf), ({ object }) => object.id ?? object)
  for (const contents of byObject.values())
    expect(contents.map(({ sequence }) => sequence)).toEqual(contents.map((_, index) => index + 1))
}

test('a reader that reconnects after an hour gets all 3,000 events, each once, with the events of each object in order', {
  timeout: 60_000,
}, async () => {
  const workspace = await newWorkspace()
  const position = parseCursor(await workspace.cursor())
  if (position?.kind !== 'caught_up') throw new Error('The first cursor must be after all events.')
  const hourAgo = new Date(position.sentUntil.at.getTime() - 60 * 60 * 1000)
  const oldCursor = formatCursor({
    kind: 'caught_up',
    sentUntil: { ...position.sentUntil, at: hourAgo },
  })
  const events = unorderedEvents(3_000, hourAgo).map((event, index) => ({
    ...event,
    at: new Date(hourAgo.getTime() + 1_000 * index + ((event.at as Date).getTime() % 7)),
  }))
  await workspace.write(events)

  const reader = await openStream(workspace, `?cursor=${oldCursor}`)
  const frames = await reader.events(3_000)
  await workspace.write([{ object: randomUUID(), sequence: 1 }])
  const [next] = await reader.events(1)

  expect(new Set(frames.map(({ data }) => data.id)).size).toBe(3_000)
  expect(eventKeys(frames).toSorted()).toEqual(
    events.map(({ object, sequence }) => `${object} ${sequence}`).toSorted(),
  )
  expectInSequence(frames)
  expect(frames.map(({ data }) => data.id)).not.toContain(next?.data.id)
})

test('events of one object that are on different pages are sent in order, even to a reader that reconnects in between', {
  timeout: 60_000,
}, async () => {
  const workspace = await newWorkspace()
  const start = await workspace.cursor()
  const { startedAt } = await workspace.begin()
  const at = (ms: number) => new Date(startedAt.getTime() + ms)
  const [unordered, ordered] = [randomUUID(), randomUUID()]
  const others = Array.from({ length: 298 }, () => randomUUID())
  // The last change of `unordered` has the lowest id, and its first change is far beyond the end of the first
  // page.
  const unorderedChanges = Array.from({ length: 10 }, (_, step) => ({
    object: unordered,
    sequence: 10 - step,
    at: at(30 * step),
  }))
  await workspace.write([
    ...unorderedChanges,
    ...[1, 2].map((sequence) => ({ object: ordered, sequence, at: at(250 * sequence - 250) })),
    ...others.map((other, index) => ({ object: other, sequence: 1, at: at(index) })),
  ])

  const reader = await openStream(workspace, `?cursor=${start}`)
  const frames = await reader.events(310)
  expect(new Set(eventKeys(frames)).size).toBe(310)
  expectInSequence(frames)
  for (const index of [0, 3, 8, 9, 10, 150, 198, 199, 200, 201, 250, 308]) {
    const resumed = await openStream(workspace, `?cursor=${frames[index]?.id}`)
    expect(eventKeys(await resumed.events(309 - index)), `after event ${index}`).toEqual(
      eventKeys(frames.slice(index + 1)),
    )
    await resumed.close()
  }
})

test('with 32 concurrent writers of one object, its changes are sent in the order of their sequence', {
  timeout: 60_000,
}, async () => {
  const workspace = await newWorkspace()
  const customer = await workspace.aCustomer()
  const reader = await openStream(workspace)
  await reader.frame()

  const changes = Array.from({ length: 32 }, async (_, writer) => {
    for (let round = 0; round < 4; round += 1)
      expect((await workspace.put(`/customers/${customer}`, { name: `${writer} ${round}` })).status).toBe(200)
  })
  const frames = await reader.events(128)
  await Promise.all(changes)

  expect(frames.map((frame) => contentOf(frame).sequence)).toEqual(frames.map((_, index) => index + 2))
})

test('a change wakes the reader immediately, without waiting for the next poll', async () => {
  const workspace = await newWorkspace()
  const reader = await openStream(workspace)
  await reader.frame()
  const startedMs = performance.now()

  for (let change = 0; change < 10; change += 1) {
    await workspace.aCustomer()
    await reader.events(1)
  }

  // With one poll per second this would take ten seconds.
  expect(performance.now() - startedMs).toBeLessThan(6_000)
})

test('a stream can start at a time, after an event, or now', async () => {
  const workspace = await newWorkspace()
  const objects = [randomUUID(), randomUUID(), randomUUID()]
  const { startedAt } = await workspace.begin()
  const ago = (minutes: number) => new Date(startedAt.getTime() - 60_000 * minutes)
  for (const [index, object] of objects.entries())
    await workspace.write([{ object, sequence: 1, at: ago(30 - 10 * index) }])
  const [first] = await (await openStream(workspace, `?since=${ago(60).toISOString()}`)).events(1)

  const since = await openStream(workspace, `?since=${ago(25).toISOString()}`)
  const after = await openStream(workspace, `?starting_after=${first?.data.id}`)
  const now = await openStream(workspace)
  await now.frame()
  await workspace.write([{ object: randomUUID(), sequence: 7 }])

  const rest = objects.slice(1).map((object) => `${object} 1`)
  expect(eventKeys(await since.events(3))).toEqual([...rest, expect.stringMatching(/ 7$/)])
  expect(eventKeys(await after.events(3))).toEqual([...rest, expect.stringMatching(/ 7$/)])
  expect(eventKeys(await now.events(1))).toEqual([expect.stringMatching(/ 7$/)])
})

test.each([
  ['types=customer.deleted', ['customer.deleted']],
  ['types=customer.deleted,customer.created', ['customer.created', 'customer.deleted']],
  ['types=customer.*', ['customer.created', 'customer.updated', 'customer.deleted']],
  ['types=customer.created,*', ['customer.created', 'customer.updated', 'customer.deleted']],
])('with %s only events of these types are sent: %j', async (query, types) => {
  const workspace = await newWorkspace()
  const reader = await openStream(workspace, `?${query}`)
  await reader.frame()
  const customer = await workspace.aCustomer()
  await workspace.put(`/customers/${customer}`, { name: 'Ada' })
  await workspace.delete(`/customers/${customer}`)

  expect((await reader.events(types.length)).map(({ data }) => data.type)).toEqual(types)
})

const [notACursor, tooOld] = [
  'This is not a cursor of this stream',
  'older than 90 days, the retention period of events',
]
const day = 24 * 60 * 60 * 1000
const times = { now: Date.now(), old: Date.now() - 91 * day, later: Date.now() + day }

/** Replaces `<now>`, `<old>` and `<later>` with these times as cursors encode them. */
function withTimes(query: string): string {
  return query.replaceAll(/<(\w+)>/g, (_, name: keyof typeof times) => times[name].toString(36))
}

// biome-ignore format: a table.
test.each([
  ['types=customer.vanished',             '/types'],
  ['types=',                              '/types'],
  ['types=nothing.*',                     '/types'],
  ['types=*.created',                     '/types'],
  ['since=yesterday',                     '/since'],
  ['since=2026-01-01T00:00:00Z',          '/since'],
  ['since=2026-11-15T00:00:00Z&cursor=1', '/since'],
  ['limit=3',                             '/limit'],
])('%s is rejected as an invalid request', async (query, pointer) => {
  const { status, problem } = await openStream(await newWorkspace(), `?${query}`)

  expect([status, problem?.code]).toEqual([400, 'invalid_request'])
  expect(problem).toMatchObject({ errors: [{ pointer }] })
})

// biome-ignore format: a table.
test.each([
  ['starting_after=nonsense',                              '`starting_after` must be the id of an event'],
  ['starting_after=customer_test_01M7CYVGQTEAKSNTBFR026MPQ1', '`starting_after` must be the id of an event'],
  ['starting_after=event_test_01F7CYVGQTEAKSNTBFR026MPQ1', tooOld],
  ['cursor=',                                              notACursor],
  ['cursor=nonsense',                                      notACursor],
  ['cursor=<now>-0-1',                                     notACursor],
  ['cursor=<now>-5-1-1',                                   notACursor],
  ['cursor=<now>-1-1.<now>-1-1',                           notACursor],
  ['cursor=<now>-1-1.<now>-1-1.7',                         notACursor],
  ['cursor=<now>-1-1.<now>-1-1.-1',                        notACursor],
  // Transactions and times that are in the future for this database.
  ['cursor=<now>-1-fffffffffff',                           notACursor],
  ['cursor=<later>-1-1',                                   notACursor],
  ['cursor=<old>-1-1',                                     tooOld],
  ['cursor=<old>-1-1.<now>-1-1.',                          tooOld],
])('%s is rejected as an invalid cursor', async (query, sentence) => {
  const { status, problem } = await openStream(await newWorkspace(), `?${withTimes(query)}`)

  expect([status, problem?.code]).toEqual([400, 'invalid_cursor'])
  expect(problem).toMatchObject({ detail: expect.stringContaining(sentence) })
})

test('well-formed cursors are accepted', async () => {
  for (const cursor of ['<now>-1-1', '<now>-1-5-0-1', '<now>-1-1.<now>-1-1.'])
    expect((await openStream(await newWorkspace(), `?cursor=${withTimes(cursor)}`)).status).toBe(200)
})

test('a cursor from another workspace does not give access to the events of that workspace', async () => {
  const [otherWorkspace, workspace] = [await newWorkspace(), await newWorkspace()]
  const reader = await openStream(otherWorkspace)
  await reader.frame()
  await otherWorkspace.write(unorderedEvents(10, (await otherWorkspace.begin()).startedAt))
  const [frame] = await reader.events(1)
  const event = { object: randomUUID(), sequence: 1 }
  await workspace.write([event])

  const [first] = await (await openStream(workspace, `?cursor=${frame?.id}`)).events(1)

  expect(eventKeys([first as Frame])).toEqual([`${event.object} 1`])
})
