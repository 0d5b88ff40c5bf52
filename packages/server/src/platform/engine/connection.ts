/**
 * The connection to NATS. It is opened in the background and retried forever: a process starts, serves and
 * stops whether NATS is available or not. Callers request the live connection when they need one, and
 * continue without one while NATS is unavailable. It also tracks how long NATS has been unavailable.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamClient, type JetStreamManager, jetstream } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import { assert } from '../../kernel/assert.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { withTimeout } from './cancellable-sleep.ts'

/** A live connection with its JetStream client and manager. */
export type LiveConnection = {
  readonly nats: NatsConnection
  readonly jetStream: JetStreamClient
  readonly manager: JetStreamManager
}

export type Connection = {
  /** False without a URL: there is no engine then, and the reconciler does all work itself. */
  readonly configured: boolean
  /** Settles when the first attempt to connect has succeeded or failed. */
  readonly firstAttempt: Promise<void>
  /** Null while NATS is unavailable. Call it each time: a closed connection does not recover. */
  live(): LiveConnection | null
  /** Milliseconds since the connection was lost, or since startup; 0 while connected. */
  unavailableForMs(): number
  /** Calls the listener after every connect and reconnect, until the returned function is called. */
  onConnected(listener: () => void): () => void
  /** Flushes pending messages, then closes. */
  close(): Promise<void>
}

type Options = {
  /** One or more server URLs, separated by commas, with credentials if required. */
  readonly url: string | null
  readonly log: Log
  readonly metrics: Pick<Metrics, 'engineConnected' | 'engineConfigured'>
}

const connectTimeoutMs = 2_000
const reconnectDelayMs = 250
/** A request that is in flight when the server crashes never gets a response, but the next request does. */
const requestTimeoutMs = 2_000
/** A lost peer is detected after two pings instead of the 15 minutes of TCP. */
const pingMs = 5_000
const drainTimeoutMs = 2_000

export function openConnection({ url, log, metrics }: Options): Connection {
  metrics.engineConnected.set(0)
  metrics.engineConfigured.set(url === null ? 0 : 1)
  if (url === null) return noConnection
  const connection = new ReconnectingConnection(parseNatsUrls(url), log, metrics)
  connection.open()
  return connection
}

const noConnection: Connection = {
  configured: false,
  firstAttempt: Promise.resolve(),
  live: () => null,
  unavailableForMs: () => monotonicMs(),
  onConnected: () => () => {},
  close: async () => {},
}

class ReconnectingConnection implements Connection {
  readonly configured = true
  readonly #addresses: ConnectionOptions
  readonly #log: Log
  readonly #metrics: Options['metrics']
  readonly #closing = new AbortController()
  readonly #listeners = new Set<() => void>()
  #current: LiveConnection | null = null
  #unavailableSinceMs: number | null = monotonicMs()
  #hasWarned = false
  #loop: Promise<void> = Promise.resolve()
  readonly #firstAttemptEnd = Promise.withResolvers<void>()

  constructor(addresses: ConnectionOptions, log: Log, metrics: Options['metrics']) {
    this.#addresses = addresses
    this.#log = log
    this.#metrics = metrics
  }

  get firstAttempt(): Promise<void> {
    return this.#firstAttemptEnd.promise
  }

  open(): void {
    this.#loop = this.#keepConnected()
  }

  live(): LiveConnection | null {
    return this.#unavailableSinceMs === null ? this.#current : null
  }

  unavailableForMs(): number {
    return this.#unavailableSinceMs === null ? 0 : monotonicMs() - this.#unavailableSinceMs
  }

  onConnected(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#current !== null) await closeConnection(this.#current.nats, this.#unavailableSinceMs === null)
    await this.#loop
  }

  /**
   * The client reconnects automatically, except before its first connection and after an error it considers
   * fatal.
   */
  async #keepConnected(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const live = await connectToNats(this.#addresses).catch((error) => this.#warnUnreachable(error))
      if (live === null) await sleep(reconnectDelayMs, undefined, { signal }).catch(() => {})
      else if (signal.aborted) await live.nats.close()
      else await this.#watchStatus(live)
    }
  }

  async #watchStatus(live: LiveConnection): Promise<void> {
    this.#current = live
    this.#onConnect()
    for await (const status of live.nats.status()) {
      if (status.type === 'disconnect') this.#onDisconnect()
      if (status.type === 'reconnect') this.#onConnect()
    }
    this.#onDisconnect()
    this.#current = null
  }

  /** Logs once per outage instead of four times a second. */
  #warnUnreachable(error: unknown): null {
    if (!this.#hasWarned)
      this.#log.warn(`NATS cannot be reached (${reasonOf(error)}). Switchyard keeps trying to connect.`, {
        address: String(this.#addresses.servers),
      })
    this.#hasWarned = true
    this.#firstAttemptEnd.resolve()
    return null
  }

  #onConnect(): void {
    this.#hasWarned = false
    this.#unavailableSinceMs = null
    this.#metrics.engineConnected.set(1)
    this.#log.info('NATS is connected.', { address: this.#current?.nats.getServer() ?? '' })
    for (const listener of this.#listeners) listener()
    this.#firstAttemptEnd.resolve()
  }

  #onDisconnect(): void {
    if (this.#unavailableSinceMs !== null) return
    this.#unavailableSinceMs = monotonicMs()
    this.#metrics.engineConnected.set(0)
    if (!this.#closing.signal.aborted) this.#log.warn('NATS is unreachable. Work continues, but more slowly.')
  }
}

async function connectToNats(addresses: ConnectionOptions): Promise<LiveConnection> {
  const nats = await connect({
    ...addresses,
    name: 'switchyard',
    timeout: connectTimeoutMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: reconnectDelayMs,
    // Credentials may be rotated at runtime, so an authentication error may be temporary.
    ignoreAuthErrorAbort: true,
    pingInterval: pingMs,
    // Capturing a stack trace for each request costs more than the request.
    noAsyncTraces: true,
  })
  const jetStream = jetstream(nats, { timeout: requestTimeoutMs })
  return { nats, jetStream, manager: await jetStream.jetstreamManager(false) }
}

/** The client reports refused connections with an empty message and the reason in `cause`. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return message || (cause instanceof Error ? cause.message : 'no reason was given')
}

/** The client takes hosts and credentials separately; a URL combines them. Has no side effects. */
export function parseNatsUrls(list: string): ConnectionOptions {
  const urls = list.split(',').map((text) => new URL(text.trim()))
  const areValid = urls.every(({ protocol, hostname }) => /^(nats|tls):$/.test(protocol) && hostname !== '')
  assert(
    areValid,
    'Addresses of NATS must look like nats://host:4222 or tls://host:4222, separated by commas.',
  )
  const { username, password, protocol } = urls[0] ?? new URL('nats://localhost')
  const credentials = password === '' ? { token: username } : { user: username, pass: password }
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    ...(username === '' ? {} : mapValues(credentials, decodeURIComponent)),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
  }
}

function mapValues(
  record: Record<string, string>,
  convert: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, text]) => [name, convert(text)]))
}

/** Draining waits for a response of the server, so it is only done while connected, with a short timeout. */
async function closeConnection(nats: NatsConnection, connected: boolean): Promise<void> {
  if (connected)
    await withTimeout(
      drainTimeoutMs,
      nats.drain().catch(() => {}),
      undefined,
    )
  await nats.close()
}
