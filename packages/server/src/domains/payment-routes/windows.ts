/** First attempts of the last days, by group and account, as they would have been counted then. Pure. */
import type { Arm } from './bandit.ts'

type Attempt = {
  readonly group: string
  readonly id: string
  readonly approved: boolean
  readonly atMs: number
}

/** A quarter of a day, as figures are counted. */
const bucketMs = 6 * 3_600_000
const dayMs = 86_400_000

type Figure = { attempts: number; approved: number }
type Bucket = { readonly startMs: number; readonly arms: Map<string, Figure> }
type Window = { readonly buckets: Bucket[]; readonly arms: Map<string, Figure>; attempts: number }

export class Windows {
  /** An attempt is known so long after it was made. */
  readonly #settledMs: number
  readonly #windows = new Map<string, Window>()
  #waiting: Attempt[] = []
  #counted = 0

  constructor(settledMs: number) {
    this.#settledMs = settledMs
  }

  /** Attempts come in the order of their times. */
  add(attempt: Attempt): void {
    this.#waiting.push(attempt)
  }

  /** It is this late now: what is known by then is counted, and what is too old for the group is not any more. */
  moveTo(group: string, nowMs: number, days: number): void {
    for (; this.#counted < this.#waiting.length; this.#counted += 1) {
      const next = this.#waiting[this.#counted] as Attempt
      if (next.atMs > nowMs - this.#settledMs) break
      this.#count(next)
    }
    if (this.#counted > 10_000) {
      this.#waiting = this.#waiting.slice(this.#counted)
      this.#counted = 0
    }
    const window = this.#at(group)
    while ((window.buckets[0]?.startMs ?? nowMs) < nowMs - days * dayMs) {
      for (const [id, { attempts, approved }] of (window.buckets.shift() as Bucket).arms) {
        add(window.arms, id, -attempts, -approved)
        window.attempts -= attempts
      }
    }
  }

  armOf(group: string, id: string): Arm {
    return this.#at(group).arms.get(id) ?? { attempts: 0, approved: 0 }
  }

  attemptsIn(group: string): number {
    return this.#at(group).attempts
  }

  #count({ group, id, approved, atMs }: Attempt): void {
    const window = this.#at(group)
    const startMs = Math.floor(atMs / bucketMs) * bucketMs
    const last = window.buckets.at(-1)
    const bucket = last?.startMs === startMs ? last : { startMs, arms: new Map() }
    if (bucket !== last) window.buckets.push(bucket)
    for (const arms of [bucket.arms, window.arms]) add(arms, id, 1, Number(approved))
    window.attempts += 1
  }

  #at(group: string): Window {
    const window = this.#windows.get(group) ?? { buckets: [], arms: new Map(), attempts: 0 }
    this.#windows.set(group, window)
    return window
  }
}

function add(arms: Map<string, Figure>, id: string, attempts: number, approved: number): void {
  const known = arms.get(id) ?? { attempts: 0, approved: 0 }
  arms.set(id, { attempts: known.attempts + attempts, approved: known.approved + approved })
}
