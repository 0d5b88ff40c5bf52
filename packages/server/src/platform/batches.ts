/**
 * Collects small items and writes them in batches shortly afterwards, so that no request waits for them. While the
 * destination is unavailable, they are kept for a while. The number of items in memory is bounded.
 */
import { monotonicMs } from '../kernel/clock.ts'
import { CancellableSleep } from './engine/cancellable-sleep.ts'

export type Batches<Item> = {
  add(item: Item): void
  /** Resolves when all items are written or lost. */
  flush(): Promise<void>
  /** Like `flush`, but tries each batch only once: the process is ending. */
  stop(): Promise<void>
}

export type BatchOptions<Item> = {
  readonly size: number
  readonly afterMs: number
  /** Above this limit items are dropped, because the destination is overloaded. */
  readonly maxWaiting: number
  readonly write: (items: readonly Item[]) => Promise<void>
  /** Whether a batch that could not be written can be written later. */
  readonly isTemporary: (error: unknown) => boolean
  /** How long a batch is kept in that case. */
  readonly keepMs: number
  /** Called with the number of lost items, and with the error if there is one. */
  readonly onLoss: (count: number, error?: unknown) => void
}

/**
 * Separate batches for each destination, so that one that is unavailable does not delay the items of the
 * others.
 */
export function createBatchesBy<Item>(
  destinationOf: (item: Item) => string,
  options: BatchOptions<Item>,
): Batches<Item> {
  const byDestination = new Map<string, Batches<Item>>()
  const batchesOf = (destination: string): Batches<Item> => {
    const batches = byDestination.get(destination) ?? createBatches(options)
    byDestination.set(destination, batches)
    return batches
  }
  const onEach = async (action: (batches: Batches<Item>) => Promise<void>) => {
    await Promise.all([...byDestination.values()].map(action))
  }
  return {
    add: (item) => batchesOf(destinationOf(item)).add(item),
    flush: () => onEach((batches) => batches.flush()),
    stop: () => onEach((batches) => batches.stop()),
  }
}

const retryEveryMs = 500

export function createBatches<Item>({
  size,
  afterMs,
  maxWaiting,
  write,
  isTemporary,
  keepMs,
  onLoss,
}: BatchOptions<Item>): Batches<Item> {
  let waiting: Item[] = []
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()
  let inProgress = 0
  const sleeper = new CancellableSleep()

  const writeOrKeep = async (items: readonly Item[], untilMs: number): Promise<void> => {
    for (;;) {
      try {
        return await write(items)
      } catch (error) {
        const isKept = isTemporary(error) && monotonicMs() < untilMs && !sleeper.ended
        if (!isKept) return onLoss(items.length, error)
        await sleeper.sleep(retryEveryMs)
      }
    }
  }

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const items = waiting
    waiting = []
    if (items.length === 0) return writing
    inProgress += items.length
    const untilMs = monotonicMs() + keepMs
    writing = writing
      .then(() => writeOrKeep(items, untilMs))
      .finally(() => {
        inProgress -= items.length
      })
    return writing
  }

  return {
    flush,
    stop() {
      sleeper.end()
      return flush()
    },
    add(item) {
      if (waiting.length + inProgress >= maxWaiting) return onLoss(1)
      waiting.push(item)
      if (waiting.length >= size) void flush()
      else timer ??= setTimeout(flush, afterMs)
    },
  }
}
