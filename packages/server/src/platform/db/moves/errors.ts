/** A move cannot continue. The message says why, and what to do. Nothing is lost: the command can be run again. */
export class MoveError extends Error {
  override name = 'MoveError'
}

/** A cut-over was ended before it was committed, because it took too long. The move tries it again. */
export class FenceLifted extends MoveError {
  override name = 'FenceLifted'

  constructor() {
    super(
      'The fence was lifted, because the cut-over took too long. Run the command again when the shards are less busy.',
    )
  }
}
