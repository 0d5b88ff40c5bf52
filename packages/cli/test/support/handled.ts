// Checks on the events that a receiver has handled.

export type HandledEvent = { readonly id: string; readonly objectId: string; readonly sequence: number }

/** Without repeated events. */
export function withoutRepeats<Event extends HandledEvent>(handled: readonly Event[]): Event[] {
  const ids = new Set<string>()
  return handled.filter(({ id }) => !ids.has(id) && ids.add(id))
}

/** Objects whose events did not arrive in sequence 1, 2, 3. */
export function objectsOutOfOrder(handled: readonly HandledEvent[]): string[] {
  const byObject = Map.groupBy(handled, ({ objectId }) => objectId)
  return [...byObject]
    .filter(([, events]) => events.some(({ sequence }, index) => sequence !== index + 1))
    .map(([objectId]) => objectId)
}
