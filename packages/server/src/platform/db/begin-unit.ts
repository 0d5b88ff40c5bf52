/**
 * The first message of a unit of work: the transaction, its workspace, its instant, the claim of the request's key,
 * and what was answered to the same request before.
 */
import type { Caller } from '../../kernel/caller.ts'
import type { Reading } from '../../kernel/clock.ts'
import { refuse } from '../../kernel/errors.ts'
import { sendText } from './bound-driver.ts'
import { type Connection, enterWorkspace } from './databases.ts'
import { findAnswer, type KeptAnswer, lockNumberOf, replay } from './replay.ts'

/** Gives the instant at which the transaction began. */
export async function begin(caller: Caller, { client, db }: Connection, reading: Reading): Promise<Date> {
  const scope = caller.request?.replay ?? null
  const claim =
    scope === null ? '' : `, pg_try_advisory_xact_lock('${lockNumberOf(scope.scope)}'::bigint) as claimed`
  // What happens on a test clock can be made to happen again, so nobody waits for the disk.
  const hurry = reading.from === 'test_clock' ? `, set_config('synchronous_commit', 'off', true)` : ''
  const entering = `${enterWorkspace(caller.workspaceId)}, now() as started_at${claim}${hurry}`
  const begun = sendText(client, `begin; ${entering}`)
  // Sent behind the lock, so it sees what the lock's last holder committed.
  const [results, kept] = await Promise.all([
    begun,
    scope === null ? null : findAnswer(db, caller.workspaceId, scope.scope),
  ])
  const first = (results as unknown as { rows: BeginRow[] }[])[1]?.rows[0] as BeginRow
  if (scope !== null) settleClaim(caller, first.claimed === true, kept)
  return first.started_at
}

type BeginRow = { readonly started_at: Date; readonly claimed?: boolean }

function settleClaim(caller: Caller, claimed: boolean, kept: KeptAnswer | null): void {
  const scope = caller.request?.replay
  if (!claimed) refuse('idempotency_key_in_use', { retryAfterSeconds: 1 })
  if (kept !== null && scope) replay(kept, scope, caller.mode)
}
