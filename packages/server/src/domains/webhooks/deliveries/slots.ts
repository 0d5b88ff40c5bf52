/**
 * Limits the requests in flight of one process. Receivers that hang must not use all slots: some are reserved
 * for first attempts, some for later ones, and one workspace uses at most a quarter while others wait.
 */

export type SlotLimits = {
  readonly total: number
  /** The following limits are shares of the total. */
  readonly maxLaterShare: number
  readonly maxFirstShare: number
  readonly maxWorkspaceShare: number
}

export const slotDefaults: SlotLimits = {
  total: 512,
  maxLaterShare: 0.4,
  maxFirstShare: 0.9,
  maxWorkspaceShare: 0.25,
}

/** `first`: the first two attempts of a delivery, which are the urgent ones. */
export type SlotKind = 'first' | 'later'
export const slotKindOf = (tries: number): SlotKind => (tries < 2 ? 'first' : 'later')

export class Slots {
  readonly #limits: SlotLimits
  readonly #inUseByKind = { first: 0, later: 0 }
  readonly #byWorkspace = new Map<string, number>()

  constructor(limits: SlotLimits = slotDefaults) {
    this.#limits = limits
  }

  get inUse(): number {
    return this.#inUseByKind.first + this.#inUseByKind.later
  }

  get isFull(): boolean {
    return this.inUse >= this.#limits.total
  }

  tryAcquire(kind: SlotKind, workspace: string, othersWait: () => boolean): boolean {
    const { total, maxLaterShare, maxFirstShare, maxWorkspaceShare } = this.#limits
    const share = kind === 'later' ? maxLaterShare : maxFirstShare
    const inUseByWorkspace = this.#byWorkspace.get(workspace) ?? 0
    if (this.isFull || this.#inUseByKind[kind] >= total * share) return false
    if (inUseByWorkspace >= total * maxWorkspaceShare && othersWait()) return false
    this.#inUseByKind[kind] += 1
    this.#byWorkspace.set(workspace, inUseByWorkspace + 1)
    return true
  }

  release(kind: SlotKind, workspace: string): void {
    this.#inUseByKind[kind] -= 1
    const remaining = (this.#byWorkspace.get(workspace) ?? 1) - 1
    if (remaining === 0) this.#byWorkspace.delete(workspace)
    else this.#byWorkspace.set(workspace, remaining)
  }
}
