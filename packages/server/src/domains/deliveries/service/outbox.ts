/** Writes what became of attempts, many at once. One statement at a time: while one runs, the next fills up. */
import type { Deps } from '../../../deps.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import { crashpoint } from '../../../platform/crashpoint.ts'
import { type LaneChange, type Result, writeResults } from '../store/results.ts'
import type { Lane } from './lane.ts'

const collectMs = 5
const soonAt = 64
const most = 512
/** While the database is away. What is not written yet is kept: the receivers have had it. */
const againMs = 250

export type Item = { readonly lane: Lane; readonly result: Result }

type Options = {
  readonly deps: Pick<Deps, 'databases' | 'clock'>
  readonly owner: string
  readonly onWritten: (written: { items: readonly Item[]; lanes: ReadonlySet<Lane> }) => void
  readonly onError: (error: unknown) => void
}

export class Outbox {
  readonly #options: Options
  #items: Item[] = []
  /** Lanes without a result that have something to say about themselves. */
  #lanes = new Set<Lane>()
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null

  constructor(options: Options) {
    this.#options = options
  }

  add(item: Item): void {
    this.#items.push(item)
    this.#schedule()
  }

  addLane(lane: Lane): void {
    this.#lanes.add(lane)
    this.#schedule()
  }

  /** Waits until everything that was added is written. */
  async flush(): Promise<void> {
    while (this.#running !== null || this.#items.length > 0 || this.#lanes.size > 0) {
      await (this.#running ?? this.#begin())
    }
  }

  #schedule(): void {
    if (this.#running !== null) return
    if (this.#items.length >= soonAt) void this.#begin()
    else this.#timer ??= setTimeout(() => void this.#begin(), collectMs)
  }

  #begin(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#running = this.#write().finally(() => {
      this.#running = null
      if (this.#items.length > 0 || this.#lanes.size > 0) this.#schedule()
    })
    return this.#running
  }

  async #write(): Promise<void> {
    const items = this.#items.splice(0, most)
    const lanes = new Set([...this.#lanes, ...items.map(({ lane }) => lane)])
    this.#lanes.clear()
    const batch = { results: items.map(({ result }) => result), lanes: changesOf(lanes, items) }
    const { deps, owner, onWritten, onError } = this.#options
    for (;;) {
      try {
        const [shard] = deps.databases.shards
        await shard?.delivering((db) => writeResults(db, owner, deps.clock.read(), batch))
        crashpoint('results.written')
        for (const lane of lanes) lane.releasing = false
        return onWritten({ items, lanes })
      } catch (error) {
        onError(error)
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
  }
}

/** A lane that has nothing left after these results is let go of in the same statement. */
function changesOf(lanes: ReadonlySet<Lane>, items: readonly Item[]): LaneChange[] {
  const counts = new Map<Lane, number>()
  for (const { lane } of items) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  const nowMs = monotonicMs()
  return [...lanes].flatMap((lane) => {
    const release = lane.claimed && lane.isIdleBut(counts.get(lane) ?? 0)
    if (release) Object.assign(lane, { claimed: false, releasing: true })
    return lane.changeOf(release, nowMs) ?? []
  })
}
