/**
 * After the response: updates metrics, writes a log line, and writes an entry of the workspace's request log.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../kernel/caller.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import type { HttpContext, RequestLogEntry } from './http-context.ts'
import type { Operation } from './operation.ts'
import { Problem } from './problems.ts'
import { redact, redactPath } from './redact.ts'

export function recordRequest(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { operation, isQuiet } = request.routeOptions.config
    const { startedMs, openedMs, caller, errorCode } = request.state
    const endedMs = monotonicMs()
    const durationMs = Math.round(endedMs - startedMs)
    const status = reply.statusCode
    countRequest(context, request, status, ((openedMs ?? endedMs) - startedMs) / 1000)
    context.log[severityOf(status, isQuiet)]('request', {
      request_id: request.id,
      method: request.method,
      // The route pattern instead of the URL, which may contain user input.
      route: request.routeOptions.url ?? 'none',
      mode: context.mode,
      status,
      duration_ms: durationMs,
      ...(errorCode === null ? {} : { code: errorCode }),
      ...(caller === null ? {} : { workspace_id: caller.workspaceId, ...credentialFields(caller) }),
      ...traceOf(request.headers.traceparent),
    })
    if (caller !== null && !isDashboardRead(caller, request.method, status))
      context.requestLog.add(logEntryOf(request, { status, durationMs, operation: operation ?? null }))
  }
}

function countRequest(
  { metrics, mode }: HttpContext,
  request: FastifyRequest,
  status: number,
  seconds: number,
): void {
  const { operation } = request.routeOptions.config
  const { errorCode } = request.state
  metrics.requests.observe({ mode, operation: operation?.id ?? 'none', status: String(status) }, seconds)
  if (errorCode !== null) metrics.refusals.inc({ mode, code: errorCode })
}

/** Dashboard pages send dozens of reads per minute, whose entries would hide relevant calls. */
function isDashboardRead({ personId }: Caller, method: string, status: number): boolean {
  return personId !== null && method === 'GET' && status < 400
}

/** Successes of frequent routes are logged at debug level only. */
function severityOf(status: number, isQuiet = false): 'debug' | 'info' {
  return isQuiet && status < 400 ? 'debug' : 'info'
}

type RequestResult = { status: number; durationMs: number; operation: Operation | null }

function logEntryOf(
  request: FastifyRequest,
  { status, durationMs, operation }: RequestResult,
): RequestLogEntry {
  const { caller, version, errorCode, replayed, responseBody } = request.state
  const path = request.url.split('?', 1)[0] as string
  const { response = {}, accepted } = operation ?? {}
  const responseSchema =
    errorCode !== null ? Problem : status === 202 && accepted ? accepted.response : response
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
    // The content of an uploaded file is not logged.
    requestBody:
      request.method === 'GET' || operation?.upload !== undefined
        ? null
        : redactedText(operation?.body ?? {}, request.body),
    // Responses of reads are not stored: they can be read again.
    responseBody:
      request.method === 'GET' && errorCode === null ? null : redactedText(responseSchema, responseBody),
  }
}

function redactedText(schema: object, value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(redact(schema, value))
}

function credentialFields({ tokenId, personId }: Caller): { token_id: string | null; person_id?: string } {
  return { token_id: tokenId, ...(personId === null ? {} : { person_id: personId }) }
}

/** The trace id of the caller, if any, so that the logs of both sides can be correlated. */
function traceOf(header: unknown): { trace_id?: string } {
  const match = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(String(header ?? ''))
  return match?.[1] === undefined ? {} : { trace_id: match[1] }
}
