// Whoever does something in a story: a request, or a worker. Its fate happens to it and to nobody else in this
// process, though all of them run the real code side by side. To die is to throw where the process would end, so
// that nothing after that place runs.

import { AsyncLocalStorage } from 'node:async_hooks'
import { watchCrashpoints } from '../../src/platform/crashpoint.ts'
import type { Fate } from './story.ts'

export class Died extends Error {
  override name = 'Died'

  constructor() {
    super('The process died here.')
  }
}

export class Actor {
  readonly fate: Fate
  /** It answers without waiting for the provider. */
  readonly impatient: boolean
  isDead = false
  /** Set while it is frozen. */
  isFrozen = false
  /** When it began to ask the provider, by the clock of the story. */
  askingSinceMs: number | null = null
  /** Settles when it freezes, if it does. */
  readonly frozen: Promise<void>
  readonly noteFrozen: () => void
  #commits = 0
  #commitsSent = 0
  #hasFrozen = false

  constructor(fate: Fate, impatient = false) {
    this.fate = fate
    this.impatient = impatient
    const { promise, resolve } = Promise.withResolvers<void>()
    this.frozen = promise
    this.noteFrozen = resolve
  }

  hasCommitted(): void {
    this.#commits += 1
    this.reaches(this.fate?.is === 'dies_after_commit' && this.fate.nth === this.#commits)
  }

  /** Whether the answer to the commit that is being sent gets lost. */
  losesThisCommit(): boolean {
    this.#commitsSent += 1
    return this.fate?.is === 'loses_commit' && this.fate.nth === this.#commitsSent
  }

  /** Dies here, if this is its end; one that is dead goes nowhere. */
  reaches(isItsEnd: boolean): void {
    this.isDead ||= isItsEnd
    if (this.isDead) throw new Died()
  }

  /** Once: one that woke up goes on. */
  takesFreeze(): boolean {
    if (this.fate?.is !== 'freezes' || this.#hasFrozen) return false
    this.#hasFrozen = true
    return true
  }
}

const acting = new AsyncLocalStorage<Actor>()

export const actorNow = (): Actor | undefined => acting.getStore()

export function asActor<T>(actor: Actor, body: () => Promise<T>): Promise<T> {
  return acting.run(actor, body)
}

watchCrashpoints((name) => {
  if (name === 'unit.committed') actorNow()?.hasCommitted()
})
