/** Requests to URLs that users have configured, and their outcomes. */
import type { Mode } from '../../kernel/id.ts'

/** A forward proxy that the user has configured. The address rules also apply to it. */
export type OutboundProxy = {
  /** Its origin, such as `https://proxy.example.com:8443`. */
  readonly url: string
  /** The value of the `Proxy-Authorization` header. */
  readonly authorization: string
  /** A certificate authority that is trusted in addition, as PEM; null: only public ones. */
  readonly ca: string | null
}

export type OutboundRequest = {
  /** POST by default. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** The environment decides which addresses are allowed. */
  readonly mode: Mode
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The body, if it is not text. `body` is null then. */
  readonly bytes?: Uint8Array
  /** The timeout of the whole call, from the DNS query to the last byte of the response. */
  readonly timeoutMs: number
  /**
   * The timeout for connecting, and separately for TLS; 5 seconds by default. It must be the same for a whole
   * pool.
   */
  readonly connectMs?: number
  /** A longer response is truncated, and the connection is closed. */
  readonly maxResponseBytes: number
  /** Only requests of the same pool share connections. */
  readonly pool: string
  /** The maximum number of connections of the pool. */
  readonly maxConnections: number
  /**
   * Whether the request may be sent a second time when a kept-alive connection was closed by the receiver.
   * True by default.
   */
  readonly allowResend?: boolean
  readonly proxy?: OutboundProxy
}

/**
 * Milliseconds per step. Null if the step was skipped, because a connection was reused or an earlier step
 * failed.
 */
export type Timings = {
  readonly durationMs: number
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly firstByteMs: number | null
}

type CallDetails = {
  readonly timings: Timings
  readonly connectionReused: boolean
  readonly remoteIp: string | null
}

export type OutboundReply = CallDetails &
  (
    | {
        readonly kind: 'answered'
        readonly status: number
        /** Names in lower case; repeated headers are joined by a comma. */
        readonly headers: Readonly<Record<string, string>>
        readonly body: string
        /** Whether the body was truncated. */
        readonly truncated: boolean
        /** Whether the request was sent a second time, because the first connection was closed. */
        readonly resent?: boolean
      }
    | {
        readonly kind: 'failed'
        /**
         * `ours`: the cause is in this process (no sockets, shutting down), not at the receiver.
         */
        readonly cause:
          | 'timeout'
          | 'dns_failed'
          | 'connect_failed'
          | 'tls_failed'
          | 'blocked'
          | 'reset'
          | 'ours'
        /** One sentence without untrusted text. */
        readonly detail: string
        /** Whether a byte of the request may have been sent. If not, the receiver cannot have acted on it. */
        readonly mayHaveBeenSent: boolean
      }
  )

export type Outbound = {
  /** Never throws, never follows a redirect, never connects to a blocked address. */
  send(request: OutboundRequest): Promise<OutboundReply>
  /** Why the URL may not be called; null if it may. Makes no DNS query. */
  faultOf(url: string, mode: Mode): string | null
  /** Closes the idle connections of a pool that is no longer needed. */
  closePool(pool: string): void
  close(): Promise<void>
}
