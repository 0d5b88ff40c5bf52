/**
 * Calls `map` for every item, at most `limit` at a time, and returns the results in the order of the items. An error
 * rejects the whole call; calls that are already running are not cancelled.
 */
export async function mapConcurrently<T, R>(
  limit: number,
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  // All workers share one iterator, and each ends when it is exhausted.
  const remaining = items.entries()
  const worker = async () => {
    for (const [index, item] of remaining) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
