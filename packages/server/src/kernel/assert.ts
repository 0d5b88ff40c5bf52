/** A broken assumption of ours. It ends as a 500 with a request id, never as a refusal. */
export class AssertionFailed extends Error {
  override name = 'AssertionFailed'
}

/** `message` tells a contributor what has to hold, and what to do about it. */
export function assert(holds: unknown, message: string): asserts holds {
  if (!holds) throw new AssertionFailed(message)
}

/** Closes a switch over a union: a new member that nobody handles does not compile. */
export function unreachable(value: never): never {
  // Not the whole value: it may hold what must not be logged.
  throw new AssertionFailed(`Not handled: ${String(value).slice(0, 60)}. Add a case for it.`)
}
