/** A violated internal invariant. The client gets a 500 with a request id, never a 4xx refusal. */
export class AssertionFailed extends Error {
  override name = 'AssertionFailed'
}

/** `message` tells contributors which invariant must hold and how to fix a violation. */
export function assert(holds: unknown, message: string): asserts holds {
  if (!holds) throw new AssertionFailed(message)
}

/** Closes a switch over a union: an unhandled new member is a compile error. */
export function unreachable(value: never): never {
  // Truncated because the full value may contain data that must not be logged.
  throw new AssertionFailed(`Not handled: ${String(value).slice(0, 60)}. Add a case for it.`)
}
