/**
 * Sends a call until it is answered. A write gets its idempotency key before the first try and keeps it
 * over all of them, so that it has its effect once however often it is sent.
 */
import { errorOf } from './errors.ts'
import { type Query, textOf } from './query.ts'
import { type Failure, finalError, lost, mayRepeat, waitMs } from './retries.ts'
import { requireNumber, type Settings } from './settings.ts'

export type CallOptions = {
  /** Ends the call. It is then rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long one try may take. */
  readonly timeoutMs?: number | undefined
  readonly maxRetries?: number | undefined
}

export type WriteOptions = CallOptions & {
  /** A name of yours for this call; drawn if you give none. The same key never has a second effect. */
  readonly idempotencyKey?: string | undefined
}

export type UpdateOptions = WriteOptions & {
  /** Change the object only if this is still its version: `$response.etag` of the answer you have seen. */
  readonly ifMatch?: string | undefined
}

/** Deleting again answers the same, so it needs no key. */
export type DeleteOptions = CallOptions & Pick<UpdateOptions, 'ifMatch'>

/** What is known of an answer beside its body. */
export type ResponseInfo = {
  readonly status: number
  readonly requestId: string | null
  /** The version of the object, for `ifMatch`. */
  readonly etag: string | null
  /** Whether this is the answer of an earlier call with the same key. */
  readonly replayed: boolean
  readonly headers: Headers
}

/** An answer. `$response` is not enumerable: spreading and JSON leave it out. */
export type Answered<Body> = Body & { readonly $response: ResponseInfo }

export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: Query | undefined
  readonly body?: object | undefined
  /** Headers that the operation itself asks for. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly options?: UpdateOptions | undefined
  /** What is asked for, if not JSON. The answer is then its bytes. */
  readonly accept?: 'application/pdf'
}

export type Send = <Body extends object>(call: Call) => Promise<Answered<Body>>

/** A call as it goes out, equal for every try. */
type Prepared = {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
  readonly key: string | null
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

type Answer = { readonly is: 'answered'; readonly body: object; readonly response: Response }

export function createSend(settings: Settings): Send {
  return async <Body extends object>(call: Call) => {
    const prepared = prepare(settings, call)
    const maxRetries = requireNumber('maxRetries', call.options?.maxRetries ?? settings.maxRetries, 0)
    let lostOne = false
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await tryOnce(settings, prepared, attempt)
      if (outcome.is === 'answered') return answered<Body>(outcome)
      lostOne ||= outcome.is === 'lost' && outcome.wasSent
      if (attempt > maxRetries || !mayRepeat(outcome)) throw finalError(outcome, prepared.key, lostOne)
      await settings.sleep(waitMs(attempt, outcome.error.retryAfterSeconds), prepared.signal)
    }
  }
}

export function prepare(settings: Settings, call: Call): Prepared {
  const { method, path, query, body, headers = {}, options = {}, accept = 'application/json' } = call
  const isWrite = method === 'POST' || method === 'PUT'
  const key = isWrite ? requireVisible('idempotencyKey', options.idempotencyKey ?? crypto.randomUUID()) : null
  const { ifMatch } = options
  return {
    method,
    url: settings.baseUrl + path + textOf(query),
    headers: {
      ...headersOf(headers),
      accept,
      authorization: `Bearer ${settings.token}`,
      'switchyard-version': settings.version,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...(ifMatch === undefined ? {} : { 'if-match': requireVisible('ifMatch', ifMatch) }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    key,
    signal: options.signal,
    timeoutMs: requireNumber('timeoutMs', options.timeoutMs ?? settings.timeoutMs, 1),
  }
}

function headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, requireVisible(name, text)]))
}

/** What no header can carry would look like a lost connection. */
function requireVisible(name: string, text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text
  throw new TypeError(`${name} must have 1 to 255 visible ASCII characters.`)
}

async function tryOnce(settings: Settings, prepared: Prepared, attempt: number): Promise<Answer | Failure> {
  const startedMs = performance.now()
  const { method, url, key } = prepared
  const report = (status: number | null, requestId: string | null) => {
    const durationMs = performance.now() - startedMs
    const request = { method, url, attempt, status, requestId, idempotencyKey: key, durationMs }
    // The call has had its effect by now: a fault of the listener must not hide that.
    try {
      settings.onRequest(request)
    } catch {}
  }
  try {
    const { response, bytes } = await exchange(settings, prepared)
    report(response.status, response.headers.get('request-id'))
    if (response.ok && prepared.headers.accept !== 'application/json')
      return { is: 'answered', body: bytes, response }
    return outcomeOf(response, new TextDecoder().decode(bytes), key)
  } catch (cause) {
    if (prepared.signal?.aborted) throw prepared.signal.reason
    report(null, null)
    return lost(cause, sentenceOf(cause, prepared), key)
  }
}

/** One request and its whole answer, within the time of a try. */
async function exchange(settings: Settings, { url, signal, timeoutMs, ...request }: Prepared) {
  signal?.throwIfAborted()
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new DOMException('The time is over.', 'TimeoutError')), timeoutMs)
  const pass = () => stop.abort(signal?.reason)
  signal?.addEventListener('abort', pass, { once: true })
  try {
    const { method, headers, body } = request
    // A redirect would turn a POST into a GET, which answers something else.
    const response = await settings.fetch(url, {
      method,
      headers,
      body,
      redirect: 'manual',
      signal: stop.signal,
    })
    return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', pass)
  }
}

function outcomeOf(response: Response, text: string, key: string | null): Answer | Failure {
  if (!response.ok) return { is: 'refused', error: errorOf(response, text, key) }
  const body = objectIn(text)
  if (body !== null) return { is: 'answered', body, response }
  return lost(null, 'The answer is not JSON. Is baseUrl the address of a Switchyard?', key)
}

function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

function sentenceOf(cause: unknown, { method, url, timeoutMs }: Prepared): string {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
  return `${method} ${url} got no answer${isTimeout ? ` within ${timeoutMs} ms` : ''}.`
}

function answered<Body extends object>({ body, response }: Answer): Answered<Body> {
  const { status, headers } = response
  const $response: ResponseInfo = {
    status,
    requestId: headers.get('request-id'),
    etag: headers.get('etag'),
    replayed: headers.get('idempotent-replayed') === 'true',
    headers,
  }
  return Object.defineProperty(body, '$response', { value: $response }) as Answered<Body>
}
