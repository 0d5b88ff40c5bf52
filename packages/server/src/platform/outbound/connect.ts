/**
 * The way to a connection: name, address, TCP, TLS. Every address is judged here, whoever asks for it, and
 * the one that was judged is the one that is connected to, so a name server that changes its mind between two
 * questions gains nothing. The name stays for SNI and the certificate.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Mode } from '../../kernel/id.ts'
import type { AddressRules } from './address.ts'
import { blocked, CallFault, connectFault, lookupFault, tlsFault } from './faults.ts'
import type { FoundAddress, Lookup } from './lookup.ts'

const dnsLimitMs = 3_000

export type Roads = {
  readonly standingOf: AddressRules
  readonly lookup: Lookup
  readonly secureContext: SecureContext
}

export type Destination = {
  readonly hostname: string
  readonly port: number
  readonly isSecure: boolean
  readonly mode: Mode
  /** For the connection, and once more for TLS. */
  readonly connectMs: number
}

export function outboundSecureContext(ca: string | undefined): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  })
}

type Step = { readonly name: 'dnsMs' | 'connectMs' | 'tlsMs'; readonly startedAtMs: number }

/** One attempt to get a connection. What it has found out so far can be read at any time. */
export class Dial {
  dnsMs: number | null = null
  connectMs: number | null = null
  tlsMs: number | null = null
  /** Known once it was reached and judged. */
  remoteIp: string | null = null
  readonly #roads: Roads
  readonly #to: Destination
  #underWay: Step | null = null
  #socket: Socket | null = null
  #cancelled: CallFault | null = null

  constructor(roads: Roads, to: Destination) {
    this.#roads = roads
    this.#to = to
  }

  /** Rejects with a `CallFault`. */
  async open(): Promise<Socket> {
    const answers = isIP(this.#to.hostname) === 0 ? await this.#resolve() : null
    if (!this.#allows(answers?.map(({ address }) => address) ?? [this.#to.hostname])) throw blocked()
    if (this.#cancelled !== null) throw this.#cancelled

    const socket = await this.#reach(answers)
    return this.#to.isSecure ? this.#secure(socket) : socket
  }

  cancel(fault: CallFault): void {
    this.#noteTime()
    this.#cancelled = fault
    this.#socket?.destroy(fault)
  }

  async #resolve(): Promise<readonly FoundAddress[]> {
    const answers = await this.#timed('dnsMs', answersWithin(this.#roads.lookup(this.#to.hostname)))
    if (answers.length === 0) throw new CallFault('dns_failed', 'The name has no address.')
    return answers
  }

  /** One address that is blocked is enough: whoever mixes them wants the other one to be tried as well. */
  #allows(addresses: readonly string[]): boolean {
    return addresses.every((address) => this.#roads.standingOf(address, this.#to.mode) !== 'blocked')
  }

  async #reach(answers: readonly FoundAddress[] | null): Promise<Socket> {
    const socket = connectTcp({
      host: this.#to.hostname,
      port: this.#to.port,
      noDelay: true,
      // Node would ask again otherwise. With several answers it tries one after the other.
      autoSelectFamily: true,
      ...(answers === null ? {} : { lookup: (_name, _options, done) => done(null, [...answers]) }),
    })
    this.#socket = socket
    const tooLate = new CallFault('connect_failed', `There was no connection within ${this.#patience}.`)
    const { connectMs: limitMs } = this.#to
    await this.#timed(
      'connectMs',
      reached(socket, { event: 'connect', limitMs, tooLate, faultOf: connectFault }),
    )

    if (!this.#allows([socket.remoteAddress ?? ''])) {
      socket.destroy()
      throw blocked()
    }
    this.remoteIp = socket.remoteAddress ?? null
    return socket
  }

  async #secure(tcp: Socket): Promise<Socket> {
    const { hostname, connectMs: limitMs } = this.#to
    const socket = connectTls({
      socket: tcp,
      secureContext: this.#roads.secureContext,
      host: hostname,
      // An address is no name: it is looked for in the certificate, and not sent.
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ALPNProtocols: ['http/1.1'],
      // Said in so many words, since an environment variable could switch it off.
      rejectUnauthorized: true,
    })
    this.#socket = socket
    const tooLate = new CallFault('tls_failed', `TLS was not agreed within ${this.#patience}.`)
    await this.#timed(
      'tlsMs',
      reached(socket, { event: 'secureConnect', limitMs, tooLate, faultOf: tlsFault }),
    )
    return socket
  }

  get #patience(): string {
    return `${this.#to.connectMs / 1_000} seconds`
  }

  async #timed<T>(name: Step['name'], step: Promise<T>): Promise<T> {
    this.#underWay = { name, startedAtMs: monotonicMs() }
    return step.finally(() => this.#noteTime())
  }

  /** A step that failed or was given up has taken its time as well. */
  #noteTime(): void {
    if (this.#underWay === null) return
    this[this.#underWay.name] = monotonicMs() - this.#underWay.startedAtMs
    this.#underWay = null
  }
}

/** The question itself goes on; its answer comes too late to be of use. */
function answersWithin(asked: Promise<readonly FoundAddress[]>): Promise<readonly FoundAddress[]> {
  return new Promise((resolve, reject) => {
    const tooLate = new CallFault('dns_failed', 'The name was not resolved within 3 seconds.')
    const timer = setTimeout(() => reject(tooLate), dnsLimitMs)
    asked.finally(() => clearTimeout(timer)).then(resolve, (error: unknown) => reject(lookupFault(error)))
  })
}

type Milestone = {
  readonly event: 'connect' | 'secureConnect'
  readonly limitMs: number
  readonly tooLate: CallFault
  readonly faultOf: (error: unknown) => CallFault
}

function reached(socket: Socket, { event, limitMs, tooLate, faultOf }: Milestone): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(tooLate), limitMs)
    socket.once(event, () => {
      clearTimeout(timer)
      resolve()
    })
    // It stays for good: an error that nobody listens to would end the process.
    socket.on('error', (error) => {
      clearTimeout(timer)
      reject(error instanceof CallFault ? error : faultOf(error))
    })
  })
}
