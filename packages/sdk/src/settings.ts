/** What a client is made with, read and checked once. */
import { apiVersion } from './types.generated.ts'

export type SwitchyardOptions = {
  /** An API token of your workspace. May be undefined in its type, so that it can come from the environment. */
  readonly token: string | undefined
  /** The address of your Switchyard. Without it: this machine, at the port that the token's mode is served on. */
  readonly baseUrl?: string | undefined
  /** The version of the API. Without it: the one that the types of this package describe. */
  readonly version?: string | undefined
  /** How often a call is repeated after a failure that may pass. Without it: 2. */
  readonly maxRetries?: number | undefined
  /** How long one try may take. Without it: 40 seconds. */
  readonly timeoutMs?: number | undefined
  /** Another `fetch`, for proxies or tests. */
  readonly fetch?: typeof fetch | undefined
  /** Hears of every try, for logs and metrics. What it throws is ignored. */
  readonly onRequest?: ((request: RequestReport) => void) | undefined
  /** How to wait between tries, for tests that do not. */
  readonly sleep?: Sleep | undefined
}

/** One try of a call. */
export type RequestReport = {
  readonly method: string
  readonly url: string
  /** 1 for the first try. */
  readonly attempt: number
  /** Null if no answer came. */
  readonly status: number | null
  readonly requestId: string | null
  readonly idempotencyKey: string | null
  readonly durationMs: number
}

export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export type Settings = {
  readonly token: string
  readonly baseUrl: string
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
    baseUrl: requireUrl(options.baseUrl ?? addressFor(token)),
    version: options.version ?? apiVersion,
    maxRetries: requireNumber('maxRetries', options.maxRetries ?? 2, 0),
    timeoutMs: requireNumber('timeoutMs', options.timeoutMs ?? 40_000, 1),
    // Looked up at each call, and called without a receiver, which browsers insist on.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    onRequest: options.onRequest ?? (() => {}),
    sleep: options.sleep ?? sleep,
  }
}

/** A token that no header can carry would be quoted in the message of `fetch`, so it is refused before. */
function requireToken(token: string | undefined): string {
  if (!token) throw new TypeError('Switchyard needs a token.')
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('The token has characters that no token has.')
  return token
}

function addressFor(token: string): string {
  const mode = /^[sp]k_(live|test)_/.exec(token)?.[1]
  if (mode === undefined)
    throw new TypeError('The token does not begin with sk_test_ or sk_live_. Set baseUrl.')
  return mode === 'live' ? 'http://127.0.0.1:8080' : 'http://127.0.0.1:8081'
}

function requireUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new TypeError(`baseUrl is "${text}". It must be an address such as https://api.example.com.`)
}

export function requireNumber(name: string, value: number, min: number): number {
  if (Number.isFinite(value) && value >= min) return value
  throw new TypeError(`${name} is ${value}. It must be a number of at least ${min}.`)
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const stop = () => {
      clearTimeout(timer)
      fail(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      done()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
