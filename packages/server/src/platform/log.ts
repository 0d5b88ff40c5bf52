/**
 * JSON log lines with an allow-list: a line contains only the members declared here, so that bodies, headers
 * and secrets are not logged by accident. Any part of a string that looks like a secret is redacted.
 */
import { type DestinationStream, pino } from 'pino'

/** All members that a line can have. The values are our own ids, names and numbers, never user input. */
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

const allowedFields: Record<keyof LogFields, true> = {
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
  // Writes are asynchronous. Buffered lines are flushed when the process exits.
  const logger = pino(options, destination ?? pino.destination({ sync: false }))
  const logAt =
    (severity: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) =>
      logger.isLevelEnabled(severity) && logger[severity](keepAllowed(fields), scrub(message))
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

function keepAllowed(fields: LogFields): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (!(name in allowedFields) || value === undefined) continue
    result[name] = name === 'error' ? describeError(value) : value
  }
  return result
}

/** Name, message, code and stack. Not `detail`: Postgres repeats the values of a row in it. */
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

/**
 * Tokens, signing secrets, checkout session secrets, card numbers, e-mail addresses. Repetitions are bounded,
 * so that long strings do not take quadratic time.
 */
const secrets =
  /\b(?:[dsp]k_(?:live|test)_|whsec_|psec_|cs_(?=[\w-]{43}))[A-Za-z0-9+/=_-]+|\b\d(?:[ -]?\d){12,18}\b|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g

/** The last safeguard, for strings from other sources, such as error messages. */
export function scrub(text: string): string {
  return text.replace(secrets, '[redacted]')
}
