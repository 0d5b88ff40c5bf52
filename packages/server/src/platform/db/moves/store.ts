/** The rows of `control.moves`. Each function is one statement, so it is committed when it returns. */
import type { Client } from 'pg'
import type { Move, MoveState } from './move.ts'

const columns = `workspace_id as workspace, source, target, active, state, attempt, flips, marker,
  compared_until as "comparedUntil", small_tables as "smallTables", pause_ms as "pauseMs", started_at as "startedAt",
  changed_at as "changedAt"`

export async function listMoves(control: Client): Promise<readonly Move[]> {
  return (await control.query<Move>(`select ${columns} from control.moves order by started_at`)).rows
}

export async function findMove(control: Client, workspace: string): Promise<Move | null> {
  const { rows } = await control.query<Move>(`select ${columns} from control.moves where workspace_id = $1`, [
    workspace,
  ])
  return rows[0] ?? null
}

export async function insertMove(
  control: Client,
  workspace: string,
  { source, target }: { readonly source: string; readonly target: string },
): Promise<void> {
  await control.query(
    'insert into control.moves (workspace_id, source, target, active) values ($1, $2, $3, $2)',
    [workspace, source, target],
  )
}

/** Returns false if the move is not in one of the states `from`. */
export async function changeState(
  control: Client,
  workspace: string,
  { from, to }: { readonly from: readonly MoveState[]; readonly to: MoveState },
): Promise<boolean> {
  const { rowCount } = await control.query(
    'update control.moves set state = $3, changed_at = now() where workspace_id = $1 and state = any($2)',
    [workspace, from, to],
  )
  return rowCount === 1
}

export async function recordComparison(
  control: Client,
  workspace: string,
  { until, smallTables }: { readonly until: Date; readonly smallTables: readonly string[] },
): Promise<void> {
  await control.query(
    `update control.moves set state = 'fencing', compared_until = $2, small_tables = $3, changed_at = now()
     where workspace_id = $1 and state = 'comparing'`,
    [workspace, until, smallTables],
  )
}

/** Returns the number of the attempt; null if another process has ended the cut-over. */
export async function beginAttempt(control: Client, workspace: string): Promise<number | null> {
  const { rows } = await control.query<{ attempt: number }>(
    `update control.moves set attempt = attempt + 1, changed_at = now()
     where workspace_id = $1 and state = 'fencing' returning attempt`,
    [workspace],
  )
  return rows[0]?.attempt ?? null
}

/**
 * The commit point of a cut-over: from here on the workspace is on the other shard. Returns false if the
 * fence was lifted in the meantime.
 */
export async function flip(
  control: Client,
  { workspace }: Move,
  { to, attempt, marker }: { readonly to: string; readonly attempt: number; readonly marker: string },
): Promise<boolean> {
  const { rowCount } = await control.query(
    `with flipped as (
       update control.moves set state = 'flipped', active = $2, marker = $4, flips = flips + 1, changed_at = now()
       where workspace_id = $1 and state = 'fencing' and attempt = $3 returning workspace_id)
     insert into control.overrides as stored (workspace_id, shard) select workspace_id, $2 from flipped
     on conflict (workspace_id) do update set shard = excluded.shard, epoch = stored.epoch + 1`,
    [workspace, to, attempt, marker],
  )
  return rowCount === 1
}

export async function recordPause(control: Client, workspace: string, pauseMs: number): Promise<void> {
  await control.query('update control.moves set pause_ms = $2 where workspace_id = $1', [
    workspace,
    Math.round(pauseMs),
  ])
}

export async function deleteMove(control: Client, workspace: string): Promise<void> {
  await control.query(`delete from control.moves where workspace_id = $1 and state = 'cleaning'`, [workspace])
}

/** The shard of a workspace, like `ShardMap`. Null if there is no such workspace. */
export async function findShardOf(
  control: Client,
  workspace: { readonly uuid: string; readonly slot: number },
  firstShard: string,
): Promise<string | null> {
  const { rows } = await control.query<{ shard: string }>(
    `select coalesce(override.shard, placement.shard, $3) as shard from control.workspaces as workspace
     left join control.overrides as override on override.workspace_id = workspace.id
     left join control.placements as placement on placement.slot = $2
     where workspace.id = $1`,
    [workspace.uuid, workspace.slot, firstShard],
  )
  return rows[0]?.shard ?? null
}
