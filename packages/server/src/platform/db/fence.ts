/**
 * Keeps transactions out of a workspace that is on another shard, or is being moved to one. Each transaction
 * in a workspace begins with `enter_workspace`, which fails in these cases. So a process with an outdated map
 * of workspaces cannot read or write in the wrong place.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffSeconds } from '../../kernel/backoff.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/errors.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import type { Databases, Shard } from './databases.ts'

/** How long a change waits while its workspace is closed. It uses no connection in the meantime. */
const maxClosedMs = 8_000

/**
 * The statement that sets the workspace for row-level security. It fails if the workspace is open on another shard, and
 * for `write` also while the workspace is closed. The UUID is validated, so it is safe to interpolate.
 */
export function enterWorkspace(id: Id<'workspace'>, access: 'read' | 'write'): string {
  return `select enter_workspace('${uuidOf(id)}', ${access === 'write'})`
}

/**
 * Runs a transaction on the shard of the workspace. If the workspace has moved, runs it again on the new
 * shard. While the workspace is closed, waits.
 */
export async function onShardOf<T>(
  databases: Databases,
  workspaceId: Id<'workspace'>,
  run: (shard: Shard) => Promise<T>,
  maxWaitMs = maxClosedMs,
): Promise<T> {
  const startedMs = monotonicMs()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(databases.of(workspaceId))
    } catch (error) {
      if (!isFenced(error)) throw error
      const movedTo = shardMovedTo(error)
      if (movedTo !== null) databases.learn(workspaceId, movedTo)
      const waitMs = delayAfter(attempt, movedTo)
      if (monotonicMs() - startedMs + waitMs > maxWaitMs) throw closedRefusal()
      await sleep(waitMs)
    }
  }
}

function delayAfter(attempt: number, movedTo: string | null): number {
  // The shards can disagree for a moment, so only the first redirect is followed without a delay.
  if (movedTo !== null && attempt === 1) return 0
  return 1_000 * backoffSeconds({ attempt, baseSeconds: 0.005, capSeconds: 0.05 })
}

const closedRefusal = () =>
  new Refusal('unavailable', {
    detail: 'The workspace is being moved to another database. Nothing was changed.',
    retryAfterSeconds: 1,
  })

const movedCode = 'SWM01'
const closedCode = 'SWM02'

/** Whether the transaction was kept out of its workspace. None of its other statements were executed. */
export function isFenced(error: unknown): boolean {
  return hasCode(error) && (error.code === movedCode || error.code === closedCode)
}

/** The shard on which the workspace is open. */
function shardMovedTo(error: unknown): string | null {
  return hasCode(error) && error.code === movedCode ? (error.detail ?? null) : null
}

function hasCode(error: unknown): error is Error & { readonly code: unknown; readonly detail?: string } {
  return error instanceof Error && 'code' in error
}
