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
  /** Workspaces of different groups are confirmed independently, because one group may be unavailable. */
  readonly groupOf?: (id: Id<'workspace'>) => string
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
  const { versionsOf, groupOf = () => '', everyMs, maxAgeMs, maxEntries, log } = options
  const entries = new Map<Id<'workspace'>, Entry<V>>()
  /** The number of invalidations: a read that started before one is not stored after it. */
  let invalidations = 0
  /** The groups whose versions are being read. */
  const checking = new Set<string>()
  let timer: NodeJS.Timeout | null = null

  type Used = readonly (readonly [Id<'workspace'>, Entry<V>])[]
  const compare = async (sinceMs: number, used: Used) => {
    const versions = await versionsOf(used.map(([id]) => id))
    for (const [id, entry] of used) {
      if ((versions.get(id) ?? noVersion) === entry.version) entry.confirmedMs = sinceMs
      else if (entries.get(id) === entry) entries.delete(id)
    }
  }
  const confirmGroup = async (group: string, sinceMs: number, used: Used) => {
    if (checking.has(group)) return
    checking.add(group)
    await compare(sinceMs, used).catch((error) =>
      log.warn('cached data could not be confirmed, so it is read again', { error }),
    )
    checking.delete(group)
  }
  const confirm = () => {
    const sinceMs = monotonicMs()
    const used = [...entries].filter(([, { usedMs }]) => sinceMs - usedMs < idleMs)
    for (const [group, members] of Map.groupBy(used, ([id]) => groupOf(id)))
      void confirmGroup(group, sinceMs, members)
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
          timer ??= setInterval(confirm, everyMs).unref()
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
