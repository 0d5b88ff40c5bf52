// What a receiver has taken, kept small: a million receipts fit into a few megabytes, so that the process that
// counts them hardly takes part in what is measured.

/** What came to one path. */
export type Tally = {
  readonly requests: number
  /** Requests that were answered with 2xx, and the events they were about. */
  readonly receipts: number
  readonly received: number
  /** How often one event came at most. */
  readonly most: number
}

export type Missing = { readonly count: number; readonly examples: readonly string[] }

/** Per path the first receipts of `eventIds`, in the same order, in milliseconds of wall time; 0: none. */
export type Arrivals = {
  readonly eventIds: readonly string[]
  readonly paths: Readonly<Record<string, readonly number[]>>
}

export type Ledger = {
  /** A request came, whatever became of it. */
  request(path: string): void
  /** It was taken: the sender was told so. */
  receipt(path: string, eventId: string, atMs: number): void
  tallies(): Readonly<Record<string, Tally>>
  missing(paths: readonly string[], eventIds: readonly string[]): Missing
  arrivals(): Arrivals
  clear(): void
}

type Page = { requests: number; counts: Uint16Array; firstMs: Float64Array }

const firstRoom = 1_024
const shownExamples = 10

export function newLedger(): Ledger {
  const places = new Map<string, number>()
  const pages = new Map<string, Page>()
  const pageOf = (path: string) => {
    const page = pages.get(path) ?? emptyPage()
    pages.set(path, page)
    return page
  }
  const placeOf = (eventId: string) => {
    const place = places.get(eventId) ?? places.size
    places.set(eventId, place)
    return place
  }
  const isMissing = (path: string, eventId: string) => {
    const place = places.get(eventId)
    return place === undefined || !pages.get(path)?.counts[place]
  }
  return {
    request(path) {
      pageOf(path).requests += 1
    },
    receipt(path, eventId, atMs) {
      const [page, place] = [pageOf(path), placeOf(eventId)]
      makeRoom(page, place)
      const before = page.counts[place] ?? 0
      page.counts[place] = before + 1
      if (before === 0) page.firstMs[place] = atMs
    },
    tallies: () => Object.fromEntries([...pages].map(([path, page]) => [path, tallyOf(page)])),
    missing(paths, eventIds) {
      const pairs = paths.flatMap((path) =>
        eventIds.filter((eventId) => isMissing(path, eventId)).map((eventId) => `${path} ${eventId}`),
      )
      return { count: pairs.length, examples: pairs.slice(0, shownExamples) }
    },
    arrivals: () => ({
      eventIds: [...places.keys()],
      paths: Object.fromEntries(
        [...pages].map(([path, { firstMs }]) => [path, [...firstMs.subarray(0, places.size)]]),
      ),
    }),
    clear() {
      places.clear()
      pages.clear()
    },
  }
}

function emptyPage(): Page {
  return { requests: 0, counts: new Uint16Array(firstRoom), firstMs: new Float64Array(firstRoom) }
}

function makeRoom(page: Page, place: number): void {
  if (place < page.counts.length) return
  const room = Math.max(page.counts.length * 2, place + 1)
  const [counts, firstMs] = [new Uint16Array(room), new Float64Array(room)]
  counts.set(page.counts)
  firstMs.set(page.firstMs)
  Object.assign(page, { counts, firstMs })
}

function tallyOf({ requests, counts }: Page): Tally {
  let [receipts, received, most] = [0, 0, 0]
  for (const count of counts) {
    receipts += count
    if (count > 0) received += 1
    if (count > most) most = count
  }
  return { requests, receipts, received, most }
}
