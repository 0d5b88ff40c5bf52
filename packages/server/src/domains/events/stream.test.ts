import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { beginTransaction, type RawEvent, writeEvents } from '../../../test/support/raw-events.ts'
import { type Frame, openStream } from '../../../test/support/stream-reader.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { cursorOf, lookBackSeconds, placeOf } from './stream-place.ts'

// Enough connections that 32 writers really meet.
const switchyard = await switchyardForThisFile({ environment: { DATABASE_POOL: '40' } })

/** What a frame is about, as the events of these tests are told apart. */
const contentOf = ({ data }: Frame) => JSON.parse(data.data)
const told = (frames: readonly Frame[]) =>
  frames.map(contentOf).map(({ object, sequence }) => `${object.id ?? object} ${sequence}`)

async function aWorkspace() {
  const workspace = await switchyard.newWorkspace()
  const { databaseUrl } = switchyard
  return {
    ...workspace,
    begin: () => beginTransaction(databaseUrl, workspace.workspaceId),
    write: (events: readonly RawEvent[]) => writeEvents(databaseUrl, workspace.workspaceId, events),
    /** A cursor that leads behind everything that has happened. */
    async cursor(): Promise<string> {
      const reader = await openStream(workspace)
      const first = await reader.frame()
      await reader.close()
      return first?.id ?? ''
    },
  }
}

test('an event comes as GET /events/{event_id} answers it, behind a first cursor', async () => {
  const workspace = await aWorkspace()
  const reader = await openStream(workspace)

  const first = await reader.frame()
  const customer = await workspace.aCustomer({ name: 'Café “Zürich” 漢字 \n💳' })
  const [frame] = await reader.events(1)

  expect(reader.headers.get('content-type')).toBe('text/event-stream')
  expect(first).toMatchObject({ event: 'cursor', data: {} })
  expect(frame?.data).toEqual((await workspace.get(`/events/${frame?.data.id}`)).body)
  expect(contentOf(frame as Frame)).toMatchObject({ type: 'customer.created', object: { id: customer } })
})

test('an event that is committed late comes, although later ones were sent before it', async () => {
  const workspace = await aWorkspace()
  const [slow, quick] = [await workspace.begin(), await workspace.begin()]
  const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()]
  const reader = await openStream(workspace)
  await slow.insert([{ object: a, sequence: 1 }])
  await quick.insert([{ object: b, sequence: 1 }])

  await quick.commit()
  const passed = await reader.events(1)
  await slow.commit()
  await workspace.write([{ object: c, sequence: 1 }])
  const late = await reader.events(2)

  expect(told([...passed, ...late])).toEqual([`${b} 1`, `${a} 1`, `${c} 1`])
})

test('one that is committed while the reader is away comes when it is back', async () => {
  const workspace = await aWorkspace()
  const [slow, quick] = [await workspace.begin(), await workspace.begin()]
  const [a, b] = [randomUUID(), randomUUID()]
  await slow.insert([{ object: a, sequence: 1 }])
  await quick.insert([{ object: b, sequence: 1 }])
  await quick.commit()
  const reader = await openStream(workspace)
  const cursor = (await reader.frame())?.id
  await reader.close()

  await slow.commit()
  const again = await openStream(workspace, '', { 'last-event-id': String(cursor) })

  expect(told(await again.events(1))).toEqual([`${a} 1`])
})

test('a transaction cannot last longer than the stream looks back', async () => {
  const { rows } = await switchyard.deps.databases.control.connect().then(async ({ client, release }) => {
    const answer = await client.query(
      "select extract(epoch from current_setting('transaction_timeout')::interval) * 1000 as most",
    )
    release()
    return answer
  })

  expect(Number(rows[0].most)).toBeGreaterThan(0)
  expect(Number(rows[0].most)).toBeLessThanOrEqual(1000 * (lookBackSeconds - 5))
})

/** Events of one commit, of which every third is followed by an earlier change of the same object. */
function burst(count: number, from: Date): RawEvent[] {
  const at = (place: number) => new Date(from.getTime() + place)
  return Array.from({ length: count / 5 }, () => randomUUID()).flatMap((object, place) =>
    [3, 1, 4, 2, 5].map((sequence, step) => ({ object, sequence, at: at(2 * place + step) })),
  )
}

test('whoever comes back with the cursor of an event gets exactly the events behind it', {
  timeout: 60_000,
}, async () => {
  const workspace = await aWorkspace()
  const start = await workspace.cursor()
  const { startedAt } = await workspace.begin()
  await workspace.write(burst(50, startedAt))
  const last = { object: randomUUID(), sequence: 1 }
  const whole = await openStream(workspace, `?cursor=${start}`)
  const frames = await whole.events(50)
  await workspace.write([last])

  const expected = [...told(frames), `${last.object} 1`]
  expect(new Set(expected).size).toBe(51)
  const readers = []
  for (const [place, { id }] of frames.entries()) {
    const reader = await openStream(workspace, `?cursor=${id}`)
    expect(told(await reader.events(50 - place)), `behind event ${place}`).toEqual(expected.slice(place + 1))
    if (place % 10 === 0) readers.push(reader)
    else await reader.close()
  }
  const customer = await workspace.aCustomer()
  for (const reader of readers) expect(told(await reader.events(1))).toEqual([`${customer} 1`])
})

