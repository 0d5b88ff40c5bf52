/**
 * One call, from the wait for a connection to the last byte that is read. One timer holds for all of it. It ends
 * in a reply whatever happens, and the reply says whether the receiver may have acted on the request.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import type { Exchange, Outcome } from './exchange.ts'
import { CallFault } from './faults.ts'
import type { Line } from './line.ts'
import type { OutboundReply, OutboundRequest } from './outbound.ts'
import type { Pool } from './pools.ts'

/** A connection that was idle may have been closed while a request was on its way. Later it means something else. */
const hangUpMs = 1_000

export async function call(
  pool: Pool,
  request: OutboundRequest,
  { path, startedAtMs }: { path: string; startedAtMs: number },
): Promise<OutboundReply> {
  const deadline = new Deadline(request.timeoutMs)
  const ready =
    pool.take(request.maxConnections) ??
    (await pool.wait(request.maxConnections, (giveUp) => deadline.whenOver(giveUp)))
  if (ready === null) {
    deadline.clear()
    return notTried(new CallFault('ours', 'No connection became free.'), startedAtMs)
  }

  const first = await exchangeOn(ready, request, path, deadline)
  const last =
    request.mayRepeat !== false && hungUpAtOnce(first)
      ? await exchangeOn(pool.replace(ready), request, path, deadline)
      : first
  deadline.clear()
  pool.giveBack(last.line)
  return replyTo(last, { startedAtMs, sent: first.exchange.sent || last.exchange.sent })
}

/** The reply to a request that never came near a connection. */
export function notTried(fault: CallFault, startedAtMs: number): OutboundReply {
  const durationMs = Math.round(monotonicMs() - startedAtMs)
  return {
    is: 'failed',
    cause: fault.because,
    detail: fault.message,
    mayHaveBeenSent: false,
    timings: { durationMs, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
    connectionReused: false,
    remoteIp: null,
  }
}

type Try = { readonly line: Line; readonly exchange: Exchange; readonly outcome: Outcome }

async function exchangeOn(
  line: Line,
  { method = 'POST', headers, body, maxAnswerBytes, timeoutMs }: OutboundRequest,
  path: string,
  deadline: Deadline,
): Promise<Try> {
  const exchange = line.send({
    method,
    path,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body,
    maxAnswerBytes,
  })
  deadline.whenOver(() => {
    void line.end(new CallFault('timeout', `There was no complete answer within ${timeoutMs} ms.`))
  })
  return { line, exchange, outcome: await exchange.outcome }
}

/** The receiver closed a connection that it had kept, and most likely has not seen the request. */
function hungUpAtOnce({ exchange, outcome }: Try): boolean {
  return (
    outcome.is === 'failed' &&
    outcome.fault.hungUp &&
    exchange.reused &&
    exchange.firstByteMs === null &&
    monotonicMs() - exchange.begunAtMs < hangUpMs
  )
}

function replyTo(
  { line, exchange, outcome }: Try,
  { startedAtMs, sent }: { startedAtMs: number; sent: boolean },
): OutboundReply {
  const dial = exchange.reused ? null : line.dial
  const circumstances = {
    timings: {
      durationMs: Math.round(monotonicMs() - startedAtMs),
      dnsMs: rounded(dial?.dnsMs),
      connectMs: rounded(dial?.connectMs),
      tlsMs: rounded(dial?.tlsMs),
      firstByteMs: rounded(exchange.firstByteMs),
    },
    connectionReused: exchange.reused,
    remoteIp: line.dial?.remoteIp ?? null,
  }
  if (outcome.is === 'answered') return { is: 'answered', ...outcome.answer, ...circumstances }
  const { because, message } = outcome.fault
  return { is: 'failed', cause: because, detail: message, mayHaveBeenSent: sent, ...circumstances }
}

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms)
}

class Deadline {
  readonly #timer: NodeJS.Timeout
  #onOver: () => void = () => {}

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#onOver(), ms)
  }

  /** What to do then; what was to be done before is forgotten. */
  whenOver(onOver: () => void): void {
    this.#onOver = onOver
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
