// Counts the webhooks that a receiver has accepted. A million receipts need only a few megabytes, so that
// counting hardly affects measurements.

/** The counts of one path. */
export type Tally = {
  readonly requests: number
  /** Requests that got a 2xx response. */
  readonly receipts: number
  /** Distinct events in these requests. */
  readonly received: number
  /** The highest number of receipts of one event. */
  readonly maxReceipts: number
}

export type Missing = { readonly count: number; readonly examples: readonly string[] }

/**
 * For each path, the time of the first receipt of each of `eventIds`, in milliseconds since the epoch; 0 if
 * none.
 */
export type Arrivals = {
  readonly eventIds: readonly string[]
  readonly paths: Readonly<Record<string, readonly number[]>>
}

export type Ledger = {
  /** Counts a request, whatever its outcome. */
  request(path: string): void
  /** Counts an accepted event, for which the sender got a 2xx response. */
  receipt(path: string, eventId: string, atMs: number): void
  tallies(): Readonly<Record<string, Tally>>
  missing(paths: readonly string[], eventIds: readonly string[]): Missing
  arrivals(): Arrivals
  clear(): void
}

type PathCounts = { requests: number; counts: Uint16Array; firstMs: Float64Array }

const initialCapacity = 1_024
const maxExamples = 10

export function newLedger(): Ledger {
  const eventIndexes = new Map<string, number>()
  const countsByPath = new Map<string, PathCounts>()
  const countsOf = (path: string) => {
    const pathCounts = countsByPath.get(path) ?? emptyCounts()
    countsByPath.set(path, pathCounts)
    return pathCounts
  }
  const indexOf = (eventId: string) => {
    const index = eventIndexes.get(eventId) ?? eventIndexes.size
    eventIndexes.set(eventId, index)
    return index
  }
  const isMissing = (path: string, eventId: string) => {
    const index = eventIndexes.get(eventId)
    return index === undefined || !countsByPath.get(path)?.counts[index]
  }
  return {
    request(path) {
      countsOf(path).requests += 1
    },
    receipt(path, eventId, atMs) {
      const [pathCounts, index] = [countsOf(path), indexOf(eventId)]
      ensureCapacity(pathCounts, index)
      const before = pathCounts.counts[index] ?? 0
      pathCounts.counts[index] = before + 1
      if (before === 0) pathCounts.firstMs[index] = atMs
    },
    tallies: () =>
      Object.fromEntries([...countsByPath].map(([path, pathCounts]) => [path, toTally(pathCounts)])),
    missing(paths, eventIds) {
      const pairs = paths.flatMap((path) =>
        eventIds.filter((eventId) => isMissing(path, eventId)).map((eventId) => `${path} ${eventId}`),
      )
      return { count: pairs.length, examples: pairs.slice(0, maxExamples) }
    },
    arrivals: () => ({
      eventIds: [...eventIndexes.keys()],
      paths: Object.fromEntries(
        [...countsByPath].map(([path, { firstMs }]) => [path, [...firstMs.subarray(0, eventIndexes.size)]]),
      ),
    }),
    clear() {
      eventIndexes.clear()
      countsByPath.clear()
    },
  }
}

function emptyCounts(): PathCounts {
  return { requests: 0, counts: new Uint16Array(initialCapacity), firstMs: new Float64Array(initialCapacity) }
}

function ensureCapacity(pathCounts: PathCounts, index: number): void {
  if (index < pathCounts.counts.length) return
  const capacity = Math.max(pathCounts.counts.length * 2, index + 1)
  const [counts, firstMs] = [new Uint16Array(capacity), new Float64Array(capacity)]
  counts.set(pathCounts.counts)
  firstMs.set(pathCounts.firstMs)
  Object.assign(pathCounts, { counts, firstMs })
}

function toTally({ requests, counts }: PathCounts): Tally {
  let [receipts, received, maxReceipts] = [0, 0, 0]
  for (const count of counts) {
    receipts += count
    if (count > 0) received += 1
    if (count > maxReceipts) maxReceipts = count
  }
  return { requests, receipts, received, maxReceipts }
}
