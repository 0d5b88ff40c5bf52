/**
 * Sends a request with retries. A write gets its idempotency key before the first attempt and keeps it for all
 * retries, so that it takes effect once.
 */
import { errorOf, WrongCellError } from './errors.ts'
import { encodeQuery, type Query } from './query.ts'
import { connectionFailure, type Failure, finalError, isRetryable, retryDelayMs } from './retries.ts'
import { requireNumber, type Settings } from './settings.ts'

export type CallOptions = {
  /** Aborts the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /** The timeout of one attempt. */
  readonly timeoutMs?: number | undefined
  readonly maxRetries?: number | undefined
}

export type WriteOptions = CallOptions & {
  /** Your key for this request; random by default. Requests with the same key take effect once. */
  readonly idempotencyKey?: string | undefined
}

export type UpdateOptions = WriteOptions & {
  /** Update only if the object still has this ETag: `$response.etag` of an earlier response. */
  readonly ifMatch?: string | undefined
}

/** Deleting is idempotent, so it takes no key. */
export type DeleteOptions = CallOptions & Pick<UpdateOptions, 'ifMatch'>

/** Status and headers of a response. */
export type ResponseInfo = {
  readonly status: number
  readonly requestId: string | null
  /** The version of the object, for `ifMatch`. */
  readonly etag: string | null
  /** Whether this is the stored response of an earlier request with the same key. */
  readonly replayed: boolean
  readonly headers: Headers
}

/** A response body. `$response` is not enumerable: spreading and JSON omit it. */
export type Answered<Body> = Body & { readonly $response: ResponseInfo }

/** The content of a file. */
export type UploadContent = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: Query | undefined
  readonly body?: object | undefined
  /** The CSV file that is the body. */
  readonly file?: UploadContent | undefined
  /** Additional headers of the operation. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly options?: UpdateOptions | undefined
  /** The expected content type, if not JSON. The result is then a byte array. */
  readonly accept?: 'application/pdf' | 'application/xml'
}

export type Send = <Body extends object>(call: Call) => Promise<Answered<Body>>

/** The request, identical for every attempt. */
type PreparedRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: UploadContent | null
  readonly key: string | null
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
}

type Success = { readonly kind: 'succeeded'; readonly body: object; readonly response: Response }

export function createSend(settings: Settings): Send {
  return async <Body extends object>(call: Call) => {
    const prepared = prepare(settings, call)
    const maxRetries = maxRetriesOf(settings, call)
    let wasResponseLost = false
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await sendToCell(settings, prepared, attempt)
      if (outcome.kind === 'succeeded') return withResponseInfo<Body>(outcome)
      wasResponseLost ||= outcome.kind === 'lost' && outcome.wasSent
      if (attempt > maxRetries || !isRetryable(outcome))
        throw finalError(outcome, prepared.key, wasResponseLost)
      await settings.sleep(retryDelayMs(attempt, outcome.error.retryAfterSeconds), prepared.signal)
    }
  }
}

/** Sends the request, and sends it again to the cell that has the workspace, if the caller listed that cell. */
async function sendToCell(
  settings: Settings,
  prepared: PreparedRequest,
  attempt: number,
): Promise<Success | Failure> {
  const outcome = await sendAttempt(settings, prepared, attempt)
  const atCell = atOtherCell(settings, prepared, outcome)
  return atCell === null ? outcome : sendAttempt(settings, atCell, attempt)
}

/**
 * The same request to the cell that has the workspace; null if the caller did not list that cell. A stream can be sent
 * once.
 */
function atOtherCell(
  { baseUrl, cells }: Settings,
  prepared: PreparedRequest,
  outcome: Success | Failure,
): PreparedRequest | null {
  if (outcome.kind !== 'rejected' || !(outcome.error instanceof WrongCellError)) return null
  const address = cells.find((cell) => cell === outcome.error.problem?.cell_address)
  if (address === undefined || prepared.body instanceof ReadableStream) return null
  return { ...prepared, url: address + prepared.url.slice(baseUrl.length) }
}

