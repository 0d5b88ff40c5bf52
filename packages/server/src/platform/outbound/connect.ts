/**
 * Opens connections: DNS, TCP, TLS. Every address is checked here, and the checked address is the one that is
 * connected to, so DNS rebinding has no effect. The host name is kept for SNI and the certificate.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Mode } from '../../kernel/id.ts'
import type { AddressRules } from './address.ts'
import { blocked, CallFault, connectFault, lookupFault, tlsFault } from './faults.ts'
import type { FoundAddress, Lookup } from './lookup.ts'
import { isSimulator } from './target.ts'
import { openTunnel } from './tunnel.ts'

const dnsLimitMs = 3_000

export type ConnectContext = {
  readonly statusOf: AddressRules
  readonly lookup: Lookup
  readonly secureContext: SecureContext
  /** The origin of the simulator; null if there is none. */
  readonly simulator: string | null
}

export type Endpoint = {
  readonly origin: string
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
}

export type Destination = Endpoint & {
  readonly mode: Mode
  /** The timeout for the connection, and separately for TLS. */
  readonly connectMs: number
  /**
   * The forward proxy to connect through; null: none. Its certificates may be issued by a certificate
   * authority of its own.
   */
  readonly proxy:
    | (Endpoint & { readonly authorization: string; readonly secureContext: SecureContext })
    | null
}

export function outboundSecureContext(ca: string | undefined): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  })
}

type Step = { readonly name: 'dnsMs' | 'connectMs' | 'tlsMs'; readonly startedAtMs: number }

/** One attempt to open a connection. Its measurements can be read at any time. */
export class ConnectionAttempt {
  dnsMs: number | null = null
  connectMs: number | null = null
  tlsMs: number | null = null
  /** Set once the address was connected to and checked. */
  remoteIp: string | null = null
  readonly #context: ConnectContext
  readonly #destination: Destination
  #currentStep: Step | null = null
  #socket: Socket | null = null
  #cancelled: CallFault | null = null

  constructor(context: ConnectContext, destination: Destination) {
    this.#context = context
    this.#destination = destination
  }

  /** Rejects with a `CallFault`. */
  async open(): Promise<Socket> {
    const { hostname } = this.#peer
    const addresses = isIP(hostname) === 0 ? await this.#resolve() : null
    if (!this.#allows(addresses?.map(({ address }) => address) ?? [hostname])) throw blocked()
    if (this.#cancelled !== null) throw this.#cancelled

    const { proxy, isSecure } = this.#destination
    const tcp = await this.#connectTcp(addresses)
    const socket = proxy === null ? tcp : await this.#connectProxy(tcp, proxy)
    return isSecure
      ? this.#connectTls(socket, this.#destination, proxy?.secureContext ?? this.#context.secureContext)
      : socket
  }

  /** The machine to connect to. */
  get #peer(): Endpoint {
    return this.#destination.proxy ?? this.#destination
  }

  async #connectProxy(tcp: Socket, proxy: NonNullable<Destination['proxy']>): Promise<Socket> {
    const socket = proxy.isSecure ? await this.#connectTls(tcp, proxy, proxy.secureContext) : tcp
    const { hostname, port, connectMs: limitMs } = this.#destination
    const authority = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
    await openTunnel(socket, { authority, proxy, limitMs })
    return socket
  }

  cancel(fault: CallFault): void {
    this.#recordTime()
    this.#cancelled = fault
    this.#socket?.destroy(fault)
  }

