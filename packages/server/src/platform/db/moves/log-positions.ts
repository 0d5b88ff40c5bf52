/**
 * Background work stores how far it has read the event log and the ledger, as a snapshot of transaction ids.
 * Transaction ids of one database mean nothing in another, so a cut-over replaces the snapshots with
 * snapshots of the new shard. Rows that were not read yet get a later transaction id there, so exactly these
 * rows are read next. See `snapshots.ts`.
 */
import type { Client } from 'pg'
import { addSeconds } from '../../../kernel/clock.ts'
import { uuidFloor } from '../../../kernel/id.ts'
import { lookBackSeconds } from '../../../kernel/log-snapshot.ts'
import { inOneMessage, quote, withoutTriggers } from './sides.ts'

type Reader = {
  readonly seenAt: Date | null
  readonly seenSnapshot: string | null
  readonly untilAt: Date | null
  readonly untilSnapshot: string | null
}

/**
 * The workspace must be fenced and drained. This can be repeated, because the positions on the old shard do
 * not change. Returns the statements that write the positions on the new one.
 */
export async function translatePositions(
  workspace: string,
  from: Client,
  to: Client,
): Promise<readonly string[]> {
  const report = await findReader(from, workspace)
  const rollUp = await findRollUp(from, workspace)
  const [afterSeen, afterUntil, postings] = [
    await eventsNotIn(from, workspace, { at: report.seenAt, snapshot: report.seenSnapshot }),
    await eventsNotIn(from, workspace, { at: report.untilAt, snapshot: report.untilSnapshot }),
    await postingsNotIn(from, workspace, rollUp),
  ]
  const seen = await takeSnapshot(to)
  await assignTransaction(to, workspace, { events: afterSeen, ledger_postings: postings })
  const until = report.untilSnapshot === null ? seen : await takeSnapshot(to)
  await assignTransaction(to, workspace, { events: afterUntil, ledger_postings: [] })
  const setSnapshot = (table: string, column: string, snapshot: string) =>
    `update ${table} set ${column} = ${quote(snapshot)} where workspace_id = ${quote(workspace)} and ${column} is not null`
  return [
    setSnapshot('report_cursors', 'seen_snapshot', seen),
    setSnapshot('report_cursors', 'until_snapshot', until),
    setSnapshot('ledger_cursors', 'rolled_up_snapshot', seen),
  ]
}

async function findReader(from: Client, workspace: string): Promise<Reader> {
  const { rows } = await from.query<Reader>(
    `select seen_at as "seenAt", seen_snapshot as "seenSnapshot", until_at as "untilAt", until_snapshot as "untilSnapshot"
     from report_cursors where workspace_id = $1`,
    [workspace],
  )
  return rows[0] ?? { seenAt: null, seenSnapshot: null, untilAt: null, untilSnapshot: null }
}

/** Without a snapshot, the position is a time. */
async function findRollUp(from: Client, workspace: string): Promise<Position> {
  const { rows } = await from.query<Position>(
    'select rolled_up_at as at, rolled_up_snapshot as snapshot from ledger_cursors where workspace_id = $1',
    [workspace],
  )
  return rows[0] ?? { at: null, snapshot: null }
}

type Position = { readonly at: Date | null; readonly snapshot: string | null }

/** No unread row is older than the position minus the margin by which every reader looks back. */
async function eventsNotIn(
  from: Client,
  workspace: string,
  { at, snapshot }: Position,
): Promise<readonly string[]> {
  if (at === null || snapshot === null) return []
  const { rows } = await from.query<{ id: string }>(
    `select id from events where workspace_id = $1 and id > $2 and ${isNotIn('$3', 'id > $4')}`,
    [workspace, uuidFloor(addSeconds(at, -lookBackSeconds)), snapshot, uuidFloor(at)],
  )
  return rows.map(({ id }) => id)
}

async function postingsNotIn(
  from: Client,
  workspace: string,
  { at, snapshot }: Position,
): Promise<readonly string[]> {
  if (at === null || snapshot === null) return []
  const { rows } = await from.query<{ id: string }>(
    `select id from ledger_postings where workspace_id = $1 and booked_at > $2 and ${isNotIn('$3', 'booked_at > $4')}`,
    [workspace, addSeconds(at, -lookBackSeconds), snapshot, at],
  )
  return rows.map(({ id }) => id)
}

/** The same condition as `isNotIncludedIn`. */
const isNotIn = (snapshot: string, isLater: string) => `
  case when pg_snapshot_xmax(${snapshot}::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
    then not pg_visible_in_snapshot(txid, ${snapshot}::pg_snapshot)
      or txid < pg_snapshot_xmax(pg_current_snapshot()) and ${isLater}
    else not pg_visible_in_snapshot(txid, ${snapshot}::pg_snapshot)
      and txid < pg_snapshot_xmax(pg_current_snapshot()) end`

async function takeSnapshot(to: Client): Promise<string> {
  const { rows } = await to.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot')
  return (rows[0] as { snapshot: string }).snapshot
}

type Ids = { readonly events: readonly string[]; readonly ledger_postings: readonly string[] }

/** Assigns the rows to a new transaction, which is in no snapshot that was taken before. */
async function assignTransaction(to: Client, workspace: string, ids: Ids): Promise<void> {
  const statements = Object.entries(ids)
    .filter(([, own]) => own.length > 0)
    .map(
      ([table, own]) =>
        `update ${table} set txid = pg_current_xact_id()
         where workspace_id = ${quote(workspace)} and id = any(${quote(`{${own.join(',')}}`)}::uuid[])`,
    )
  if (statements.length > 0) await inOneMessage(to, [withoutTriggers, ...statements])
}
