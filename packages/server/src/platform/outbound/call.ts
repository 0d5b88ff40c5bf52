/**
 * One call, from the wait for a connection to the last byte that is read. One timeout covers all of it. The
 * call always returns a reply, and the reply states whether the receiver may have acted on the request.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import type { OutboundConnection } from './connection.ts'
import type { Exchange, ExchangeOutcome } from './exchange.ts'
import { CallFault } from './faults.ts'
import type { OutboundReply, OutboundRequest } from './outbound.ts'
import type { Pool } from './pools.ts'

/**
 * A receiver may close an idle connection while a request is being sent. If the connection is closed later
 * than this after the start of the request, the cause must be a different one.
 */
const closeRaceMs = 1_000

export async function call(
  pool: Pool,
  request: OutboundRequest,
  { path, startedAtMs }: { path: string; startedAtMs: number },
): Promise<OutboundReply> {
  const deadline = new Deadline(request.timeoutMs)
  const ready =
    pool.take(request.maxConnections) ??
    (await pool.wait(request.maxConnections, (cancel) => deadline.onExpiry(cancel)))
  if (ready === null) {
    deadline.clear()
    return notAttempted(new CallFault('ours', 'No connection became available.'), startedAtMs)
  }

  const first = await exchangeOn(ready, request, path, deadline)
  const last =
    request.allowResend !== false && wasStaleConnection(first)
      ? await exchangeOn(pool.replace(ready), request, path, deadline)
      : first
  deadline.clear()
  pool.release(last.connection)
  const reply = replyTo(last, { startedAtMs, sent: first.exchange.sent || last.exchange.sent })
  const isResent = last !== first && first.exchange.sent
  return isResent && reply.kind === 'answered' ? { ...reply, resent: true } : reply
}

/** The reply to a request for which no connection was attempted. */
export function notAttempted(fault: CallFault, startedAtMs: number): OutboundReply {
  const durationMs = Math.round(monotonicMs() - startedAtMs)
  return {
    kind: 'failed',
    cause: fault.causeCode,
    detail: fault.message,
    mayHaveBeenSent: false,
    timings: { durationMs, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
    connectionReused: false,
    remoteIp: null,
  }
}

type CallAttempt = {
  readonly connection: OutboundConnection
  readonly exchange: Exchange
  readonly outcome: ExchangeOutcome
}

async function exchangeOn(
  connection: OutboundConnection,
  { method = 'POST', headers, body, bytes, maxResponseBytes, timeoutMs }: OutboundRequest,
  path: string,
  deadline: Deadline,
): Promise<CallAttempt> {
  const exchange = connection.send({
    method,
    path,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: bytes ?? body,
    maxResponseBytes,
  })
  deadline.onExpiry(() => {
    void connection.end(new CallFault('timeout', `Timeout: no complete response within ${timeoutMs} ms.`))
  })
  return { connection, exchange, outcome: await exchange.outcome }
}

/** The receiver closed a kept-alive connection, and most likely has not received the request. */
function wasStaleConnection({ exchange, outcome }: CallAttempt): boolean {
  return (
    outcome.kind === 'failed' &&
    outcome.fault.closedByPeer &&
    exchange.reused &&
    exchange.firstByteMs === null &&
    monotonicMs() - exchange.startedAtMs < closeRaceMs
  )
}

function replyTo(
  { connection, exchange, outcome }: CallAttempt,
  { startedAtMs, sent }: { startedAtMs: number; sent: boolean },
): OutboundReply {
  const attempt = exchange.reused ? null : connection.attempt
  const details = {
    timings: {
      durationMs: Math.round(monotonicMs() - startedAtMs),
      dnsMs: rounded(attempt?.dnsMs),
      connectMs: rounded(attempt?.connectMs),
      tlsMs: rounded(attempt?.tlsMs),
      firstByteMs: rounded(exchange.firstByteMs),
    },
    connectionReused: exchange.reused,
    remoteIp: connection.attempt?.remoteIp ?? null,
  }
  if (outcome.kind === 'answered') return { kind: 'answered', ...outcome.response, ...details }
  const { causeCode, message } = outcome.fault
  return { kind: 'failed', cause: causeCode, detail: message, mayHaveBeenSent: sent, ...details }
}

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms)
}

class Deadline {
  readonly #timer: NodeJS.Timeout
  #onExpire: () => void = () => {}

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#onExpire(), ms)
  }

  /** Replaces the callback for the timeout. */
  onExpiry(callback: () => void): void {
    this.#onExpire = callback
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
