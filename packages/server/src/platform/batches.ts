/** Collects small things and writes them together a moment later, so that nobody waits for them. Bounded. */

export type Batches<Item> = { add(item: Item): void; flush(): Promise<void> }

export type BatchOptions<Item> = {
  readonly size: number
  readonly afterMs: number
  /** Beyond this the other side is in trouble, and more must not make it worse. */
  readonly maxWaiting: number
  readonly write: (items: readonly Item[]) => Promise<void>
  /** Hears how many could not be kept, and why if that is known. */
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
  let underWay = 0

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const items = waiting
    waiting = []
    if (items.length === 0) return writing
    underWay += items.length
    writing = writing
      .then(() => write(items))
      .catch((error) => onLoss(items.length, error))
      .finally(() => {
        underWay -= items.length
      })
    return writing
  }

  return {
    flush,
    add(item) {
      if (waiting.length + underWay >= maxWaiting) return onLoss(1)
      waiting.push(item)
      if (waiting.length >= size) void flush()
      else timer ??= setTimeout(flush, afterMs)
    },
  }
}
