/**
 * Runs a few expensive tasks at a time and shares them fairly between groups. Each task names the groups it
 * belongs to, the widest first, such as the /48, the /56 and the /64 of an address. The next task is the one
 * whose widest group was served longest ago; ties are decided by the next narrower group. So a group that
 * floods the queue, even from many narrow groups, does not delay a group that was not served recently.
 */

export type QueueOptions = {
  /** The maximum number of concurrent tasks. */
  readonly maxRunning: number
  readonly maxWaiting: number
}

type Waiter = {
  readonly groups: readonly string[]
  readonly isPreferred: boolean
  readonly arrival: number
  readonly admit: (isAdmitted: boolean) => void
}

export type QueueEntry = {
  readonly groups: readonly string[]
  /** Preferred tasks run before all others. */
  readonly isPreferred?: boolean
}

/** The maximum number of tracked groups. The group that was served longest ago is removed first. */
const maxGroups = 20_000

export function createFairQueue({ maxRunning, maxWaiting }: QueueOptions) {
  const servedAt = new Map<string, number>()
  const waiting: Waiter[] = []
  let running = 0
  let counter = 0

  const nextNumber = () => {
    counter += 1
    return counter
  }
  const recordServed = (groups: readonly string[]) => {
    for (const group of groups) {
      // Removed and added again: a Map keeps the order of insertion.
      servedAt.delete(group)
      servedAt.set(group, nextNumber())
    }
    while (servedAt.size > maxGroups) servedAt.delete(servedAt.keys().next().value as string)
  }
  const isBefore = (a: Waiter, b: Waiter): boolean => {
    if (a.isPreferred !== b.isPreferred) return a.isPreferred
    for (let level = 0; level < Math.max(a.groups.length, b.groups.length); level += 1) {
      const [servedA, servedB] = [
        servedAt.get(a.groups[level] ?? '') ?? 0,
        servedAt.get(b.groups[level] ?? '') ?? 0,
      ]
      if (servedA !== servedB) return servedA < servedB
    }
    return a.arrival < b.arrival
  }
  const removeBy = (precedes: (a: Waiter, b: Waiter) => boolean): Waiter | undefined => {
    const [first, ...others] = waiting
    if (first === undefined) return undefined
    const selected = others.reduce((best, waiter) => (precedes(waiter, best) ? waiter : best), first)
    waiting.splice(waiting.indexOf(selected), 1)
    return selected
  }

  const enter = async ({ groups, isPreferred = false }: QueueEntry): Promise<boolean> => {
    if (running < maxRunning) {
      running += 1
      recordServed(groups)
      return true
    }
    return new Promise((admit) => {
      waiting.push({ groups, isPreferred, arrival: nextNumber(), admit })
      // Reject the task that would run last, which may be the one just added.
      if (waiting.length > maxWaiting) removeBy((a, b) => isBefore(b, a))?.admit(false)
    })
  }
  const leave = () => {
    const next = removeBy(isBefore)
    if (next === undefined) {
      running -= 1
      return
    }
    recordServed(next.groups)
    next.admit(true)
  }

  return {
    /** Runs the task in its turn; `whenFull` is the result if the queue is full. */
    async run<T, Full>(entry: QueueEntry, task: () => Promise<T>, whenFull: () => Full): Promise<T | Full> {
      if (!(await enter(entry))) return whenFull()
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}
