/**
 * The first message of a unit of work. It starts the transaction, sets the workspace, reads the time, claims
 * the idempotency key, and looks up the stored response to the same request.
 */
import type { Caller } from '../../kernel/caller.ts'
import type { Reading } from '../../kernel/clock.ts'
import { refuse } from '../../kernel/errors.ts'
import { sendText } from './bound-driver.ts'
import type { Connection } from './databases.ts'
import { enterWorkspace } from './fence.ts'
import { findStoredResponse, lockNumberOf, replay, type StoredResponse } from './replay.ts'

/** Returns the start time of the transaction. */
export async function begin(caller: Caller, { client, db }: Connection, reading: Reading): Promise<Date> {
  const scope = caller.request?.replay ?? null
  const claim =
    scope === null ? '' : `, pg_try_advisory_xact_lock('${lockNumberOf(scope.scope)}'::bigint) as claimed`
  // Work on a test clock can be repeated, so its commits do not wait for the disk.
  const asyncCommit = reading.from === 'test_clock' ? `, set_config('synchronous_commit', 'off', true)` : ''
  // The database refuses changes of amounts without postings, and void invoices without credit notes. See migrations 0123 to
  // 0127, and 0652.
  const posts = `, set_config('app.posts', 'on', true), set_config('app.credits_voids', 'on', true)`
  const select = `${enterWorkspace(caller.workspaceId, 'write')}, now() as started_at${claim}${asyncCommit}${posts}`
  const beginning = sendText(client, `begin; ${select}`)
  // Sent after the lock, so it sees what the previous lock holder committed.
  const [results, stored] = await Promise.all([
    beginning,
    scope === null ? null : findStoredResponse(db, caller.workspaceId, scope.scope),
  ])
  const first = (results as unknown as { rows: BeginRow[] }[])[1]?.rows[0] as BeginRow
  if (scope !== null) requireClaim(caller, first.claimed === true, stored)
  return first.started_at
}

type BeginRow = { readonly started_at: Date; readonly claimed?: boolean }

/** Ends the unit if another one has the key, or has stored a response for it. */
export function requireClaim(caller: Caller, claimed: boolean, stored: StoredResponse | null): void {
  const scope = caller.request?.replay
  if (!claimed) refuse('idempotency_key_in_use', { retryAfterSeconds: 1 })
  if (stored !== null && scope) replay(stored, scope, caller)
}
