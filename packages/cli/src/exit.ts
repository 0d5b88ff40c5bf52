/** Exit codes: one per class of failure, so that scripts do not have to parse messages. */

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  refused: 5,
  unreachable: 6,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** For the reference and for `--help`. */
export const exitMeanings: readonly (readonly [ExitCode, string])[] = [
  [0, 'Success.'],
  [1, 'Failed: a check failed, a file could not be read, or an internal error occurred.'],
  [2, 'Invalid arguments or an invalid request; nothing was changed.'],
  [3, 'Not signed in, not allowed by the role of the token, or a live token without `--live`.'],
  [4, 'Not found.'],
  [5, 'Rejected: not possible in the current state of the object, or declined.'],
  [6, 'No response, a server error, or rate limited.'],
  [130, 'Interrupted by Ctrl-C or a signal.'],
]

/** An expected failure. `next` is the suggested next step for the user. */
export class CliError extends Error {
  override name = 'CliError'
  readonly exit: ExitCode
  readonly next: string | null

  constructor(exit: keyof typeof exitCodes, message: string, next: string | null = null) {
    super(message)
    this.exit = exitCodes[exit]
    this.next = next
  }
}

/** The abort reason of the signal in every command's context. */
export class Interrupted extends CliError {
  override name = 'Interrupted'

  constructor() {
    super('interrupted', 'Interrupted.')
  }
}
