/**
 * What a process remembers of workspaces for as long as nothing has changed. It asks for the versions of all that
 * it remembers at once and by itself, so whoever uses a memory asks nobody. A memory that could not be confirmed in
 * time is not used: what it gives is never older than `maxAgeMs`, whatever fails.
 */
import { monotonicMs } from '../kernel/clock.ts'
import type { Id } from '../kernel/id.ts'
import type { Log } from './log.ts'

export type Memory<V> = {
  /** Null if nothing is known that may be used. */
  recall(workspaceId: Id<'workspace'>): V | null
  /** Call it before what is to be kept is read. */
  attend(workspaceId: Id<'workspace'>): Attention<V>
  /** Something changed here: nobody uses what was known, also if it is being read right now. */
  forget(workspaceId: Id<'workspace'>): void
  stop(): void
}

export type Attention<V> = {
  /** What was known, to be used again if its version is still the same. */
  readonly known: { readonly version: string; readonly value: V } | null
  keep(version: string, value: V): void
}

export type MemoryOptions = {
  /** The versions of workspaces; one that has none is not in it. */
  readonly versionsOf: (ids: readonly Id<'workspace'>[]) => Promise<ReadonlyMap<Id<'workspace'>, string>>
  readonly everyMs: number
  readonly maxAgeMs: number
  readonly maxEntries: number
  readonly log: Log
}

type Entry<V> = { readonly version: string; readonly value: V; confirmedMs: number; usedMs: number }

/** What nobody has used for so long is not asked for any more. */
const idleMs = 60_000
export const noVersion = '0'

export function createMemory<V>(options: MemoryOptions): Memory<V> {
  const { versionsOf, everyMs, maxAgeMs, maxEntries, log } = options
  const entries = new Map<Id<'workspace'>, Entry<V>>()
  /** How often something was forgotten: what was read before does not come back after. */
  let forgotten = 0
  let asking = false
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
    if (asking || used.length === 0) return
    asking = true
    await compare(sinceMs, used).catch((error) =>
      log.warn('what is remembered could not be confirmed, so it is read again', { error }),
    )
    asking = false
  }

  return {
    recall(workspaceId) {
      const entry = entries.get(workspaceId)
      const nowMs = monotonicMs()
      if (entry === undefined || nowMs - entry.confirmedMs > maxAgeMs) return null
      entry.usedMs = nowMs
      return entry.value
    },
    attend(workspaceId) {
      const [sinceMs, forgottenBefore] = [monotonicMs(), forgotten]
      return {
        known: entries.get(workspaceId) ?? null,
        keep(version, value) {
          if (forgotten !== forgottenBefore) return
          // Taken out and put in again: a Map keeps the order, so the oldest stands first and goes first.
          entries.delete(workspaceId)
          entries.set(workspaceId, { version, value, confirmedMs: sinceMs, usedMs: sinceMs })
          if (entries.size > maxEntries) entries.delete(entries.keys().next().value as Id<'workspace'>)
          timer ??= setInterval(() => void confirm(), everyMs).unref()
        },
      }
    },
    forget(workspaceId) {
      forgotten += 1
      entries.delete(workspaceId)
    },
    stop() {
      if (timer !== null) clearInterval(timer)
    },
  }
}
