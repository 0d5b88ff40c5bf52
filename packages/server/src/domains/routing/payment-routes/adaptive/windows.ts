/**
 * A sliding window of first attempts by group and account, as it was at an earlier time. No side effects.
 */
import type { Arm } from './bandit.ts'

type Attempt = {
  readonly group: string
  readonly id: string
  readonly approved: boolean
  readonly atMs: number
}

/** The bucket size of the figures. */
const bucketMs = 6 * 3_600_000
const dayMs = 86_400_000

type Figure = { attempts: number; approved: number }
type Bucket = { readonly startMs: number; readonly arms: Map<string, Figure> }
type Window = { readonly buckets: Bucket[]; readonly arms: Map<string, Figure>; attempts: number }

export class AttemptWindows {
  /** How long after an attempt its outcome is considered known. */
  readonly #outcomeDelayMs: number
  readonly #windows = new Map<string, Window>()
  #attempts: Attempt[] = []
  #counted = 0

  constructor(outcomeDelayMs: number) {
    this.#outcomeDelayMs = outcomeDelayMs
  }

  /** Attempts must be added in chronological order. */
  add(attempt: Attempt): void {
    this.#attempts.push(attempt)
  }

  /**
   * Counts attempts whose outcome is known at `nowMs`, and drops those older than the window of the group.
   */
  advanceTo(group: string, nowMs: number, days: number): void {
    for (; this.#counted < this.#attempts.length; this.#counted += 1) {
      const next = this.#attempts[this.#counted] as Attempt
      if (next.atMs > nowMs - this.#outcomeDelayMs) break
      this.#count(next)
    }
    if (this.#counted > 10_000) {
      this.#attempts = this.#attempts.slice(this.#counted)
      this.#counted = 0
    }
    const window = this.#windowOf(group)
    while ((window.buckets[0]?.startMs ?? nowMs) < nowMs - days * dayMs) {
      for (const [id, { attempts, approved }] of (window.buckets.shift() as Bucket).arms) {
        add(window.arms, id, -attempts, -approved)
        window.attempts -= attempts
      }
    }
  }

  armOf(group: string, id: string): Arm {
    return this.#windowOf(group).arms.get(id) ?? { attempts: 0, approved: 0 }
  }

  attemptsIn(group: string): number {
    return this.#windowOf(group).attempts
  }

  #count({ group, id, approved, atMs }: Attempt): void {
    const window = this.#windowOf(group)
    const startMs = Math.floor(atMs / bucketMs) * bucketMs
    const last = window.buckets.at(-1)
    const bucket = last?.startMs === startMs ? last : { startMs, arms: new Map() }
    if (bucket !== last) window.buckets.push(bucket)
    for (const arms of [bucket.arms, window.arms]) add(arms, id, 1, Number(approved))
    window.attempts += 1
  }

  #windowOf(group: string): Window {
    const window = this.#windows.get(group) ?? { buckets: [], arms: new Map(), attempts: 0 }
    this.#windows.set(group, window)
    return window
  }
}

function add(arms: Map<string, Figure>, id: string, attempts: number, approved: number): void {
  const previous = arms.get(id) ?? { attempts: 0, approved: 0 }
  arms.set(id, { attempts: previous.attempts + attempts, approved: previous.approved + approved })
}
