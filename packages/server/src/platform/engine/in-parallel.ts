/** Runs `body` for each item, at most `hands` at a time. `body` must not throw: nobody would stop the others. */
export async function inParallel<T>(
  items: readonly T[],
  hands: number,
  body: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const worker = async () => {
    // Shared by all workers: each takes the next item when it is done with its last.
    for (const item of left) await body(item)
  }
  await Promise.all(Array.from({ length: Math.min(hands, items.length) }, worker))
}
