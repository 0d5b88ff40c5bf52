import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../server/test/support/switchyard.ts'
import { type StreamedEvent, Switchyard, type SwitchyardOptions } from '../src/index.ts'
import { deadAddress } from './support/stand-in.ts'

const switchyard = await switchyardForThisFile()

async function aClient(options: Partial<SwitchyardOptions> = {}) {
  const { address: baseUrl, token } = await switchyard.newWorkspace()
  return { sy: new Switchyard({ token, baseUrl, ...options }), token, baseUrl }
}

async function take(events: AsyncIterable<StreamedEvent>, count: number): Promise<StreamedEvent[]> {
  const taken: StreamedEvent[] = []
  for await (const event of events) {
    taken.push(event)
    if (taken.length === count) break
  }
  return taken
}

test('events come as they happen, and a cursor leads behind each of them', async () => {
  const { sy } = await aClient()
  const names = ['Ada', 'Grace', 'Edsger']
  const since = new Date(Date.now() - 60_000)
  for (const name of names) await sy.customers.create({ name })

  const [first] = await take(sy.events.stream({ since }), 1)
  const rest = await take(sy.events.stream({ cursor: first?.$cursor }), 2)

  const told = [first as StreamedEvent, ...rest].map((event) => sy.events.contentOf(event).object)
  expect(told).toMatchObject(names.map((name) => ({ name })))
  expect(JSON.stringify(first)).not.toContain('cursor')
  expect(first).toEqual(await sy.events.get(first?.id ?? ''))
})

test('only what is asked for comes', async () => {
  const { sy } = await aClient()
  const since = new Date(Date.now() - 60_000)
  const { id } = await sy.customers.create({})
  await sy.customers.update(id, { name: 'Ada' })
  await sy.customers.delete(id)

  const types = ['customer.updated', 'customer.deleted']
  expect((await take(sy.events.stream({ since, types }), 2)).map(({ type }) => type)).toEqual(types)
})

/** What becomes of a connection; one that is cut ends in the middle of the event after so many. */
type Fate = 'as it should be' | 'no connection' | 'refused' | 'silence' | { readonly cutAfter: number }

/** A `fetch` to which these things happen, one per connection. */
function fetchWith(...fates: Fate[]): typeof fetch {
  return async (input, init) => {
    const fate = fates.shift() ?? 'as it should be'
    if (fate === 'no connection') throw new TypeError('fetch failed')
    if (fate === 'refused') return new Response('{"retryable":true,"code":"unavailable"}', { status: 503 })
    if (fate === 'silence') return new Response(silenceUntil(init?.signal))
    const answer = await fetch(input, init)
    return fate === 'as it should be' ? answer : new Response(cut(answer, fate.cutAfter))
  }
}

function silenceUntil(signal: AbortSignal | null | undefined): ReadableStream {
  return new ReadableStream({
    start: (controller) => signal?.addEventListener('abort', () => controller.error(signal.reason)),
  })
}

function cut({ body }: Response, events: number): ReadableStream {
  const mark = 'event: event\n'
  let text = ''
  const half = new TransformStream<string, string>({
    transform(part, controller) {
      text += part
      const frames = text.split(mark)
      const broken = frames[events + 1]
      if (broken === undefined || broken.length < 100) return
      controller.enqueue([...frames.slice(0, events + 1), broken.slice(0, 100)].join(mark))
      controller.terminate()
    },
  })
  const decoded = (body as ReadableStream).pipeThrough(new TextDecoderStream())
  return decoded.pipeThrough(half).pipeThrough(new TextEncoderStream())
}

test('whatever ends a connection, it is made again behind the last event', async () => {
  const { sy, token, baseUrl } = await aClient()
  const since = new Date(Date.now() - 60_000)
  const names = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan']
  for (const name of names) await sy.customers.create({ name })
  const fetch = fetchWith(
    ...(['refused', 'no connection', { cutAfter: 1 }, 'no connection', 'refused', 'silence'] as const),
    ...(['no connection', { cutAfter: 0 }, { cutAfter: 2 }, 'no connection'] as const),
  )
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const unlucky = new Switchyard({ token, baseUrl, fetch, sleep, timeoutMs: 1_000 })

  const events = await take(unlucky.events.stream({ since }), names.length)

  expect(events.map((event) => sy.events.contentOf(event).object)).toMatchObject(
    names.map((name) => ({ name })),
  )
  expect(waits.length).toBeGreaterThanOrEqual(10)
})

test('what never worked is told after the usual number of tries', async () => {
  const { token } = await aClient()
  const baseUrl = await deadAddress()
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const sy = new Switchyard({ token, baseUrl, sleep, maxRetries: 3 })

  await expect(take(sy.events.stream(), 1)).rejects.toMatchObject({ name: 'ConnectionError' })
  expect(waits).toHaveLength(3)
})

test('what is refused for good is told at once', async () => {
  const { sy, baseUrl } = await aClient()
  const unknown = new Switchyard({ token: `sk_test_${'x'.repeat(38)}`, baseUrl })

  await expect(take(sy.events.stream({ cursor: 'nonsense' }), 1)).rejects.toMatchObject({
    name: 'InvalidRequestError',
    code: 'invalid_cursor',
  })
  await expect(take(sy.events.stream({ types: ['nothing.*'] }), 1)).rejects.toMatchObject({
    errors: [{ pointer: '/types' }],
  })
  await expect(take(unknown.events.stream(), 1)).rejects.toMatchObject({ name: 'AuthenticationError' })
})

test('a signal ends it, while it listens and while it waits', async () => {
  const { sy, token } = await aClient()
  const [listening, waiting] = [new AbortController(), new AbortController()]
  const away = new Switchyard({ token, baseUrl: await deadAddress(), maxRetries: 1_000 })

  const listened = take(sy.events.stream({}, { signal: listening.signal }), 1)
  const waited = take(away.events.stream({}, { signal: waiting.signal }), 1)
  listening.abort(new Error('That is enough.'))
  waiting.abort(new Error('That is enough.'))

  await expect(listened).rejects.toThrow('That is enough.')
  await expect(waited).rejects.toThrow('That is enough.')
})

test('leaving the loop hangs up', async () => {
  const { sy, token, baseUrl } = await aClient()
  await sy.customers.create({})
  const signals: (AbortSignal | null | undefined)[] = []
  const noting: typeof fetch = (input, init) => {
    signals.push(init?.signal)
    return fetch(input, init)
  }
  const other = new Switchyard({ token, baseUrl, fetch: noting })

  await take(other.events.stream({ since: new Date(Date.now() - 60_000) }), 1)

  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
})
