import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { type StreamedEvent, Switchyard, type SwitchyardOptions } from '../src/index.ts'
import { unusedUrl } from './support/faulty-server.ts'

const switchyard = await switchyardForThisFile()

async function newClient(options: Partial<SwitchyardOptions> = {}) {
  const { address: baseUrl, token } = await switchyard.newWorkspace()
  return { sy: new Switchyard({ token, baseUrl, ...options }), token, baseUrl }
}

async function readEvents(events: AsyncIterable<StreamedEvent>, count: number): Promise<StreamedEvent[]> {
  const received: StreamedEvent[] = []
  for await (const event of events) {
    received.push(event)
    if (received.length === count) break
  }
  return received
}

test('events arrive as they happen, and the stream can be resumed from the cursor of each', async () => {
  const { sy } = await newClient()
  const names = ['Ada', 'Grace', 'Edsger']
  const since = new Date(Date.now() - 60_000)
  for (const name of names) await sy.customers.create({ name })

  const [first] = await readEvents(sy.events.stream({ since }), 1)
  const rest = await readEvents(sy.events.stream({ cursor: first?.$cursor }), 2)

  const objects = [first as StreamedEvent, ...rest].map((event) => sy.events.contentOf(event).object)
  expect(objects).toMatchObject(names.map((name) => ({ name })))
  expect(JSON.stringify(first)).not.toContain('cursor')
  expect(first).toEqual(await sy.events.get(first?.id ?? ''))
})

test('only the requested types arrive', async () => {
  const { sy } = await newClient()
  const since = new Date(Date.now() - 60_000)
  const { id } = await sy.customers.create({})
  await sy.customers.update(id, { name: 'Ada' })
  await sy.customers.delete(id)

  const types = ['customer.updated', 'customer.deleted']
  expect((await readEvents(sy.events.stream({ since, types }), 2)).map(({ type }) => type)).toEqual(types)
})

/**
 * The outcome of a connection. With `cutAfter`, it ends after that many events, in the middle of the next
 * one.
 */
type ConnectionOutcome =
  | 'success'
  | 'no connection'
  | 'unavailable'
  | 'silence'
  | { readonly cutAfter: number }

/** A `fetch` with these outcomes, one per connection. */
function fetchWithOutcomes(...outcomes: ConnectionOutcome[]): typeof fetch {
  return async (input, init) => {
    const outcome = outcomes.shift() ?? 'success'
    if (outcome === 'no connection') throw new TypeError('fetch failed')
    if (outcome === 'unavailable')
      return new Response('{"retryable":true,"code":"unavailable"}', { status: 503 })
    if (outcome === 'silence') return new Response(silentStream(init?.signal))
    const response = await fetch(input, init)
    return outcome === 'success' ? response : new Response(cutAfterEvents(response, outcome.cutAfter))
  }
}

function silentStream(signal: AbortSignal | null | undefined): ReadableStream {
  return new ReadableStream({
    start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
  })
}

function cutAfterEvents({ body }: Response, events: number): ReadableStream {
  const separator = 'event: event\n'
  let text = ''
  const truncate = new TransformStream<string, string>({
    transform(part, controller) {
      text += part
      const frames = text.split(separator)
      const partial = frames[events + 1]
      if (partial === undefined || partial.length < 100) return
      controller.enqueue([...frames.slice(0, events + 1), partial.slice(0, 100)].join(separator))
      controller.terminate()
    },
  })
  const decoded = (body as ReadableStream).pipeThrough(new TextDecoderStream())
  return decoded.pipeThrough(truncate).pipeThrough(new TextEncoderStream())
}

test('after any kind of disconnect, the stream resumes after the last received event', async () => {
  const { sy, token, baseUrl } = await newClient()
  const since = new Date(Date.now() - 60_000)
  const names = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan']
  for (const name of names) await sy.customers.create({ name })
  const fetch = fetchWithOutcomes(
    'unavailable',
    'no connection',
    { cutAfter: 1 },
    'no connection',
    'unavailable',
    'silence',
    'no connection',
    { cutAfter: 0 },
    { cutAfter: 2 },
    'no connection',
  )
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const interruptedClient = new Switchyard({ token, baseUrl, fetch, sleep, timeoutMs: 1_000 })

  const events = await readEvents(interruptedClient.events.stream({ since }), names.length)

  expect(events.map((event) => sy.events.contentOf(event).object)).toMatchObject(
    names.map((name) => ({ name })),
  )
  expect(waits.length).toBeGreaterThanOrEqual(10)
})

test('a server that was never reachable fails after the maximum number of attempts', async () => {
  const { token } = await newClient()
  const baseUrl = await unusedUrl()
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const sy = new Switchyard({ token, baseUrl, sleep, maxRetries: 3 })

  await expect(readEvents(sy.events.stream(), 1)).rejects.toMatchObject({ name: 'ConnectionError' })
  expect(waits).toHaveLength(3)
})

test('a permanent error is reported immediately', async () => {
  const { sy, baseUrl } = await newClient()
  const unknown = new Switchyard({ token: `sk_test_${'x'.repeat(38)}`, baseUrl })

  await expect(readEvents(sy.events.stream({ cursor: 'nonsense' }), 1)).rejects.toMatchObject({
    name: 'InvalidRequestError',
    code: 'invalid_cursor',
  })
  await expect(readEvents(sy.events.stream({ types: ['nothing.*'] }), 1)).rejects.toMatchObject({
    errors: [{ pointer: '/types' }],
  })
  await expect(readEvents(unknown.events.stream(), 1)).rejects.toMatchObject({ name: 'AuthenticationError' })
})

test('an AbortSignal ends the stream, while connected and while waiting to reconnect', async () => {
  const { sy, token } = await newClient()
  const [connectedAbort, waitingAbort] = [new AbortController(), new AbortController()]
  const unreachableClient = new Switchyard({ token, baseUrl: await unusedUrl(), maxRetries: 1_000 })

  const connectedRead = readEvents(sy.events.stream({}, { signal: connectedAbort.signal }), 1)
  const waitingRead = readEvents(unreachableClient.events.stream({}, { signal: waitingAbort.signal }), 1)
  connectedAbort.abort(new Error('That is enough.'))
  waitingAbort.abort(new Error('That is enough.'))

  await expect(connectedRead).rejects.toThrow('That is enough.')
  await expect(waitingRead).rejects.toThrow('That is enough.')
})

test('leaving the loop closes the connection', async () => {
  const { sy, token, baseUrl } = await newClient()
  await sy.customers.create({})
  const signals: (AbortSignal | null | undefined)[] = []
  const recordingFetch: typeof fetch = (input, init) => {
    signals.push(init?.signal)
    return fetch(input, init)
  }
  const recordingClient = new Switchyard({ token, baseUrl, fetch: recordingFetch })

  await readEvents(recordingClient.events.stream({ since: new Date(Date.now() - 60_000) }), 1)

  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
})
