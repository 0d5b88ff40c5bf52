// Aborts the code that reaches a crash point, as if the process had been killed there.

import { type Crashpoint, watchCrashpoints } from '../../src/platform/crashpoint.ts'

/** Applies once. `endCrash` cancels it. */
export function crashAt(name: Crashpoint): void {
  watchCrashpoints((reached) => {
    if (reached !== name) return
    endCrash()
    throw new Error(`A test aborted this at ${name}.`)
  })
}

export function endCrash(): void {
  watchCrashpoints(() => {})
}
