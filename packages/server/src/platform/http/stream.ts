/**
 * Server-sent events. A stream ends cleanly, so that its reader reconnects with its last cursor: after an
 * hour, at shutdown, and when its token is no longer valid. Backpressure applies: the next item is read when
 * the socket can accept more data.
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { monotonicMs } from '../../kernel/clock.ts'
import { withTimeout } from '../engine/cancellable-sleep.ts'
import { bearerOf } from './authenticate.ts'
import type { HttpContext } from './http-context.ts'
import type { Operation, StreamItem } from './operation.ts'
import { recordRequest } from './record-request.ts'
import { ResponseRenderer } from './respond.ts'

const limits = {
  streamMs: 60 * 60 * 1000,
  heartbeatMs: 15_000,
  recheckMs: 1_000,
}
/** How long a reader has to receive pending data when the stream ends. */
const closeGraceMs = 1_000
/** The reconnection delay that is sent to the reader. */
const reconnectDelayMs = 1_000

type Items = AsyncIterator<StreamItem<unknown>>

/** The handlers of streams on one server, which all end when it closes. */
export function createStreams(app: FastifyInstance, context: HttpContext) {
  const open = new Set<AbortController>()
  app.addHook('preClose', async () => {
    for (const ending of open) ending.abort()
  })

  return (operation: Operation) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const renderer = new ResponseRenderer(operation, context, request, reply)
      const ending = new AbortController()
      const streamOptions = { lastEventId: lastEventIdOf(request), ended: ending.signal }
      const items = (await operation.handle({ ...renderer.call, ...streamOptions })) as AsyncIterable<
        StreamItem<unknown>
      >
      request.state.openedMs = monotonicMs()
      open.add(ending)
      ending.signal.addEventListener('abort', () => open.delete(ending))
      onStreamEnd(context, request, reply, ending)
      endWhenInvalid(context, request, ending).catch((error) =>
        context.log.error('an event stream cannot be monitored', { error }),
      )
      const frames = framesFor(
        context,
        items[Symbol.asyncIterator](),
        (result) => renderer.render(result).body,
      )
      // Proxies must not buffer. The connection closes with the stream, because a closing server would wait
      // for it.
      reply.headers({ 'x-accel-buffering': 'no', connection: 'close' })
      return reply.type('text/event-stream').send(Readable.from(frames, { objectMode: false }))
    }
}

function lastEventIdOf({ headers }: FastifyRequest): string | null {
  const { 'last-event-id': id } = headers
  return id === undefined || id === '' ? null : String(id)
}

/**
 * Most streams end because the reader disconnects. Fastify does not report that, so the log entry is written
 * here.
 */
function onStreamEnd(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  ending: AbortController,
): void {
  const { raw } = reply
  const record = recordRequest(context)
  const close = () => {
    ending.abort()
    if (!raw.writableFinished) void record(request, reply)
  }
  if (raw.closed) close()
  else raw.once('close', close)
  ending.signal.addEventListener('abort', () => {
    // Do not wait for a reader that does not read the rest of the stream.
    const disconnect = () => raw.writableFinished || raw.destroy()
    setTimeout(disconnect, closeGraceMs).unref()
  })
}

/**
 * Ends the stream when its token is no longer valid. If that cannot be checked, it is checked again later.
 */
async function endWhenInvalid(
  context: HttpContext,
  request: FastifyRequest,
  ending: AbortController,
): Promise<void> {
  const { streamMs, recheckMs } = { ...limits, ...context.timeouts }
  const { signal } = ending
  const token = bearerOf(request.headers.authorization)
  const untilMs = monotonicMs() + streamMs
  const isTokenValid = () =>
    context.identify(token, request.ip).then(
      ({ status }) => status === 'known',
      () => true,
    )
  while (!signal.aborted) {
    await sleep(recheckMs, undefined, { signal, ref: false }).catch(() => {})
    if (context.isDraining() || monotonicMs() >= untilMs || !(await isTokenValid())) ending.abort()
  }
}

/** A stream that fails ends without an error. Its reader reconnects and then gets the error. */
async function* framesFor(context: HttpContext, items: Items, render: (result: unknown) => string) {
  const { heartbeatMs } = { ...limits, ...context.timeouts }
  try {
    yield* framesOf(items, render, heartbeatMs)
  } catch (error) {
    context.log.warn('an event stream failed', { error })
  } finally {
    await items.return?.()
  }
}

/**
 * Serializes items. The first cursor is sent immediately. A later cursor is sent with its result, or, if
 * there are no results, with the next heartbeat.
 */
async function* framesOf(items: Items, render: (result: unknown) => string, heartbeatMs: number) {
  let pendingCursor: string | null = null
  let hasCursor = false
  let silentSinceMs = monotonicMs()
  yield `retry: ${reconnectDelayMs}\n\n`
  for (let next = readNext(items); ; ) {
    const waitMs = Math.max(0, silentSinceMs + heartbeatMs - monotonicMs())
    const received = await withTimeout(waitMs, next, null)
    if (received?.done) return
    if (received !== null && received.value.result === null && hasCursor)
      pendingCursor = received.value.cursor
    else {
      yield received === null ? heartbeat(pendingCursor) : frameOf(received.value, render)
      hasCursor ||= received !== null
      pendingCursor = null
      silentSinceMs = monotonicMs()
    }
    if (received !== null) next = readNext(items)
  }
}

/** Prevents an unhandled rejection while the promise is not awaited yet. */
function readNext(items: Items): Promise<IteratorResult<StreamItem<unknown>>> {
  const next = items.next()
  next.catch(() => {})
  return next
}

function frameOf({ cursor, result }: StreamItem<unknown>, render: (result: unknown) => string): string {
  return result === null ? cursorFrame(cursor) : `event: event\nid: ${cursor}\ndata: ${render(result)}\n\n`
}

/**
 * A cursor without a result, so that a reader without recent results does not have to resume from far back.
 */
function cursorFrame(cursor: string): string {
  return `event: cursor\nid: ${cursor}\ndata: {}\n\n`
}

function heartbeat(cursor: string | null): string {
  return cursor === null ? ': still here\n\n' : cursorFrame(cursor)
}
