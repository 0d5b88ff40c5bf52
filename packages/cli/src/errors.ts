/** Maps errors to a message, a suggested next step and an exit code. */
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
  WrongCellError,
} from '@switchyard/sdk'
import { CliError, type ExitCode, exitCodes } from './exit.ts'

export type Failure = {
  readonly message: string
  readonly next: string | null
  readonly exit: ExitCode
  /** The error code of the API, or the reason why a webhook verification failed; otherwise null. */
  readonly code: string | null
  readonly requestId: string | null
}

/** `acceptsIdempotencyKey` says whether the failed command has the `--idempotency-key` option. */
export function failureOf(error: unknown, acceptsIdempotencyKey: boolean): Failure {
  if (error instanceof SwitchyardError) return apiFailureOf(error, acceptsIdempotencyKey)
  const noDetails = { code: null, requestId: null }
  if (error instanceof CliError)
    return { ...noDetails, message: error.message, next: error.next, exit: error.exit }
  if (error instanceof WebhookVerificationError)
    return { ...noDetails, message: error.message, next: null, exit: exitCodes.failed, code: error.reason }
  // The SDK throws a TypeError for an invalid id or number before it sends anything.
  if (error instanceof TypeError)
    return { ...noDetails, message: error.message, next: null, exit: exitCodes.usage }
  const message = error instanceof Error ? error.message : String(error)
  return { ...noDetails, message, next: null, exit: exitCodes.failed }
}

type Row = readonly [
  kind: typeof SwitchyardError,
  exit: keyof typeof exitCodes,
  next: (error: SwitchyardError, acceptsIdempotencyKey: boolean) => string,
]

// biome-ignore format: a table.
const rows: readonly Row[] = [
  [AuthenticationError, 'notAllowed',  () => 'Sign in again: switchyard login'],
  [WrongCellError,      'notAllowed',  nextInOtherCell],
  [PermissionError,     'notAllowed',  () => 'See what the token is allowed to do: switchyard whoami'],
  [NotFoundError,       'notFound',    () => 'It may belong to another workspace or to the other mode. Check with: switchyard whoami'],
  [StateError,          'refused',     nextInState],
  [DeclineError,        'refused',     nextAfterDecline],
  [InvalidRequestError, 'usage',       () => 'Add --help to see the options of the command.'],
  [RateLimitError,      'unreachable', nextAfterLimit],
  [UnknownOutcomeError, 'unreachable', nextAfterUnknownOutcome],
  [ConnectionError,     'unreachable', () => 'Check that the server is running. Start it with `npm run dev`, or sign in to another one: switchyard login --base-url <url>'],
  [ServerError,         'unreachable', nextAfterServerError],
]

function apiFailureOf(error: SwitchyardError, acceptsIdempotencyKey: boolean): Failure {
  const row = rows.find(([kind]) => error instanceof kind)
  return {
    message: error.message,
    next: row?.[2](error, acceptsIdempotencyKey) ?? null,
    exit: exitCodes[row?.[1] ?? 'failed'],
    code: error.code,
    requestId: error.requestId,
  }
}

function nextInOtherCell(error: SwitchyardError): string {
  const address = error instanceof WrongCellError ? error.cellAddress : null
  return `If that address belongs to your installation, sign in there: switchyard login --base-url ${address ?? '<url>'}`
}

function nextInState({ problem }: SwitchyardError): string {
  const { current_status: status, allowed_actions: allowed = [] } = problem ?? {}
  if (status === undefined) return 'Check the object with `get`, and try again.'
  return `The status is ${status}. Allowed actions: ${allowed.join(', ') || 'none'}.`
}

function nextAfterDecline({ problem }: SwitchyardError): string {
  const id = problem?.resource_id
  return id === undefined ? 'Try another card.' : `See what happened: switchyard why ${id}`
}

function nextAfterUnknownOutcome(
  { idempotencyKey }: SwitchyardError,
  acceptsIdempotencyKey: boolean,
): string {
  return acceptsIdempotencyKey
    ? `The request may have succeeded. Retry it safely with --idempotency-key ${idempotencyKey}`
    : 'The request may have succeeded, and this command takes no idempotency key. Check the result before you retry.'
}

function nextAfterLimit({ retryAfterSeconds }: SwitchyardError): string {
  return retryAfterSeconds === null
    ? 'Try again in a moment.'
    : `Try again in ${Math.ceil(retryAfterSeconds)} seconds.`
}

function nextAfterServerError({ requestId }: SwitchyardError): string {
  return requestId === null
    ? 'Try again in a moment.'
    : `Try again. If the error persists, give the operator this request id: ${requestId}.`
}
