/** Processes many items with limited concurrency, to limit the load on the server. */
const maxConcurrency = 4

export async function runConcurrently<Item>(
  items: readonly Item[],
  process: (item: Item) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const remaining = items.values()
  const work = async () => {
    // The workers share one iterator, so each item is processed once.
    for (const item of remaining) {
      if (signal.aborted) return
      await process(item)
    }
  }
  await Promise.all(Array.from({ length: maxConcurrency }, work))
}
