/**
 * Answers that go on: server-sent events. A stream ends well, so that its reader comes again with its last
 * cursor: after an hour, when the process shall stop, and when its token is no longer valid. A reader that
 * does not read is not read for: the next piece is asked for when the socket has room.
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { monotonicMs } from '../../kernel/clock.ts'
import { orAfter } from '../engine/nap.ts'
import { bearerOf } from './authenticate.ts'
import { noteRequest } from './note-request.ts'
import type { Operation, Piece } from './operation.ts'
import { Answer } from './respond.ts'
import type { Site } from './site.ts'

const limits = {
  streamMs: 60 * 60 * 1000,
  heartbeatMs: 15_000,
  recheckMs: 1_000,
}
/** How long one that shall end is given to take what is on its way. */
const farewellMs = 1_000
/** Said to the reader: come again after so long when the connection breaks. */
const comeAgainMs = 1_000

type Pieces = AsyncIterator<Piece<unknown>>

/** The handlers of streams on one server, which all end when it closes. */
export function createStreams(app: FastifyInstance, site: Site) {
  const open = new Set<AbortController>()
  app.addHook('preClose', async () => {
    for (const ending of open) ending.abort()
  })

  return (operation: Operation) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const answer = new Answer(operation, site, request, reply)
      const ending = new AbortController()
      const opening = { lastEventId: lastEventIdOf(request), ended: ending.signal }
      const pieces = (await operation.verb({ ...answer.call, ...opening })) as AsyncIterable<Piece<unknown>>
      request.progress.openedMs = monotonicMs()
      open.add(ending)
      ending.signal.addEventListener('abort', () => open.delete(ending))
      whenOver(site, request, reply, ending)
      watch(site, request, ending).catch((error) => site.log.error('a stream is not watched', { error }))
      const frames = framesFor(site, pieces[Symbol.asyncIterator](), (result) => answer.render(result).body)
      // A proxy passes each frame on as it comes. The connection ends with the stream: a server that closes
      // would wait for it.
      reply.headers({ 'x-accel-buffering': 'no', connection: 'close' })
      return reply.type('text/event-stream').send(Readable.from(frames, { objectMode: false }))
    }
}

function lastEventIdOf({ headers }: FastifyRequest): string | null {
  const { 'last-event-id': id } = headers
  return id === undefined || id === '' ? null : String(id)
}

/** Most streams end because their reader hangs up. Fastify does not tell of that, so the line is written here. */
function whenOver(site: Site, request: FastifyRequest, reply: FastifyReply, ending: AbortController): void {
  const { raw } = reply
  const note = noteRequest(site)
  const close = () => {
    ending.abort()
    if (!raw.writableFinished) void note(request, reply)
  }
  if (raw.closed) close()
  else raw.once('close', close)
  ending.signal.addEventListener('abort', () => {
    // Whoever does not take the end of it is not waited for.
    const hangUp = () => raw.writableFinished || raw.destroy()
    setTimeout(hangUp, farewellMs).unref()
  })
}

/** Ends the stream when it may not go on. What cannot be found out at the moment is asked again. */
async function watch(site: Site, request: FastifyRequest, ending: AbortController): Promise<void> {
  const { streamMs, recheckMs } = { ...limits, ...site.patience }
  const { signal } = ending
  const token = bearerOf(request.headers.authorization)
  const untilMs = monotonicMs() + streamMs
  const isKnown = () =>
    site.identify(token, true).then(
      ({ is }) => is === 'known',
      () => true,
    )
  while (!signal.aborted) {
    await sleep(recheckMs, undefined, { signal, ref: false }).catch(() => {})
    if (site.isDraining() || monotonicMs() >= untilMs || !(await isKnown())) ending.abort()
  }
}

/** A stream that fails just ends. Its reader comes again, and is then told what is wrong. */
async function* framesFor(site: Site, pieces: Pieces, render: (result: unknown) => string) {
  const { heartbeatMs } = { ...limits, ...site.patience }
  try {
    yield* framesOf(pieces, render, heartbeatMs)
  } catch (error) {
    site.log.warn('a stream broke', { error })
  } finally {
    await pieces.return?.()
  }
}

/** Pieces as text. The first cursor is told at once; later ones only in a silence, or with what they lead behind. */
async function* framesOf(pieces: Pieces, render: (result: unknown) => string, heartbeatMs: number) {
  let untold: string | null = null
  let hasCursor = false
  let silentSinceMs = monotonicMs()
  yield `retry: ${comeAgainMs}\n\n`
  for (let next = ask(pieces); ; ) {
    const waitMs = Math.max(0, silentSinceMs + heartbeatMs - monotonicMs())
    const got = await orAfter(waitMs, next, null)
    if (got?.done) return
    if (got !== null && got.value.result === null && hasCursor) untold = got.value.cursor
    else {
      yield got === null ? heartbeat(untold) : frameOf(got.value, render)
      hasCursor ||= got !== null
      untold = null
      silentSinceMs = monotonicMs()
    }
    if (got !== null) next = ask(pieces)
  }
}

/** While nobody waits for it a failure must not look like one that nobody hears of. */
function ask(pieces: Pieces): Promise<IteratorResult<Piece<unknown>>> {
  const next = pieces.next()
  next.catch(() => {})
  return next
}

function frameOf({ cursor, result }: Piece<unknown>, render: (result: unknown) => string): string {
  return result === null ? cursorFrame(cursor) : `event: event\nid: ${cursor}\ndata: ${render(result)}\n\n`
}

/** A cursor on its own, so that a reader who was sent nothing for long need not begin far back. */
function cursorFrame(cursor: string): string {
  return `event: cursor\nid: ${cursor}\ndata: {}\n\n`
}

function heartbeat(cursor: string | null): string {
  return cursor === null ? ': still here\n\n' : cursorFrame(cursor)
}
