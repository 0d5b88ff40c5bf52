/** The options of a client, with defaults and validation. */
import { apiVersion } from './types.generated.ts'

export type SwitchyardOptions = {
  /** An API token of your workspace. Required; the type allows undefined for values from the environment. */
  readonly token: string | undefined
  /** The URL of your Switchyard API. Default: localhost, port 8081 for a test token and 8080 for a live token. */
  readonly baseUrl?: string | undefined
  /**
   * The addresses of other cells of your installation. If the server responds that the workspace is in one of them, the
   * request is sent there, with the token. The token is never sent to an address that is not listed. Default: none.
   */
  readonly cells?: readonly string[] | undefined
  /** The API version. Default: the version that the types of this package describe. */
  readonly version?: string | undefined
  /** The maximum number of retries after a transient failure. Default: 2. */
  readonly maxRetries?: number | undefined
  /** The timeout of one attempt. Default: 40 seconds. */
  readonly timeoutMs?: number | undefined
  /** A custom `fetch`, for proxies or tests. */
  readonly fetch?: typeof fetch | undefined
  /** Called after each attempt, for logs and metrics. Errors it throws are ignored. */
  readonly onRequest?: ((request: RequestReport) => void) | undefined
  /** A custom wait between attempts, for tests. */
  readonly sleep?: Sleep | undefined
}

/** One attempt of a call. */
export type RequestReport = {
  readonly method: string
  readonly url: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Null without a response. */
  readonly status: number | null
  readonly requestId: string | null
  readonly idempotencyKey: string | null
  readonly durationMs: number
}

export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export type Settings = {
  readonly token: string
  readonly baseUrl: string
  readonly cells: readonly string[]
  readonly version: string
  readonly maxRetries: number
  readonly timeoutMs: number
  readonly fetch: typeof fetch
  readonly onRequest: (request: RequestReport) => void
  readonly sleep: Sleep
}

export function settingsOf(options: SwitchyardOptions): Settings {
  const token = requireToken(options.token)
  return {
    token,
    baseUrl: requireUrl(options.baseUrl ?? defaultBaseUrl(token)),
    cells: (options.cells ?? []).map(requireUrl),
    version: options.version ?? apiVersion,
    maxRetries: requireNumber('maxRetries', options.maxRetries ?? 2, 0),
    timeoutMs: requireNumber('timeoutMs', options.timeoutMs ?? 40_000, 1),
    // Look up the global `fetch` at each call, and call it without `this`, as browsers require.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    onRequest: options.onRequest ?? (() => {}),
    sleep: options.sleep ?? sleep,
  }
}

/** Rejects a token that is not a valid header value, because the error of `fetch` would contain the token. */
function requireToken(token: string | undefined): string {
  if (!token) throw new TypeError('A token is required: new Switchyard({ token }).')
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('The token contains invalid characters.')
  return token
}

function defaultBaseUrl(token: string): string {
  const mode = /^[sp]k_(live|test)_/.exec(token)?.[1]
  if (mode === undefined)
    throw new TypeError('The token does not start with sk_test_ or sk_live_, so baseUrl is required.')
  return mode === 'live' ? 'http://127.0.0.1:8080' : 'http://127.0.0.1:8081'
}

function requireUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new TypeError(`baseUrl must be a URL such as https://api.example.com, not "${text}".`)
}

export function requireNumber(name: string, value: number, min: number): number {
  if (Number.isFinite(value) && value >= min) return value
  throw new TypeError(`${name} must be a number of at least ${min}, not ${value}.`)
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