/** A stream can be sent once. */
function maxRetriesOf(settings: Settings, { file, options }: Call): number {
  if (file instanceof ReadableStream) return 0
  return requireNumber('maxRetries', options?.maxRetries ?? settings.maxRetries, 0)
}

export function prepare(settings: Settings, call: Call): PreparedRequest {
  const { method, path, query, body, file, headers = {}, options = {}, accept = 'application/json' } = call
  const isWrite = method === 'POST' || method === 'PUT'
  const key = isWrite
    ? requireHeaderValue('idempotencyKey', options.idempotencyKey ?? crypto.randomUUID())
    : null
  const { ifMatch } = options
  return {
    method,
    url: settings.baseUrl + path + encodeQuery(query),
    headers: {
      ...checkHeaders(headers),
      accept,
      authorization: `Bearer ${settings.token}`,
      'switchyard-version': settings.version,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(file === undefined ? {} : { 'content-type': 'text/csv' }),
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...(ifMatch === undefined ? {} : { 'if-match': requireHeaderValue('ifMatch', ifMatch) }),
    },
    body: file ?? (body === undefined ? null : JSON.stringify(body)),
    key,
    signal: options.signal,
    timeoutMs: requireNumber('timeoutMs', options.timeoutMs ?? settings.timeoutMs, 1),
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, requireHeaderValue(name, text)]),
  )
}

/** Rejects invalid header values, which `fetch` would report like a connection error. */
function requireHeaderValue(name: string, text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text
  throw new TypeError(`${name} must have 1 to 255 visible ASCII characters.`)
}

async function sendAttempt(
  settings: Settings,
  prepared: PreparedRequest,
  attempt: number,
): Promise<Success | Failure> {
  const startedMs = performance.now()
  const { method, url, key } = prepared
  const report = (status: number | null, requestId: string | null) => {
    const durationMs = performance.now() - startedMs
    const request = { method, url, attempt, status, requestId, idempotencyKey: key, durationMs }
    // The request has been made: an error in the callback must not hide its result.
    try {
      settings.onRequest(request)
    } catch {}
  }
  try {
    const { response, bytes } = await sendRequest(settings, prepared)
    report(response.status, response.headers.get('request-id'))
    if (response.ok && prepared.headers.accept !== 'application/json')
      return { kind: 'succeeded', body: bytes, response }
    return outcomeOf(response, new TextDecoder().decode(bytes), key)
  } catch (cause) {
    if (prepared.signal?.aborted) throw prepared.signal.reason
    report(null, null)
    return connectionFailure(cause, failureMessage(cause, prepared), key)
  }
}

/** Sends one request and reads its whole response within the timeout. */
async function sendRequest(settings: Settings, { url, signal, timeoutMs, ...request }: PreparedRequest) {
  signal?.throwIfAborted()
  const stop = new AbortController()
  const timer = setTimeout(
    () => stop.abort(new DOMException('The request timed out.', 'TimeoutError')),
    timeoutMs,
  )
  const forwardAbort = () => stop.abort(signal?.reason)
  signal?.addEventListener('abort', forwardAbort, { once: true })
  try {
    const { method, headers, body } = request
    // Following a redirect would turn a POST into a GET.
    const response = await settings.fetch(url, {
      method,
      headers,
      body,
      redirect: 'manual',
      signal: stop.signal,
      // Required by fetch for a stream: the response is read after the whole request was sent.
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    })
    return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', forwardAbort)
  }
}

function outcomeOf(response: Response, text: string, key: string | null): Success | Failure {
  if (!response.ok) return { kind: 'rejected', error: errorOf(response, text, key) }
  const body = parseObject(text)
  if (body !== null) return { kind: 'succeeded', body, response }
  return connectionFailure(
    null,
    'The response is not JSON. Check that baseUrl is the URL of a Switchyard API.',
    key,
  )
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

function failureMessage(cause: unknown, { method, url, timeoutMs }: PreparedRequest): string {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
  return `No response to ${method} ${url}${isTimeout ? ` within ${timeoutMs} ms` : ''}.`
}

function withResponseInfo<Body extends object>({ body, response }: Success): Answered<Body> {
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
