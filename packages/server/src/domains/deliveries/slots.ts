/**
 * Room for requests under way in one process. A receiver that hangs takes time, not room that others need:
 * most of it is kept for first attempts, some for later ones, and one workspace never takes more than a
 * quarter while others wait.
 */

export type SlotLimits = {
  readonly total: number
  /** Shares of the total. */
  readonly laterAtMost: number
  readonly firstAtMost: number
  readonly workspaceAtMost: number
}

export const slotDefaults: SlotLimits = {
  total: 512,
  laterAtMost: 0.4,
  firstAtMost: 0.9,
  workspaceAtMost: 0.25,
}

/** The first two attempts are those that somebody is waiting for. */
export type SlotKind = 'first' | 'later'
export const slotKindOf = (tries: number): SlotKind => (tries < 2 ? 'first' : 'later')

export class Slots {
  readonly #limits: SlotLimits
  readonly #taken = { first: 0, later: 0 }
  readonly #byWorkspace = new Map<string, number>()

  constructor(limits: SlotLimits = slotDefaults) {
    this.#limits = limits
  }

  get inUse(): number {
    return this.#taken.first + this.#taken.later
  }

  get full(): boolean {
    return this.inUse >= this.#limits.total
  }

  take(kind: SlotKind, workspace: string, othersWait: () => boolean): boolean {
    const { total, laterAtMost, firstAtMost, workspaceAtMost } = this.#limits
    const share = kind === 'later' ? laterAtMost : firstAtMost
    const own = this.#byWorkspace.get(workspace) ?? 0
    if (this.full || this.#taken[kind] >= total * share) return false
    if (own >= total * workspaceAtMost && othersWait()) return false
    this.#taken[kind] += 1
    this.#byWorkspace.set(workspace, own + 1)
    return true
  }

  give(kind: SlotKind, workspace: string): void {
    this.#taken[kind] -= 1
    const own = (this.#byWorkspace.get(workspace) ?? 1) - 1
    if (own === 0) this.#byWorkspace.delete(workspace)
    else this.#byWorkspace.set(workspace, own)
  }
}
