/**
 * Streams events. When the connection ends, it reconnects after the last event, so that each event is received once,
 * even after an outage of the server.
 */
import { errorOf, SwitchyardError } from './errors.ts'
import { type TypedEvent, withContent } from './events.ts'
import type { Query } from './query.ts'
import { connectionFailure, isRetryable, retryDelayMs } from './retries.ts'
import { type CallOptions, prepare } from './send.ts'
import type { Settings } from './settings.ts'
import type { StreamEvents } from './types.generated.ts'

/**
 * A streamed event. Check `type` first: it determines the type of `content.object`. Save `$cursor` to resume after this
 * event later. Neither `$cursor` nor `content` is enumerable.
 */
export type StreamedEvent = TypedEvent & { readonly $cursor: string }

export type StreamQuery = Omit<StreamEvents, 'types'> & {
  /** Only events of these types: a type, `<object>.*`, or `*`. */
  readonly types?: string | readonly string[] | undefined
}

/** An endless stream: leave the loop or abort the signal to stop. */
export type EventStream = AsyncGenerator<StreamedEvent, never, undefined>

export type OpenEventStream = (query?: StreamQuery, options?: CallOptions) => EventStream

export function createEventStream(settings: Settings): OpenEventStream {
  return (query, options) => streamEvents(settings, query, options)
}

/** The position in the stream, and the failures since the last frame. */
type StreamState = { position: Query; failures: number; wasOpen: boolean }

async function* streamEvents(
  settings: Settings,
  { types, ...start }: StreamQuery = {},
  options: CallOptions = {},
): EventStream {
  const filter: Query = types === undefined ? {} : { types: [types].flat().join() }
  const reader: StreamState = { position: start, failures: 0, wasOpen: false }
  for (;;) {
    let retryAfterSeconds: number | null = null
    try {
      yield* readEvents(readFrames(settings, { ...filter, ...reader.position }, options), reader)
    } catch (cause) {
      options.signal?.throwIfAborted()
      const error = requireRetryable(cause)
      reader.failures += 1
      // Give up only if the stream was never open. Otherwise keep reconnecting.
      if (!reader.wasOpen && reader.failures > (options.maxRetries ?? settings.maxRetries)) throw error
      retryAfterSeconds = error.retryAfterSeconds
    }
    await settings.sleep(retryDelayMs(Math.max(1, reader.failures), retryAfterSeconds), options.signal)
  }
}

/** The error of a retryable failure; throws if the failure is not retryable. */
function requireRetryable(cause: unknown): SwitchyardError {
  if (!(cause instanceof SwitchyardError))
    return connectionFailure(cause, 'The event stream was interrupted.', null).error
  if (isRetryable({ kind: 'rejected', error: cause })) return cause
  throw cause
}

async function* readEvents(
  frames: AsyncIterable<string>,
  reader: StreamState,
): AsyncGenerator<StreamedEvent> {
  for await (const frame of frames) {
    reader.wasOpen = true
    reader.failures = 0
    const event = parseEvent(frame)
    const cursor = field(frame, 'id')
    if (cursor !== undefined) reader.position = { cursor }
    if (event !== null) yield event
  }
}

function parseEvent(frame: string): StreamedEvent | null {
  if (field(frame, 'event') !== 'event') return null
  const event = JSON.parse(field(frame, 'data') ?? '')
  return withContent(Object.defineProperty(event, '$cursor', { value: field(frame, 'id') }))
}

/** The frames of one connection, until it ends or is silent for longer than the timeout. */
async function* readFrames(settings: Settings, query: Query, options: CallOptions): AsyncGenerator<string> {
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
