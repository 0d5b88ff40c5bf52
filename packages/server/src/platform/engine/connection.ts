/**
 * The connection to NATS. It is made in the background and made again for ever: a process starts, serves and
 * stops whether NATS is there or not. Others ask it for a line when they need one, and go without when there
 * is none; it knows for how long there has been none.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamClient, type JetStreamManager, jetstream } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import { assert } from '../../kernel/assert.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { orAfter } from './nap.ts'

/** A live connection and its two ways to speak to JetStream. */
export type Line = {
  readonly nats: NatsConnection
  readonly jetStream: JetStreamClient
  readonly manager: JetStreamManager
}

export type Connection = {
  /** Without a url there is no engine, and the reconciler does all work itself. */
  readonly configured: boolean
  /** Null while NATS is away. Ask again each time: a line that broke is not coming back. */
  line(): Line | null
  /** Milliseconds since the line broke, or since the start; 0 while there is one. */
  awayForMs(): number
  /** Calls after every connect and reconnect, until the function it gives is called. */
  onConnected(listener: () => void): () => void
  /** Sends what is on its way, then hangs up. */
  close(): Promise<void>
}

type Options = {
  /** One or more servers, separated by commas, with credentials if they want some. */
  readonly url: string | null
  readonly log: Log
  readonly metrics: Pick<Metrics, 'engineConnected' | 'engineConfigured'>
}

const dialTimeoutMs = 2_000
const redialMs = 250
/** A question that was on its way when the server died is never answered; the next one is. */
const answerTimeoutMs = 2_000
/** A peer that vanished without a word is noticed after two pings, not after TCP's quarter of an hour. */
const pingMs = 5_000
const drainTimeoutMs = 2_000

export function openConnection({ url, log, metrics }: Options): Connection {
  metrics.engineConnected.set(0)
  metrics.engineConfigured.set(url === null ? 0 : 1)
  if (url === null) return noConnection
  const connection = new NatsLine(addressesOf(url), log, metrics)
  connection.open()
  return connection
}

const noConnection: Connection = {
  configured: false,
  line: () => null,
  awayForMs: () => monotonicMs(),
  onConnected: () => () => {},
  close: async () => {},
}

class NatsLine implements Connection {
  readonly configured = true
  readonly #addresses: ConnectionOptions
  readonly #log: Log
  readonly #metrics: Options['metrics']
  readonly #closing = new AbortController()
  readonly #listeners = new Set<() => void>()
  #line: Line | null = null
  #awaySinceMs: number | null = monotonicMs()
  #complained = false
  #ended: Promise<void> = Promise.resolve()

  constructor(addresses: ConnectionOptions, log: Log, metrics: Options['metrics']) {
    this.#addresses = addresses
    this.#log = log
    this.#metrics = metrics
  }

  open(): void {
    this.#ended = this.#live()
  }

  line(): Line | null {
    return this.#awaySinceMs === null ? this.#line : null
  }

  awayForMs(): number {
    return this.#awaySinceMs === null ? 0 : monotonicMs() - this.#awaySinceMs
  }

  onConnected(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#line !== null) await hangUp(this.#line.nats, this.#awaySinceMs === null)
    await this.#ended
  }

  /** The client reconnects by itself, except before its first connect and after an error it calls fatal. */
  async #live(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const line = await dial(this.#addresses).catch((error) => this.#unreachable(error))
      if (line === null) await sleep(redialMs, undefined, { signal }).catch(() => {})
      else if (signal.aborted) await line.nats.close()
      else await this.#follow(line)
    }
  }

  async #follow(line: Line): Promise<void> {
    this.#line = line
    this.#arrived()
    for await (const status of line.nats.status()) {
      if (status.type === 'disconnect') this.#left()
      if (status.type === 'reconnect') this.#arrived()
    }
    this.#left()
    this.#line = null
  }

  /** Said once, not four times a second. */
  #unreachable(error: unknown): null {
    if (!this.#complained) this.#log.warn('NATS cannot be reached. It is tried again for ever.', { error })
    this.#complained = true
    return null
  }

  #arrived(): void {
    this.#complained = false
    this.#awaySinceMs = null
    this.#metrics.engineConnected.set(1)
    this.#log.info('NATS is connected.', { address: this.#line?.nats.getServer() ?? '' })
    for (const listener of this.#listeners) listener()
  }

  #left(): void {
    if (this.#awaySinceMs !== null) return
    this.#awaySinceMs = monotonicMs()
    this.#metrics.engineConnected.set(0)
    if (!this.#closing.signal.aborted) this.#log.warn('NATS is away. Work goes on, more slowly.')
  }
}

async function dial(addresses: ConnectionOptions): Promise<Line> {
  const nats = await connect({
    ...addresses,
    name: 'switchyard',
    timeout: dialTimeoutMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: redialMs,
    // Credentials may be rotated while we run: refused today is not refused for ever.
    ignoreAuthErrorAbort: true,
    pingInterval: pingMs,
    // A stack trace per request costs more than the request.
    noAsyncTraces: true,
  })
  const jetStream = jetstream(nats, { timeout: answerTimeoutMs })
  return { nats, jetStream, manager: await jetStream.jetstreamManager(false) }
}

/** The client takes hosts and credentials apart; in a url they stand together. Pure. */
export function addressesOf(list: string): ConnectionOptions {
  const urls = list.split(',').map((text) => new URL(text.trim()))
  const known = urls.every(({ protocol, hostname }) => /^(nats|tls):$/.test(protocol) && hostname !== '')
  assert(known, 'Addresses of NATS look like nats://host:4222 or tls://host:4222, separated by commas.')
  const { username, password, protocol } = urls[0] ?? new URL('nats://localhost')
  const credentials = password === '' ? { token: username } : { user: username, pass: password }
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    ...(username === '' ? {} : mapValues(credentials, decodeURIComponent)),
    ...(protocol === 'tls:' ? { tls: {} } : {}),
  }
}

function mapValues(record: Record<string, string>, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, text]) => [name, change(text)]))
}

/** Draining waits for an answer of the server, so it is only tried while there is one, and not for long. */
async function hangUp(nats: NatsConnection, connected: boolean): Promise<void> {
  if (connected)
    await orAfter(
      drainTimeoutMs,
      nats.drain().catch(() => {}),
      undefined,
    )
  await nats.close()
}
