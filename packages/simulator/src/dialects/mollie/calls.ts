/** What all calls have in common: bodies, idempotency, refusals and lists. */
import { createHash } from 'node:crypto'
import { latencyOf } from '../../config.ts'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import { isObject, type OperationRecord } from '../../protocol.ts'
import type { DialectContext } from '../dialect.ts'
import { withIdempotencyKey } from '../idempotency.ts'
import { errorReply, halJson, invalid } from './errors.ts'
import { type ApiObject, documentationOf, link } from './objects.ts'
import type { Members } from './requests.ts'
import { idempotencyWindowMs } from './store.ts'

/** `ids` are the ids in the path. */
export type Route = (
  context: DialectContext,
  call: IncomingCall,
  ids: readonly string[],
) => Reply | Promise<Reply>

export function baseOf({ origin, account }: DialectContext): string {
  return `${origin}/${account.name}/v2`
}

export function ok(body: object, status = 200): Reply {
  return { status, headers: halJson, body }
}

export function isReply(value: object): value is Reply {
  return 'status' in value && typeof value.status === 'number'
}

/** The members of the body; none if it is empty. */
function readBody({ bytes, body, headers }: IncomingCall): Members | Reply {
  if (bytes.length === 0) return {}
  if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
    return errorReply(415, 'The encoding of the request is not supported. Use JSON.')
  return isObject(body) ? body : errorReply(400, 'The request body is not a JSON object.')
}

/** Requires an empty body: the members that Mollie documents are not allowed with an API key. */
export function readEmptyBody(call: IncomingCall): Reply | null {
  const body = readBody(call)
  return isReply(body) ? body : refuseMembers(body)
}

export function refuseMembers(body: Members): Reply | null {
  const [name] = Object.keys(body)
  return name === undefined ? null : invalid(name, `The '${name}' field is not supported with an API key`)
}

export function fingerprintOf({ path, bytes }: IncomingCall): string {
  return createHash('sha256').update(path).update('\n').update(bytes).digest('base64url')
}

/** Objects are read by id or as a list. Only lists have parameters. */
export async function read(
  { state, account }: DialectContext,
  { path, query }: IncomingCall,
  parameters: readonly string[] = [],
): Promise<Reply | null> {
  await state.clock.sleep(latencyOf(account.config, path))
  const unknown = [...query.keys()].find((name) => !parameters.includes(name))
  return unknown === undefined
    ? null
    : errorReply(400, `The '${unknown}' parameter is not supported`, { field: unknown })
}

/** Runs a POST once per idempotency key. Keys are kept for an hour. */
export async function runOnce(
  context: DialectContext,
  call: IncomingCall,
  run: (body: Members, key: string | null) => Promise<Reply> | Reply,
): Promise<Reply> {
  const body = readBody(call)
  if (isReply(body)) return body
  const key = call.headers['idempotency-key']?.toString() ?? null
  if (key === null) return withDuplicateNotice(await run(body, null))
  const content = `${call.method} ${call.path}\n${call.bytes}`
  const reply = await withIdempotencyKey(
    context,
    { key, content, windowMs: idempotencyWindowMs, conflict, inProgress, isStored, replayHeaders },
    () => run(body, key),
  )
  return withDuplicateNotice(reply)
}

const conflict = errorReply(400, 'The idempotency key was already used for another request')
const inProgress = errorReply(409, 'A request with this idempotency key is still being processed')
const replayHeaders = { ...halJson, 'idempotent-replayed': 'true' }

/** A request that was not executed is executed when it is repeated. */
function isStored({ status }: Reply): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429
}

/** Reports the payment as failed because it is a duplicate, although it was processed. */
function withDuplicateNotice(reply: Reply): Reply {
  if (reply.responseMode !== 'duplicate_notice') return reply
  const { responseMode: _, ...plain } = reply
  const { paidAt: __, authorizedAt: ___, ...payment } = reply.body as Members
  const statusReason = { code: 'duplicate_transaction', message: 'The transaction is a duplicate.' }
  return { ...plain, body: { ...payment, status: 'failed', failedAt: payment.createdAt, statusReason } }
}

/** The error of an operation that was not executed. */
export function refusalOf(reply: Reply): Reply {
  const record = (reply.body ?? {}) as Partial<OperationRecord>
  const { code = '', message = '' } = record.error ?? {}
  if (code === 'provider_credentials_invalid' || reply.status === 401) return unauthenticated
  if (reply.status === 403) return errorReply(403, 'The API key has no permission for this action')
  if (reply.status === 429) return errorReply(429, 'You have exceeded the rate limit.')
  if (reply.status === 503) return unavailable
  if (code === 'currency_not_supported') return invalid('amount.currency', message)
  if (code === 'amount_not_supported') return invalid('amount', 'The amount is higher than the maximum')
  return errorReply(422, message || 'The request cannot be processed')
}

export const unauthenticated = errorReply(401, 'Missing authentication, or failed to authenticate')
export const unavailable = errorReply(503, 'The payment platform is temporarily not available')

type List = { readonly name: string; readonly path: string; readonly items: readonly ApiObject[] }

export const listParameters = ['from', 'limit']

/** A page of a list: `from` is the id of its first item. */
export function pageOf(context: DialectContext, { query }: IncomingCall, { name, path, items }: List): Reply {
  const base = baseOf(context)
  const limit = Number(query.get('limit') ?? 50)
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 250)
    return errorReply(400, 'The limit must be between 1 and 250', { field: 'limit' })
  const from = query.get('from')
  const start = from === null ? 0 : items.findIndex(({ id }) => id === from)
  if (start < 0) return errorReply(400, 'Invalid cursor value', { field: 'from' })
  const page = items.slice(start, start + limit)
  const pageLink = (index: number) => {
    const first = items[index]
    return first === undefined ? null : link(base, `${path}?from=${first.id}&limit=${limit}`)
  }
  return ok({
    count: page.length,
    _embedded: { [name]: page },
    _links: {
      self: link(base, `${path}?limit=${limit}`),
      previous: start === 0 ? null : pageLink(Math.max(0, start - limit)),
      next: pageLink(start + limit),
      documentation: documentationOf(`list-${name}`),
    },
  })
}
