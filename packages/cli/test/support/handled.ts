// What a receiver has handled, and whether it is what should have come.

export type Handled = { readonly id: string; readonly objectId: string; readonly sequence: number }

/** Without what came again. */
export function firstOf<One extends Handled>(handled: readonly One[]): One[] {
  const seen = new Set<string>()
  return handled.filter(({ id }) => !seen.has(id) && seen.add(id))
}

/** Objects whose events did not come as 1, 2, 3. */
export function outOfOrder(handled: readonly Handled[]): string[] {
  const byObject = Map.groupBy(handled, ({ objectId }) => objectId)
  return [...byObject]
    .filter(([, events]) => events.some(({ sequence }, place) => sequence !== place + 1))
    .map(([objectId]) => objectId)
}
