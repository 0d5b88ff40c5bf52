/**
 * Follows events. A connection ends now and then; it is made again behind the last event, so that the loop
 * around it sees each one once, however long the server was away.
 */
import { errorOf, SwitchyardError } from './errors.ts'
import { type TypedEvent, withContent } from './events.ts'
import type { Query } from './query.ts'
import { lost, mayRepeat, waitMs } from './retries.ts'
import { type CallOptions, prepare } from './send.ts'
import type { Settings } from './settings.ts'
import type { StreamEvents } from './types.generated.ts'

/**
 * An event as it happens. Look at `type` first: it tells what `content.object` is. `$cursor` leads behind the
 * event: keep it, and begin with it another time. Neither it nor `content` is enumerable.
 */
export type StreamedEvent = TypedEvent & { readonly $cursor: string }

export type StreamQuery = Omit<StreamEvents, 'types'> & {
  /** Only events of these types: a type, `<object>.*`, or `*`. */
  readonly types?: string | readonly string[] | undefined
}

/** Without an end of its own: leave the loop, or abort the signal. */
export type EventStream = AsyncGenerator<StreamedEvent, never, undefined>

export type Follow = (query?: StreamQuery, options?: CallOptions) => EventStream

export function createFollow(settings: Settings): Follow {
  return (query, options) => follow(settings, query, options)
}

/** How far a reader has come, and how it fares. */
type Reader = { place: Query; failures: number; wasOpen: boolean }

async function* follow(
  settings: Settings,
  { types, ...beginning }: StreamQuery = {},
  options: CallOptions = {},
): EventStream {
  const filter: Query = types === undefined ? {} : { types: [types].flat().join() }
  const reader: Reader = { place: beginning, failures: 0, wasOpen: false }
  for (;;) {
    let retryAfterSeconds: number | null = null
    try {
      yield* events(frames(settings, { ...filter, ...reader.place }, options), reader)
    } catch (cause) {
      options.signal?.throwIfAborted()
      const error = requireHope(cause)
      reader.failures += 1
      // What never worked is told; what has worked is waited for.
      if (!reader.wasOpen && reader.failures > (options.maxRetries ?? settings.maxRetries)) throw error
      retryAfterSeconds = error.retryAfterSeconds
    }
    await settings.sleep(waitMs(Math.max(1, reader.failures), retryAfterSeconds), options.signal)
  }
}

/** The error of a failure that may pass. */
function requireHope(cause: unknown): SwitchyardError {
  if (!(cause instanceof SwitchyardError)) return lost(cause, 'The stream of events broke.', null).error
  if (mayRepeat({ is: 'refused', error: cause })) return cause
  throw cause
}

async function* events(frames: AsyncIterable<string>, reader: Reader): AsyncGenerator<StreamedEvent> {
  for await (const frame of frames) {
    reader.wasOpen = true
    reader.failures = 0
    const event = eventIn(frame)
    const cursor = field(frame, 'id')
    if (cursor !== undefined) reader.place = { cursor }
    if (event !== null) yield event
  }
}

function eventIn(frame: string): StreamedEvent | null {
  if (field(frame, 'event') !== 'event') return null
  const event = JSON.parse(field(frame, 'data') ?? '')
  return withContent(Object.defineProperty(event, '$cursor', { value: field(frame, 'id') }))
}

/** The frames of one connection, until it ends or says nothing for longer than a try may take. */
async function* frames(settings: Settings, query: Query, options: CallOptions): AsyncGenerator<string> {
  const { method, url, headers, timeoutMs, signal } = prepare(settings, {
    method: 'GET',
    path: '/events/stream',
    query,
    options,
  })
  const stop = new AbortController()
  const abort = () => stop.abort()
  signal?.throwIfAborted()
  signal?.addEventListener('abort', abort)
  let timer = setTimeout(abort, timeoutMs)
  try {
    const response = await settings.fetch(url, { method, headers, redirect: 'manual', signal: stop.signal })
    if (!response.ok) throw errorOf(response, await response.text(), null)
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(abort, timeoutMs)
      const parts = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = parts.pop() as string
      yield* parts
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    stop.abort()
  }
}

function field(frame: string, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
}
