import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until the condition is true. After the timeout it throws an error that contains the description. */
export async function until(
  description: string,
  condition: () => boolean | Promise<boolean>,
  { withinMs = 10_000, everyMs = 20 } = {},
): Promise<number> {
  const startedMs = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedMs > withinMs)
      throw new Error(`Timed out after ${withinMs} ms. Expected: ${description}`)
    await sleep(everyMs)
  }
  return performance.now() - startedMs
}
