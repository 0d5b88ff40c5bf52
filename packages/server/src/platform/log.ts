/**
 * JSON lines, by allow-list: a line holds the members declared here and no others, so a body, a header
 * or a secret cannot slip into the log by habit. What looks like a secret inside a text is struck out.
 */
import { type DestinationStream, pino } from 'pino'

/** Everything a line may hold. Values are ours: ids, names, numbers. Never what a caller typed. */
export type LogFields = {
  readonly request_id?: string
  readonly workspace_id?: string
  readonly token_id?: string | null
  readonly person_id?: string
  readonly operation?: string
  readonly method?: string
  readonly route?: string
  readonly status?: number
  readonly code?: string
  readonly mode?: string
  readonly duration_ms?: number
  readonly trace_id?: string
  readonly work?: string
  readonly id?: string
  readonly attempt?: number
  readonly count?: number
  readonly stream?: string
  readonly shard?: string
  readonly address?: string
  readonly table?: string
  readonly names?: readonly string[]
  readonly error?: unknown
}

export type Log = {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

const allowed: Record<keyof LogFields, true> = {
  request_id: true,
  workspace_id: true,
  token_id: true,
  person_id: true,
  operation: true,
  method: true,
  route: true,
  status: true,
  code: true,
  mode: true,
  duration_ms: true,
  trace_id: true,
  work: true,
  id: true,
  attempt: true,
  count: true,
  stream: true,
  shard: true,
  address: true,
  table: true,
  names: true,
  error: true,
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'message' }
  // Nobody waits for a line to be written. What is waiting when the process ends is written then.
  const logger = pino(options, destination ?? pino.destination({ sync: false }))
  const at =
    (severity: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) =>
      logger.isLevelEnabled(severity) && logger[severity](keepAllowed(fields), scrub(message))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function keepAllowed(fields: LogFields): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (!(name in allowed) || value === undefined) continue
    kept[name] = name === 'error' ? describeError(value) : value
  }
  return kept
}

/** Name, message, code and stack. Not `detail`: there Postgres repeats the values of a row. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: scrub(String(error)) }
  const code = 'code' in error ? { code: String(error.code) } : {}
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) }
  return {
    name: error.name,
    message: scrub(error.message),
    ...code,
    stack: scrub(error.stack ?? ''),
    ...cause,
  }
}

/** Tokens, signing secrets, secrets of checkout sessions, card numbers, e-mail addresses. Bounded, so that a long text does not cost its square. */
const secrets =
  /\b(?:[dsp]k_(?:live|test)_|whsec_|psec_|cs_(?=[\w-]{43}))[A-Za-z0-9+/=_-]+|\b\d(?:[ -]?\d){12,18}\b|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g

/** The last net, for texts that come from elsewhere, such as the message of an error. */
export function scrub(text: string): string {
  return text.replace(secrets, '[struck out]')
}