  async #resolve(): Promise<readonly FoundAddress[]> {
    const addresses = await this.#timed('dnsMs', withDnsTimeout(this.#context.lookup(this.#peer.hostname)))
    if (addresses.length === 0) throw new CallFault('dns_failed', 'The host name has no IP address.')
    return addresses
  }

  /**
   * One blocked address blocks the whole name, because the connection could be opened to the blocked address.
   */
  #allows(addresses: readonly string[]): boolean {
    if (isSimulator(this.#peer.origin, this.#destination.mode, this.#context.simulator)) return true
    return addresses.every((address) => this.#context.statusOf(address, this.#destination.mode) !== 'blocked')
  }

  async #connectTcp(addresses: readonly FoundAddress[] | null): Promise<Socket> {
    const socket = connectTcp({
      host: this.#peer.hostname,
      port: this.#peer.port,
      noDelay: true,
      // Without this lookup Node would resolve the name again. With several addresses it tries one after the
      // other.
      autoSelectFamily: true,
      ...(addresses === null ? {} : { lookup: (_name, _options, done) => done(null, [...addresses]) }),
    })
    this.#socket = socket
    const timeoutFault = new CallFault(
      'connect_failed',
      `Timeout: no connection within ${this.#timeoutText}.`,
    )
    const { connectMs: limitMs } = this.#destination
    await this.#timed(
      'connectMs',
      waitForEvent(socket, { event: 'connect', limitMs, timeoutFault, faultOf: connectFault }),
    )

    if (!this.#allows([socket.remoteAddress ?? ''])) {
      socket.destroy()
      throw blocked()
    }
    this.remoteIp = socket.remoteAddress ?? null
    return socket
  }

  async #connectTls(tcp: Socket, { hostname }: Endpoint, secureContext: SecureContext): Promise<Socket> {
    const { connectMs: limitMs } = this.#destination
    const socket = connectTls({
      socket: tcp,
      secureContext,
      host: hostname,
      // An IP address is verified against the certificate, but not sent as SNI.
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ALPNProtocols: ['http/1.1'],
      // Explicit, because an environment variable could disable it.
      rejectUnauthorized: true,
    })
    this.#socket = socket
    const timeoutFault = new CallFault(
      'tls_failed',
      `Timeout: the TLS handshake was not completed within ${this.#timeoutText}.`,
    )
    await this.#timed(
      'tlsMs',
      waitForEvent(socket, { event: 'secureConnect', limitMs, timeoutFault, faultOf: tlsFault }),
    )
    return socket
  }

  get #timeoutText(): string {
    return `${this.#destination.connectMs / 1_000} seconds`
  }

  async #timed<T>(name: Step['name'], step: Promise<T>): Promise<T> {
    this.#currentStep = { name, startedAtMs: monotonicMs() }
    return step.finally(() => this.#recordTime())
  }

  /** Failed and cancelled steps are measured too. */
  #recordTime(): void {
    if (this.#currentStep === null) return
    this[this.#currentStep.name] = monotonicMs() - this.#currentStep.startedAtMs
    this.#currentStep = null
  }
}

/** The query itself is not cancelled; its late answer is ignored. */
function withDnsTimeout(lookup: Promise<readonly FoundAddress[]>): Promise<readonly FoundAddress[]> {
  return new Promise((resolve, reject) => {
    const timeoutFault = new CallFault(
      'dns_failed',
      'Timeout: the host name was not resolved within 3 seconds.',
    )
    const timer = setTimeout(() => reject(timeoutFault), dnsLimitMs)
    lookup.finally(() => clearTimeout(timer)).then(resolve, (error: unknown) => reject(lookupFault(error)))
  })
}

type WaitOptions = {
  readonly event: 'connect' | 'secureConnect'
  readonly limitMs: number
  readonly timeoutFault: CallFault
  readonly faultOf: (error: unknown) => CallFault
}

function waitForEvent(socket: Socket, { event, limitMs, timeoutFault, faultOf }: WaitOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(timeoutFault), limitMs)
    socket.once(event, () => {
      clearTimeout(timer)
      resolve()
    })
    // The listener stays, because an unhandled error event would end the process.
    socket.on('error', (error) => {
      clearTimeout(timer)
      reject(error instanceof CallFault ? error : faultOf(error))
    })
  })
}