/** Whether the events of each object stand in the order of their sequence, without a gap. */
function expectInSequence(frames: readonly Frame[]): void {
  const byObject = Map.groupBy(frames.map(contentOf), ({ object }) => object.id ?? object)
  for (const contents of byObject.values())
    expect(contents.map(({ sequence }) => sequence)).toEqual(contents.map((_, place) => place + 1))
}

test('an hour away with 3,000 events loses none, repeats none, and keeps each object in order', {
  timeout: 60_000,
}, async () => {
  const workspace = await aWorkspace()
  const place = placeOf(await workspace.cursor())
  if (place?.is !== 'caught up') throw new Error('The first cursor is behind everything.')
  const hourAgo = new Date(place.seen.at.getTime() - 60 * 60 * 1000)
  const away = cursorOf({ is: 'caught up', seen: { ...place.seen, at: hourAgo } })
  const events = burst(3_000, hourAgo).map((event, index) => ({
    ...event,
    at: new Date(hourAgo.getTime() + 1_000 * index + ((event.at as Date).getTime() % 7)),
  }))
  await workspace.write(events)

  const reader = await openStream(workspace, `?cursor=${away}`)
  const frames = await reader.events(3_000)
  await workspace.write([{ object: randomUUID(), sequence: 1 }])
  const [next] = await reader.events(1)

  expect(new Set(frames.map(({ data }) => data.id)).size).toBe(3_000)
  expect(told(frames).toSorted()).toEqual(
    events.map(({ object, sequence }) => `${object} ${sequence}`).toSorted(),
  )
  expectInSequence(frames)
  expect(frames.map(({ data }) => data.id)).not.toContain(next?.data.id)
})

test('changes of one object across the edge of a page come in order, also for one who comes back there', {
  timeout: 60_000,
}, async () => {
  const workspace = await aWorkspace()
  const start = await workspace.cursor()
  const { startedAt } = await workspace.begin()
  const at = (ms: number) => new Date(startedAt.getTime() + ms)
  const [object, steady] = [randomUUID(), randomUUID()]
  const others = Array.from({ length: 298 }, () => randomUUID())
  // The last change of the object began first, and the first one far behind the edge of the first page.
  const far = Array.from({ length: 10 }, (_, step) => ({ object, sequence: 10 - step, at: at(30 * step) }))
  await workspace.write([
    ...far,
    ...[1, 2].map((sequence) => ({ object: steady, sequence, at: at(250 * sequence - 250) })),
    ...others.map((other, place) => ({ object: other, sequence: 1, at: at(place) })),
  ])

  const reader = await openStream(workspace, `?cursor=${start}`)
  const frames = await reader.events(310)
  expect(new Set(told(frames)).size).toBe(310)
  expectInSequence(frames)
  for (const place of [0, 3, 8, 9, 10, 150, 198, 199, 200, 201, 250, 308]) {
    const again = await openStream(workspace, `?cursor=${frames[place]?.id}`)
    expect(told(await again.events(309 - place)), `behind ${place}`).toEqual(told(frames.slice(place + 1)))
    await again.close()
  }
})

test('32 writers at one object: its changes come in the order of their sequence', {
  timeout: 60_000,
}, async () => {
  const workspace = await aWorkspace()
  const customer = await workspace.aCustomer()
  const reader = await openStream(workspace)
  await reader.frame()

  const changes = Array.from({ length: 32 }, async (_, writer) => {
    for (let turn = 0; turn < 4; turn += 1)
      expect((await workspace.put(`/customers/${customer}`, { name: `${writer} ${turn}` })).status).toBe(200)
  })
  const frames = await reader.events(128)
  await Promise.all(changes)

  expect(frames.map((frame) => contentOf(frame).sequence)).toEqual(frames.map((_, place) => place + 2))
})

test('a change wakes the reader, who does not wait for the next look', async () => {
  const workspace = await aWorkspace()
  const reader = await openStream(workspace)
  await reader.frame()
  const startedMs = performance.now()

  for (let change = 0; change < 10; change += 1) {
    await workspace.aCustomer()
    await reader.events(1)
  }

  // One look a second would take ten.
  expect(performance.now() - startedMs).toBeLessThan(6_000)
})

