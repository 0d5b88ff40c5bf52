/** What a failure is called, what the reader can do about it, and the number that the process ends with. */
import {
  AuthenticationError,
  ConnectionError,
  DeclineError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StateError,
  SwitchyardError,
  UnknownOutcomeError,
  WebhookVerificationError,
} from '@switchyard/sdk'
import { CliError, type ExitCode, exitCodes } from './exit.ts'

export type Failure = {
  readonly message: string
  readonly next: string | null
  readonly exit: ExitCode
  /** Null unless the API refused. */
  readonly code: string | null
  readonly requestId: string | null
}

/** `takesKey`: whether the command that failed has the option `--idempotency-key`. */
export function failureOf(error: unknown, takesKey: boolean): Failure {
  if (error instanceof SwitchyardError) return refusalOf(error, takesKey)
  const nothing = { code: null, requestId: null }
  if (error instanceof CliError)
    return { ...nothing, message: error.message, next: error.next, exit: error.exit }
  if (error instanceof WebhookVerificationError)
    return { ...nothing, message: error.message, next: null, exit: exitCodes.failed, code: error.reason }
  // The SDK says so about an id or a number that cannot be sent at all.
  if (error instanceof TypeError)
    return { ...nothing, message: error.message, next: null, exit: exitCodes.usage }
  const message = error instanceof Error ? error.message : String(error)
  return { ...nothing, message, next: null, exit: exitCodes.failed }
}

type Row = readonly [
  kind: typeof SwitchyardError,
  exit: keyof typeof exitCodes,
  next: (error: SwitchyardError, takesKey: boolean) => string,
]

// biome-ignore format: a table.
const rows: readonly Row[] = [
  [AuthenticationError, 'notAllowed',  () => 'Sign in again: switchyard login'],
  [PermissionError,     'notAllowed',  () => 'See what the token may do: switchyard whoami'],
  [NotFoundError,       'notFound',    () => 'Is it of another workspace, or of the other mode? See: switchyard whoami'],
  [StateError,          'refused',     nextInState],
  [DeclineError,        'refused',     nextAfterDecline],
  [InvalidRequestError, 'usage',       () => 'Every fault is named above; `--help` lists what the command takes.'],
  [RateLimitError,      'unreachable', nextAfterLimit],
  [UnknownOutcomeError, 'unreachable', nextAfterSilence],
  [ConnectionError,     'unreachable', () => 'Is it running there? Start it with `npm run dev`, or sign in to another address: switchyard login --base-url <url>'],
  [ServerError,         'unreachable', nextAfterServerError],
]

function refusalOf(error: SwitchyardError, takesKey: boolean): Failure {
  const row = rows.find(([kind]) => error instanceof kind)
  return {
    message: error.message,
    next: row?.[2](error, takesKey) ?? null,
    exit: exitCodes[row?.[1] ?? 'failed'],
    code: error.code,
    requestId: error.requestId,
  }
}

function nextInState({ problem }: SwitchyardError): string {
  const { current_status: status, allowed_actions: allowed = [] } = problem ?? {}
  if (status === undefined) return 'Look at it with `get`, and try again.'
  return `It is ${status}. What is possible now: ${allowed.join(', ') || 'nothing'}.`
}

function nextAfterDecline({ problem }: SwitchyardError): string {
  const id = problem?.resource_id
  return id === undefined ? 'Try another card.' : `See what happened: switchyard why ${id}`
}

function nextAfterSilence({ idempotencyKey }: SwitchyardError, takesKey: boolean): string {
  return takesKey
    ? `It may have had its effect. Repeat it with --idempotency-key ${idempotencyKey}`
    : 'It may have had its effect, and this command takes no key: look before you repeat it.'
}

function nextAfterLimit({ retryAfterSeconds }: SwitchyardError): string {
  return retryAfterSeconds === null ? 'Wait a moment.' : `Wait ${Math.ceil(retryAfterSeconds)} seconds.`
}

function nextAfterServerError({ requestId }: SwitchyardError): string {
  return requestId === null
    ? 'Try again in a moment.'
    : `Try again; if it stays, the operator finds it under ${requestId}.`
}
