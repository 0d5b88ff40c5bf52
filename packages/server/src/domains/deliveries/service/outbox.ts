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

export type Written = {
  readonly items: readonly Item[]
  readonly lanes: ReadonlySet<Lane>
  /** Those of them that somebody was changing. What is to be said about them is not written yet. */
  readonly skipped: ReadonlySet<Lane>
}

type Options = {
  readonly deps: Pick<Deps, 'databases' | 'clock'>
  readonly owner: string
  readonly onWritten: (written: Written) => void
  readonly onError: (error: unknown) => void
  /** The database refuses this one. */
  readonly onRefused: (item: Item, error: unknown) => void
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
    const { skipped } = await this.#writeAll({ items, changes: changesOf(lanes, items) })
    crashpoint('results.written')
    const passedOver = new Set([...lanes].filter((lane) => skipped.has(lane.endpointUuid)))
    for (const lane of passedOver) lane.notWritten()
    for (const lane of lanes) lane.releasing = false
    this.#options.onWritten({ items, lanes, skipped: passedOver })
  }

  /** Until it is written, or refused: then each half by itself, so that one that is odd spoils no others. */
  async #writeAll(batch: Batch): Promise<{ readonly skipped: ReadonlySet<string> }> {
    const { deps, owner, onError } = this.#options
    const { items, changes: lanes } = batch
    const results = items.map(({ result }) => result)
    for (;;) {
      try {
        const [shard] = deps.databases.shards
        const skipped = await shard?.delivering((db) =>
          writeResults(db, owner, deps.clock.read(), { results, lanes }),
        )
        return { skipped: skipped ?? new Set() }
      } catch (error) {
        if (items.length > 0 && isRefused(error)) return this.#writeApart(batch, error)
        onError(error)
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
  }

  async #writeApart({ items, changes }: Batch, error: unknown): Promise<{ skipped: ReadonlySet<string> }> {
    const [only] = items
    if (items.length === 1 && only !== undefined) {
      this.#options.onRefused(only, error)
      // The receiver had it, so what became of the delivery stands; what came back is lost. If that is not
      // what was refused, the delivery is still due.
      const items =
        only.result.attempt === null ? [] : [{ ...only, result: { ...only.result, attempt: null } }]
      return this.#writeAll({ items, changes })
    }
    const half = Math.ceil(items.length / 2)
    await this.#writeAll({ items: items.slice(0, half), changes: [] })
    return this.#writeAll({ items: items.slice(half), changes })
  }
}

type Batch = { readonly items: readonly Item[]; readonly changes: readonly LaneChange[] }

/** Whether it is the values that the database does not take: those it will not take the next time either. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]...$/.test(String(error.code))
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
