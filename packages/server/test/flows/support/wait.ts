import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until it holds, looking often; says what it waited for when it never does. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { withinMs = 10_000, everyMs = 20 } = {},
): Promise<number> {
  const startedMs = performance.now()
  while (!(await holds())) {
    if (performance.now() - startedMs > withinMs) throw new Error(`After ${withinMs} ms not yet: ${what}`)
    await sleep(everyMs)
  }
  return performance.now() - startedMs
}
