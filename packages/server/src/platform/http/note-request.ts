/** After the answer: a figure, a line in the log, and a line that the workspace itself can read. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../kernel/caller.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problems.ts'
import { redact, redactPath } from './redact.ts'
import type { RequestLine, Site } from './site.ts'

export function noteRequest(site: Site) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { operation, isQuiet } = request.routeOptions.config
    const { startedMs, openedMs, caller, errorCode } = request.progress
    const endedMs = monotonicMs()
    const durationMs = Math.round(endedMs - startedMs)
    const status = reply.statusCode
    countRequest(site, request, status, ((openedMs ?? endedMs) - startedMs) / 1000)
    site.log[severityOf(status, isQuiet)]('request', {
      request_id: request.id,
      method: request.method,
      // The pattern, not the address: that may hold what a caller typed.
      route: request.routeOptions.url ?? 'none',
      mode: site.mode,
      status,
      duration_ms: durationMs,
      ...(errorCode === null ? {} : { code: errorCode }),
      ...(caller === null ? {} : { workspace_id: caller.workspaceId, ...holderIn(caller) }),
      ...traceOf(request.headers.traceparent),
    })
    if (caller !== null && !isLooking(caller, request.method, status))
      site.requestLog.add(lineOf(request, { status, durationMs, operation: operation ?? null }))
  }
}

function countRequest(
  { metrics, mode }: Site,
  request: FastifyRequest,
  status: number,
  seconds: number,
): void {
  const { operation } = request.routeOptions.config
  const { errorCode } = request.progress
  metrics.requests.observe({ mode, operation: operation?.id ?? 'none', status: String(status) }, seconds)
  if (errorCode !== null) metrics.refusals.inc({ mode, code: errorCode })
}

/** A page reads dozens of times a minute. Those lines would hide the calls that somebody looks for. */
function isLooking({ personId }: Caller, method: string, status: number): boolean {
  return personId !== null && method === 'GET' && status < 400
}

/** What so many do that a line for each would say nothing is told only to whoever looks for a fault. */
function severityOf(status: number, isQuiet = false): 'debug' | 'info' {
  return isQuiet && status < 400 ? 'debug' : 'info'
}

type Outcome = { status: number; durationMs: number; operation: Operation | null }

function lineOf(request: FastifyRequest, { status, durationMs, operation }: Outcome): RequestLine {
  const { caller, version, errorCode, replayed, answered } = request.progress
  const path = request.url.split('?', 1)[0] as string
  const { answer = {}, accepted } = operation ?? {}
  const answerSchema = errorCode !== null ? Problem : status === 202 && accepted ? accepted.answer : answer
  return {
    caller: caller as NonNullable<typeof caller>,
    requestId: request.id,
    method: request.method,
    path: operation === null ? '' : redactPath(operation.path, path),
    operation: operation?.id ?? null,
    status,
    errorCode,
    apiVersion: version,
    replayed,
    durationMs,
    requestBody: request.method === 'GET' ? null : redactedText(operation?.body ?? {}, request.body),
    // What a read answers can be read again.
    responseBody:
      request.method === 'GET' && errorCode === null ? null : redactedText(answerSchema, answered),
  }
}

function redactedText(schema: object, value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(redact(schema, value))
}

function holderIn({ tokenId, personId }: Caller): { token_id: string | null; person_id?: string } {
  return { token_id: tokenId, ...(personId === null ? {} : { person_id: personId }) }
}

/** The trace of a caller that has one, so that both sides' logs can be put together. */
function traceOf(header: unknown): { trace_id?: string } {
  const match = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(String(header ?? ''))
  return match?.[1] === undefined ? {} : { trace_id: match[1] }
}
