/** How a command ends: one number per class of failure, so that scripts can decide without reading. */

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
  [0, 'It is done.'],
  [1, 'It failed: a check said no, a file cannot be read, or the fault is ours.'],
  [2, 'It was called in a way that makes no sense; nothing was done.'],
  [3, 'Not signed in, not allowed by the role of the token, or live without `--live`.'],
  [4, 'There is no such object.'],
  [5, 'Refused: not possible in the state the object is in, or declined.'],
  [6, 'No answer, or one that says to come again later.'],
  [130, 'Interrupted, by Ctrl-C or a signal.'],
]

/** Something that we know how to say. `next` is what the reader can do about it. */
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

/** The reason of the signal that every command listens to. */
export class Interrupted extends CliError {
  override name = 'Interrupted'

  constructor() {
    super('interrupted', 'Interrupted.')
  }
}
