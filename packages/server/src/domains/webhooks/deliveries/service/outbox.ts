/**
 * Writes results of attempts to one shard in batches. Only one statement runs at a time; results that are added in the meantime
 * form the next batch.
 */
import type { Deps } from '../../../../deps.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import type { Shard } from '../../../../platform/db/databases.ts'
import { type LaneChange, type Result, writeResults } from '../store/results.ts'
import type { Lane } from './lane.ts'

const collectMs = 5
const flushAtItems = 64
const maxItems = 512
/**
 * The retry interval while the database is unavailable. Results are kept, since the receivers already have
 * the events.
 */
const retryMs = 250

export type Item = { readonly lane: Lane; readonly result: Result }

export type Written = {
  readonly items: readonly Item[]
  readonly lanes: ReadonlySet<Lane>
  /** The lanes whose rows were locked. Their changes are not written yet. */
  readonly skipped: ReadonlySet<Lane>
}

type Options = {
  readonly deps: Pick<Deps, 'clock'>
  readonly shard: Shard
  readonly owner: string
  readonly onWritten: (written: Written) => void
  readonly onError: (error: unknown) => void
  /** The database rejects the values of this item. */
  readonly onRejected: (item: Item, error: unknown) => void
}

export class Outbox {
  readonly #options: Options
  #items: Item[] = []
  /** Lanes whose state must be written even if there is no result for them. */
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
    if (this.#items.length >= flushAtItems) void this.#begin()
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
    const items = this.#items.splice(0, maxItems)
    const lanes = new Set([...this.#lanes, ...items.map(({ lane }) => lane)])
    this.#lanes.clear()
    const { skipped } = await this.#writeAll({ items, changes: unwrittenChanges(lanes, items) })
    crashpoint('results.written')
    const skippedLanes = new Set([...lanes].filter((lane) => skipped.has(lane.endpointUuid)))
    for (const lane of skippedLanes) lane.onWriteSkipped()
    for (const lane of lanes) lane.releasing = false
    this.#options.onWritten({ items, lanes, skipped: skippedLanes })
  }

  /**
   * Retries until written. If the database rejects the values, each half is written separately, so that one
   * bad item does not block others.
   */
  async #writeAll(batch: Batch): Promise<{ readonly skipped: ReadonlySet<string> }> {
    const { deps, shard, owner, onError } = this.#options
    const { items, changes: lanes } = batch
    const results = items.map(({ result }) => result)
    for (;;) {
      try {
        const skipped = await shard.withDeliveryConnection((db) =>
          writeResults(db, owner, deps.clock.read(), { results, lanes }),
        )
        return { skipped }
      } catch (error) {
        if (items.length > 0 && isRejected(error)) return this.#writeInHalves(batch, error)
        onError(error)
        await new Promise((resolve) => setTimeout(resolve, retryMs))
      }
    }
  }

  async #writeInHalves({ items, changes }: Batch, error: unknown): Promise<{ skipped: ReadonlySet<string> }> {
    const [only] = items
    if (items.length === 1 && only !== undefined) {
      this.#options.onRejected(only, error)
      // The receiver already has the event, so write the state of the delivery without the response. If that
      // is rejected too, the delivery stays due.
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

/** Whether the database rejected the values (SQLSTATE class 22 or 23): a retry would fail as well. */
function isRejected(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]...$/.test(String(error.code))
}

/** The changes of the lanes. A lane that is idle after these results is released in the same statement. */
function unwrittenChanges(lanes: ReadonlySet<Lane>, items: readonly Item[]): LaneChange[] {
  const counts = new Map<Lane, number>()
  for (const { lane } of items) counts.set(lane, (counts.get(lane) ?? 0) + 1)
  const nowMs = monotonicMs()
  return [...lanes].flatMap((lane) => {
    const release = lane.claimed && lane.isIdleExcept(counts.get(lane) ?? 0)
    if (release) Object.assign(lane, { claimed: false, releasing: true })
    return lane.unwrittenChange(release, nowMs) ?? []
  })
}
