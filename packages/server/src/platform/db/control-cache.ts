/**
 * Values of the control plane that requests need. While the control plane is unavailable, the last values stay in use
 * for up to an hour, so that workspaces are served without it.
 */
import { monotonicMs } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/errors.ts'
import { createCache } from '../cache.ts'
import { withTimeout } from '../engine/cancellable-sleep.ts'
import { readControl } from './control.ts'
import type { Databases, Db } from './databases.ts'

const keepMs = 3_600_000
/** How long a request waits for the control plane if there is another value. */
const maxWaitMs = 1_000
/** After such a wait, requests do not wait for the control plane again for this long. */
const pauseMs = 2_000

export type ControlCache<V> = {
  /**
   * Reads the current value. While the control plane is unavailable, returns the last value, or else `fallback`;
   * without either it fails.
   */
  read(
    deps: { readonly databases: Databases },
    key: string,
    body: (db: Db) => Promise<V | null>,
    fallback?: null,
  ): Promise<V | null>
}

export function createControlCache<V>(maxEntries: number): ControlCache<V> {
  const entries = createCache<V | null>({ ttlMs: keepMs, maxEntries })
  let awayUntilMs = 0

  return {
    async read(deps, key, body, fallback) {
      const known = (await entries.peek(key)) ?? fallback
      if (known !== undefined && monotonicMs() < awayUntilMs) return known
      const reading = readControl(deps, body).then((value) => {
        entries.forget(key)
        // A missing value is not kept: keys can be invented, and would replace those that are in use.
        if (value !== null) void entries.get(key, async () => value)
        return { value }
      })
      if (known === undefined) return (await reading).value
      const found = await withTimeout(maxWaitMs, reading.catch(nullIfUnavailable), null)
      if (found === null) awayUntilMs = monotonicMs() + pauseMs
      return found === null ? known : found.value
    },
  }
}

function nullIfUnavailable(error: unknown): null {
  if (error instanceof Refusal && error.code === 'unavailable') return null
  throw error
}
