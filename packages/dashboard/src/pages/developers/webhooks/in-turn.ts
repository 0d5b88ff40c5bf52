/** Works through many things, a few at a time: the server has others to serve. */
const atOnce = 4

export async function inTurn<Thing>(
  things: readonly Thing[],
  act: (thing: Thing) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = things.values()
  const walk = async () => {
    // They share one iterator, so each thing is taken once.
    for (const thing of waiting) {
      if (signal.aborted) return
      await act(thing)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, walk))
}