test('it begins at a time, behind an event, or now', async () => {
  const workspace = await aWorkspace()
  const objects = [randomUUID(), randomUUID(), randomUUID()]
  const { startedAt } = await workspace.begin()
  const ago = (minutes: number) => new Date(startedAt.getTime() - 60_000 * minutes)
  for (const [place, object] of objects.entries())
    await workspace.write([{ object, sequence: 1, at: ago(30 - 10 * place) }])
  const [first] = await (await openStream(workspace, `?since=${ago(60).toISOString()}`)).events(1)

  const since = await openStream(workspace, `?since=${ago(25).toISOString()}`)
  const after = await openStream(workspace, `?starting_after=${first?.data.id}`)
  const now = await openStream(workspace)
  await now.frame()
  await workspace.write([{ object: randomUUID(), sequence: 7 }])

  const rest = objects.slice(1).map((object) => `${object} 1`)
  expect(told(await since.events(3))).toEqual([...rest, expect.stringMatching(/ 7$/)])
  expect(told(await after.events(3))).toEqual([...rest, expect.stringMatching(/ 7$/)])
  expect(told(await now.events(1))).toEqual([expect.stringMatching(/ 7$/)])
})

test.each([
  ['types=customer.deleted', ['customer.deleted']],
  ['types=customer.deleted,customer.created', ['customer.created', 'customer.deleted']],
  ['types=customer.*', ['customer.created', 'customer.updated', 'customer.deleted']],
  ['types=customer.created,*', ['customer.created', 'customer.updated', 'customer.deleted']],
])('%s lets these through', async (query, types) => {
  const workspace = await aWorkspace()
  const reader = await openStream(workspace, `?${query}`)
  await reader.frame()
  const customer = await workspace.aCustomer()
  await workspace.put(`/customers/${customer}`, { name: 'Ada' })
  await workspace.delete(`/customers/${customer}`)

  expect((await reader.events(types.length)).map(({ data }) => data.type)).toEqual(types)
})

const [strange, gone] = ['This is not a cursor of this stream', 'Events are kept for 90 days']
const day = 24 * 60 * 60 * 1000
const moments = { now: Date.now(), old: Date.now() - 91 * day, later: Date.now() + day }

/** With `<now>` and the like as cursors write them. */
function withTimes(query: string): string {
  return query.replaceAll(/<(\w+)>/g, (_, name: keyof typeof moments) => moments[name].toString(36))
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
])('%s is refused', async (query, pointer) => {
  const { status, problem } = await openStream(await aWorkspace(), `?${query}`)

  expect([status, problem?.code]).toEqual([400, 'invalid_request'])
  expect(problem).toMatchObject({ errors: [{ pointer }] })
})

// biome-ignore format: a table.
test.each([
  ['starting_after=nonsense',                              '`starting_after` is the id of an event'],
  ['starting_after=customer_test_01M7CYVGQTEAKSNTBFR026MPQ1', '`starting_after` is the id of an event'],
  ['starting_after=event_test_01F7CYVGQTEAKSNTBFR026MPQ1', gone],
  ['cursor=',                                              strange],
  ['cursor=nonsense',                                      strange],
  ['cursor=<now>-0-1',                                     strange],
  ['cursor=<now>-5-1-1',                                   strange],
  ['cursor=<now>-1-1.<now>-1-1',                           strange],
  ['cursor=<now>-1-1.<now>-1-1.7',                         strange],
  ['cursor=<now>-1-1.<now>-1-1.-1',                        strange],
  // Transactions and times that this database has not come to.
  ['cursor=<now>-1-fffffffffff',                           strange],
  ['cursor=<later>-1-1',                                   strange],
  ['cursor=<old>-1-1',                                     gone],
  ['cursor=<old>-1-1.<now>-1-1.',                          gone],
])('%s is no place to go on from', async (query, sentence) => {
  const { status, problem } = await openStream(await aWorkspace(), `?${withTimes(query)}`)

  expect([status, problem?.code]).toEqual([400, 'invalid_cursor'])
  expect(problem).toMatchObject({ detail: expect.stringContaining(sentence) })
})

test('cursors of their form are places', async () => {
  for (const cursor of ['<now>-1-1', '<now>-1-5-0-1', '<now>-1-1.<now>-1-1.'])
    expect((await openStream(await aWorkspace(), `?cursor=${withTimes(cursor)}`)).status).toBe(200)
})

test('the cursor of another workspace is a place in time: it shows nothing of theirs, and all of ours', async () => {
  const [theirs, ours] = [await aWorkspace(), await aWorkspace()]
  const reader = await openStream(theirs)
  await reader.frame()
  await theirs.write(burst(10, (await theirs.begin()).startedAt))
  const [frame] = await reader.events(1)
  const mine = { object: randomUUID(), sequence: 1 }
  await ours.write([mine])

  const [first] = await (await openStream(ours, `?cursor=${frame?.id}`)).events(1)

  expect(told([first as Frame])).toEqual([`${mine.object} 1`])
})
