/**
 * An in-process cache of values per workspace. A timer checks the versions of all cached workspaces in one
 * query, so readers make no query. A value that could not be confirmed in time is not used: values are never
 * older than `maxAgeMs`, even if checks fail.
 */
import { monotonicMs } from '../kernel/clock.ts'
import type { Id } from '../kernel/id.ts'
import type { Log } from './log.ts'

export type VersionedCache<V> = {
  /** Null if there is no confirmed value. */
  get(workspaceId: Id<'workspace'>): V | null
  /** Call this before reading the value to be cached. */
  beginRead(workspaceId: Id<'workspace'>): CacheRead<V>
  /** Invalidates the value after a change, including reads in progress. */
  invalidate(workspaceId: Id<'workspace'>): void
  stop(): void
}

export type CacheRead<V> = {
  /** The unconfirmed value, which can be used if its version is still the same. */
  readonly cached: { readonly version: string; readonly value: V } | null
  store(version: string, value: V): void
}

export type VersionedCacheOptions = {
  /** The versions of the workspaces. Workspaces without a version are omitted. */
  readonly versionsOf: (ids: readonly Id<'workspace'>[]) => Promise<ReadonlyMap<Id<'workspace'>, string>>
  readonly everyMs: number
  readonly maxAgeMs: number
  readonly maxEntries: number
  readonly log: Log
}

type Entry<V> = { readonly version: string; readonly value: V; confirmedMs: number; usedMs: number }

/** Entries that have not been used for this long are no longer confirmed. */
const idleMs = 60_000
export const noVersion = '0'

export function createVersionedCache<V>(options: VersionedCacheOptions): VersionedCache<V> {
  const { versionsOf, everyMs, maxAgeMs, maxEntries, log } = options
  const entries = new Map<Id<'workspace'>, Entry<V>>()
  /** The number of invalidations: a read that started before one is not stored after it. */
  let invalidations = 0
  let isChecking = false
  let timer: NodeJS.Timeout | null = null

  const compare = async (sinceMs: number, used: readonly (readonly [Id<'workspace'>, Entry<V>])[]) => {
    const versions = await versionsOf(used.map(([id]) => id))
    for (const [id, entry] of used) {
      if ((versions.get(id) ?? noVersion) === entry.version) entry.confirmedMs = sinceMs
      else if (entries.get(id) === entry) entries.delete(id)
    }
  }
  const confirm = async () => {
    const sinceMs = monotonicMs()
    const used = [...entries].filter(([, { usedMs }]) => sinceMs - usedMs < idleMs)
    if (isChecking || used.length === 0) return
    isChecking = true
    await compare(sinceMs, used).catch((error) =>
      log.warn('cached data could not be confirmed, so it is read again', { error }),
    )
    isChecking = false
  }

  return {
    get(workspaceId) {
      const entry = entries.get(workspaceId)
      const nowMs = monotonicMs()
      if (entry === undefined || nowMs - entry.confirmedMs > maxAgeMs) return null
      entry.usedMs = nowMs
      return entry.value
    },
    beginRead(workspaceId) {
      const [sinceMs, invalidationsBefore] = [monotonicMs(), invalidations]
      return {
        cached: entries.get(workspaceId) ?? null,
        store(version, value) {
          if (invalidations !== invalidationsBefore) return
          // Delete and insert: a Map keeps insertion order, so the oldest entry is first and is evicted
          // first.
          entries.delete(workspaceId)
          entries.set(workspaceId, { version, value, confirmedMs: sinceMs, usedMs: sinceMs })
          if (entries.size > maxEntries) entries.delete(entries.keys().next().value as Id<'workspace'>)
          timer ??= setInterval(() => void confirm(), everyMs).unref()
        },
      }
    },
    invalidate(workspaceId) {
      invalidations += 1
      entries.delete(workspaceId)
    },
    stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}
