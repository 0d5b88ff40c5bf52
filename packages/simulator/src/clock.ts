/**
 * The simulator's clock, which tests can advance. Everything that happens later (a late response, a pending decision,
 * a webhook retry) is scheduled here, so that a test with a three-minute delay does not take three minutes.
 * Signatures use the system time, because the machine that verifies them does too.
 */
type Task = { readonly at: number; readonly run: () => unknown }

export type Clock = {
  /** Milliseconds since 1970, plus the time by which the clock was advanced. */
  now(): number
  /** Schedules a task, and returns a function that cancels it. */
  schedule(at: number, run: () => unknown): () => void
  sleep(ms: number): Promise<void>
  /** Runs due tasks. Timers can be late, and a request must not see the state before these tasks. */
  runDue(): void
  /** Advances the clock, runs due tasks in order, and waits for them to finish. */
  advance(ms: number): Promise<void>
  /** Resets to the system time. Returns false, without a change, while tasks are scheduled. */
  reset(): boolean
  stop(): void
}

/** The longest timer in Node. Longer waits are split. */
const longestTimerMs = 2 ** 31 - 1

export function newClock(): Clock {
  let offsetMs = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  /** Sorted by due time. */
  const tasks: Task[] = []

  const now = () => Date.now() + offsetMs

  function schedule(due: number, run: () => unknown): () => void {
    const task = { at: due, run }
    const position = tasks.findLastIndex((other) => other.at <= due) + 1
    tasks.splice(position, 0, task)
    if (position === 0) startTimer()
    return () => {
      const index = tasks.indexOf(task)
      if (index >= 0) tasks.splice(index, 1)
    }
  }

  function startTimer(): void {
    clearTimeout(timer)
    const [first] = tasks
    if (first === undefined || stopped) return
    const waitMs = Math.min(Math.max(first.at - now(), 0), longestTimerMs)
    timer = setTimeout(runDue, waitMs)
  }

  function runDue(): Promise<unknown> {
    const started: unknown[] = []
    // A task can add further tasks that are already due.
    for (let first = tasks[0]; first !== undefined && first.at <= now(); first = tasks[0]) {
      tasks.shift()
      started.push(first.run())
    }
    startTimer()
    return Promise.all(started)
  }

  return {
    now,
    schedule,
    sleep: (ms) =>
      ms <= 0 ? Promise.resolve() : new Promise((resolve) => schedule(now() + ms, () => resolve())),
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
