/** What one of the two addresses is made of, and what a request carries from hook to hook. */
import type { Caller, Identity } from '../../kernel/caller.ts'
import type { Mode } from '../../kernel/id.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Addresses } from './authenticate.ts'
import type { Buckets, InFlight } from './limits.ts'
import type { Operation } from './operation.ts'
import type { Versions } from './versions.ts'

/** Who may call an operation. */
export type Audience = Exclude<Caller['authority'], 'system'>
/** By operation: the same at both addresses, or for each its own. */
export type Access = {
  readonly [operation: string]: readonly Audience[] | { readonly [M in Mode]: readonly Audience[] }
}

/** A line of the request log. */
export type RequestLine = {
  readonly caller: Caller
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly operation: string | null
  readonly status: number
  readonly errorCode: string | null
  readonly apiVersion: string
  readonly replayed: boolean
  readonly durationMs: number
  readonly requestBody: string | null
  readonly responseBody: string | null
}

export type Site = {
  readonly mode: Mode
  readonly addresses: Addresses
  /** The origin of the dashboard, whose pages call every operation. */
  readonly dashboardOrigin: () => string
  readonly access: Access
  readonly versions: Versions
  readonly identify: (token: string, mayLookUp: boolean) => Promise<Identity>
  readonly requestLog: { add(line: RequestLine): void }
  readonly buckets: Buckets
  readonly inFlight: InFlight
  /** Streams that are open. They last, so they have room of their own. */
  readonly streams: InFlight
  /** Requests per second and token, this process' share of them; the burst is twice that. */
  readonly requestsPerSecond: () => number
  /** This process' share of a limit that holds for all of them together. */
  readonly shareOf: (limit: number) => number
  /** True while the process is too busy for this kind of request. */
  readonly isOverloaded: (method: string) => boolean
  /** True once the process has been asked to stop: answers then ask callers to connect elsewhere. */
  readonly isDraining: () => boolean
  readonly log: Log
  readonly metrics: Metrics
  readonly trustProxy: boolean
  /** How long slow clients are waited for, if not as long as usual. */
  readonly patience?: Partial<Patience>
}

export type Patience = {
  readonly headersMs: number
  readonly requestMs: number
  readonly handlerMs: number
  readonly keepAliveMs: number
  readonly standstillMs: number
  /** How often is looked for connections whose time is over. */
  readonly checkMs: number
  /** How long a stream may go on before its reader has to come again. */
  readonly streamMs: number
  /** After so long a silence a stream says that it is still there. */
  readonly heartbeatMs: number
  /** How often is asked whether a stream may go on. */
  readonly recheckMs: number
}

/** What we remember of a request while it is answered. */
export type Progress = {
  readonly startedMs: number
  /** When a stream began to flow: what matters is how long that took, not how long it goes on. */
  openedMs: number | null
  caller: Caller | null
  version: string
  errorCode: string | null
  replayed: boolean
  /** What was answered, before it became text: the request log keeps a redacted copy. */
  answered: object | null
}

declare module 'fastify' {
  interface FastifyRequest {
    progress: Progress
  }
  interface FastifyContextConfig {
    operation?: Operation
    /** Whether a success is worth a line in the log only to whoever looks for a fault. */
    isQuiet?: boolean
  }
}
