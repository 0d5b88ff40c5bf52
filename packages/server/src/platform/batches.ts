/**
 * Collects small items and writes them in batches shortly afterwards, so that no request waits for them. The
 * number of items in memory is bounded.
 */

export type Batches<Item> = { add(item: Item): void; flush(): Promise<void> }

export type BatchOptions<Item> = {
  readonly size: number
  readonly afterMs: number
  /** Above this limit items are dropped, because the destination is overloaded. */
  readonly maxWaiting: number
  readonly write: (items: readonly Item[]) => Promise<void>
  /** Called with the number of lost items, and with the error if there is one. */
  readonly onLoss: (count: number, error?: unknown) => void
}

export function createBatches<Item>({
  size,
  afterMs,
  maxWaiting,
  write,
  onLoss,
}: BatchOptions<Item>): Batches<Item> {
  let waiting: Item[] = []
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()
  let inProgress = 0

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const items = waiting
    waiting = []
    if (items.length === 0) return writing
    inProgress += items.length
    writing = writing
      .then(() => write(items))
      .catch((error) => onLoss(items.length, error))
      .finally(() => {
        inProgress -= items.length
      })
    return writing
  }

  return {
    flush,
    add(item) {
      if (waiting.length + inProgress >= maxWaiting) return onLoss(1)
      waiting.push(item)
      if (waiting.length >= size) void flush()
      else timer ??= setTimeout(flush, afterMs)
    },
  }
}
