/**
 * Batches concurrent calls with the same key. A call runs immediately if no batch of its key is running. Calls made
 * while a batch runs join the next batch, which starts at least `afterMs` after the start of the previous one. Each
 * call gets its own results, or the error of its batch.
 */

type BatcherOptions<Context, Item, Result> = {
  /** The maximum batch size in items. A single call may have more. */
  readonly size: number
  readonly afterMs: number
  readonly keyOf: (context: Context) => string
  /** Returns one result per item, in the same order. */
  readonly run: (context: Context, items: readonly Item[]) => Promise<readonly Result[]>
}

type Call<Context, Item, Result> = {
  readonly context: Context
  readonly items: readonly Item[]
  readonly outcome: PromiseWithResolvers<readonly Result[]>
}

export function createBatcher<Context, Item, Result>(options: BatcherOptions<Context, Item, Result>) {
  const queued = new Map<string, Call<Context, Item, Result>[]>()

  const runBatches = async (key: string): Promise<void> => {
    const calls = queued.get(key) ?? []
    const next = takeFirst(calls, options.size)
    const [first] = next
    if (first === undefined) {
      queued.delete(key)
      return
    }
    const pause = new Promise((resolve) => setTimeout(resolve, options.afterMs))
    const items = next.flatMap((call) => call.items)
    await options.run(first.context, items).then(
      (results) => {
        let start = 0
        for (const { outcome, items: own } of next) {
          outcome.resolve(results.slice(start, start + own.length))
          start += own.length
        }
      },
      (error: unknown) => {
        for (const { outcome } of next) outcome.reject(error)
      },
    )
    await pause
    return runBatches(key)
  }

  return (context: Context, items: readonly Item[]): Promise<readonly Result[]> => {
    const key = options.keyOf(context)
    const call = { context, items, outcome: Promise.withResolvers<readonly Result[]>() }
    const calls = queued.get(key)
    if (calls === undefined) {
      queued.set(key, [call])
      void runBatches(key)
    } else calls.push(call)
    return call.outcome.promise
  }
}

/** Removes the first calls that fit into a batch, at least one. */
function takeFirst<Context, Item, Result>(
  calls: Call<Context, Item, Result>[],
  size: number,
): Call<Context, Item, Result>[] {
  let total = 0
  const end = calls.findIndex(({ items }, index) => {
    total += items.length
    return index > 0 && total > size
  })
  return calls.splice(0, end === -1 ? calls.length : end)
}
