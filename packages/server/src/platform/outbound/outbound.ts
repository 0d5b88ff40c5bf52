/** What leaves this process for an address that somebody else chose: the request, and what became of it. */
import type { Mode } from '../../kernel/id.ts'

export type OutboundRequest = {
  /** POST if it does not say otherwise. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  /** The environment decides which addresses are allowed. */
  readonly mode: Mode
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** From the first step to the last byte. */
  readonly timeoutMs: number
  /** How long a connection may take, and TLS on it as well; 5 seconds if it does not say. One for a whole pool. */
  readonly connectMs?: number
  /** More of the answer is not read: the connection is closed. */
  readonly maxAnswerBytes: number
  /** Requests of one pool share connections; others never do. */
  readonly pool: string
  /** How many connections the pool may have. */
  readonly maxConnections: number
  /** Whether it may go out a second time when a kept connection turns out to be closed. Yes, if it does not say. */
  readonly mayRepeat?: boolean
}

/** Milliseconds of the steps. Null: the step was not taken, because a connection was reused or it failed before. */
export type Timings = {
  readonly durationMs: number
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  readonly firstByteMs: number | null
}

type Circumstances = {
  readonly timings: Timings
  readonly connectionReused: boolean
  readonly remoteIp: string | null
}

export type OutboundReply = Circumstances &
  (
    | {
        readonly is: 'answered'
        readonly status: number
        /** Names in lower case; repeated ones joined by a comma. */
        readonly headers: Readonly<Record<string, string>>
        readonly body: string
        /** Whether there was more than was read. */
        readonly cut: boolean
      }
    | {
        readonly is: 'failed'
        /** `ours`: the fault lies with us (no sockets, shutting down), and says nothing about the receiver. */
        readonly cause:
          | 'timeout'
          | 'dns_failed'
          | 'connect_failed'
          | 'tls_failed'
          | 'blocked'
          | 'reset'
          | 'ours'
        /** One sentence, without anything that a stranger wrote. */
        readonly detail: string
        /** Whether a byte of the request may have left. If not, nobody can have acted on it. */
        readonly mayHaveBeenSent: boolean
      }
  )

export type Outbound = {
  /** Never throws, never follows a redirect, never reaches an address that is not allowed. */
  send(request: OutboundRequest): Promise<OutboundReply>
  /** Why the address is not one that is ever called; null if it may be. Asks no name server. */
  faultOf(url: string, mode: Mode): string | null
  /** Closes the idle connections of a pool that is not needed any more. */
  forget(pool: string): void
  close(): Promise<void>
}
