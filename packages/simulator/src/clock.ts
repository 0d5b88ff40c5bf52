/**
 * The simulator's time, which a test may move on. Whatever happens later (a late reply, a pending decision, the
 * next try of a webhook) waits here, so that "three minutes late" takes no three minutes.
 * Signatures do not use it: they are about the real time of two machines.
 */
type Task = { readonly at: number; readonly run: () => unknown }

export type Clock = {
  /** Milliseconds since 1970, moved on by whatever was advanced. */
  now(): number
  /** Runs the task once `at` has come; the answer takes it back. */
  at(at: number, run: () => unknown): () => void
  sleep(ms: number): Promise<void>
  /** Runs what is due. Timers are late at times, and nobody may see the state before. */
  runDue(): void
  /** Moves time on, runs what has become due in its order, and waits for what that set off. */
  advance(ms: number): Promise<void>
  /** Back to the time of the machine. False, and nothing happens, while something waits for its time. */
  reset(): boolean
  stop(): void
}

/** What a timer of Node can wait for; a longer wait is taken in parts. */
const longestTimerMs = 2 ** 31 - 1

export function newClock(): Clock {
  let offsetMs = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  /** In the order in which they are due. */
  const tasks: Task[] = []

  const now = () => Date.now() + offsetMs

  function at(due: number, run: () => unknown): () => void {
    const task = { at: due, run }
    const later = tasks.findLastIndex((other) => other.at <= due) + 1
    tasks.splice(later, 0, task)
    if (later === 0) arm()
    return () => {
      const index = tasks.indexOf(task)
      if (index >= 0) tasks.splice(index, 1)
    }
  }

  function arm(): void {
    clearTimeout(timer)
    const [first] = tasks
    if (first === undefined || stopped) return
    const waitMs = Math.min(Math.max(first.at - now(), 0), longestTimerMs)
    timer = setTimeout(runDue, waitMs)
  }

  function runDue(): Promise<unknown> {
    const started: unknown[] = []
    // A task may add others that are due as well.
    for (let first = tasks[0]; first !== undefined && first.at <= now(); first = tasks[0]) {
      tasks.shift()
      started.push(first.run())
    }
    arm()
    return Promise.all(started)
  }

  return {
    now,
    at,
    sleep: (ms) => (ms <= 0 ? Promise.resolve() : new Promise((resolve) => at(now() + ms, () => resolve()))),
    runDue: () => {
      if (tasks[0] !== undefined && tasks[0].at <= now()) void runDue()
    },
    advance: async (ms) => {
      offsetMs += ms
      await runDue()
    },
    reset: () => {
      if (tasks.length > 0) return false
      offsetMs = 0
      return true
    },
    stop: () => {
      stopped = true
      clearTimeout(timer)
      tasks.length = 0
    },
  }
}
