/** Does the same for each, a few at a time, so that a look at many takes few of the connections that requests need. */
export async function fewAtOnce<T, R>(
  most: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  // All of them draw from one, and each ends when nothing is left.
  const left = items.entries()
  const hand = async () => {
    for (const [place, item] of left) results[place] = await work(item)
  }
  await Promise.all(Array.from({ length: most }, hand))
  return results
}
