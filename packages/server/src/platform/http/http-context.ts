/** The context of the API of one environment, live or test, and the state of a request between hooks. */
import type { Caller, Identity } from '../../kernel/caller.ts'
import type { Cells } from '../../kernel/cells.ts'
import type { Mode } from '../../kernel/id.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Addresses } from './authenticate.ts'
import type { Buckets, InFlight } from './limits.ts'
import type { Operation } from './operation.ts'
import type { Versions } from './versions.ts'

/** Who may call an operation. */
export type Audience = Exclude<Caller['authority'], 'system'>
/** The callers of each operation: the same in both modes, or one list for each mode. */
export type Access = {
  readonly [operation: string]: readonly Audience[] | { readonly [M in Mode]: readonly Audience[] }
}

/** An entry of the request log. */
export type RequestLogEntry = {
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

export type HttpContext = {
  readonly mode: Mode
  readonly addresses: Addresses
  /** The origin of the dashboard, whose pages call every operation. */
  readonly dashboardOrigin: () => string
  readonly access: Access
  readonly versions: Versions
  readonly identify: (token: string, address: string) => Promise<Identity>
  /** The other cells of the installation. */
  readonly cells: Cells
  readonly requestLog: { add(entry: RequestLogEntry): void }
  readonly buckets: Buckets
  readonly inFlight: InFlight
  /** Open streams. They are long-lived, so they have a separate limit. */
  readonly streams: InFlight
  /** This process's share of the requests per second per token; the burst is twice that. */
  readonly requestsPerSecond: () => number
  /** This process's share of a limit that applies to all processes together. */
  readonly shareOf: (limit: number) => number
  /** True while the process is too busy for this kind of request. */
  readonly isOverloaded: (method: string) => boolean
  /**
   * True during shutdown: responses then close their connections, so that clients reconnect to other
   * processes.
   */
  readonly isDraining: () => boolean
  readonly log: Log
  readonly metrics: Metrics
  readonly trustProxy: boolean | readonly string[]
  /** Overrides of the timeouts for slow clients. */
  readonly timeouts?: Partial<Timeouts>
}

export type Timeouts = {
  readonly headersMs: number
  readonly requestMs: number
  readonly handlerMs: number
  readonly keepAliveMs: number
  readonly inactivityMs: number
  /** How often connections are checked for timeouts. */
  readonly checkMs: number
  /** How long a stream may last before its reader has to reconnect. */
  readonly streamMs: number
  /** A stream sends a heartbeat after this much silence. */
  readonly heartbeatMs: number
  /** How often the token of a stream is checked again. */
  readonly recheckMs: number
}

/** The state of a request while it is processed. */
export type RequestState = {
  readonly startedMs: number
  /**
   * When a stream started; null for other requests. The duration of a stream in metrics ends at this time.
   */
  openedMs: number | null
  caller: Caller | null
  version: string
  errorCode: string | null
  replayed: boolean
  /** The response before serialization: the request log stores a redacted copy. */
  responseBody: object | null
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
  interface FastifyContextConfig {
    operation?: Operation
    /** Whether successes are logged at debug level only. */
    isQuiet?: boolean
  }
}
