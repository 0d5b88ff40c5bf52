/** Closes a workspace on the shard that serves it, and opens it on the shard that serves it afterwards. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { crashpoint } from '../../crashpoint.ts'
import { MoveError } from './errors.ts'
import { type Move, otherShard } from './move.ts'
import { writeMarker } from './replication.ts'
import { inOneMessage, quote, type Sides } from './sides.ts'
import { changeState, findMove } from './store.ts'

/**
 * While the fence waits for transactions in the workspace to end, no other transaction can begin. So it waits
 * only briefly, pauses to let other transactions begin, and tries again.
 */
const lockTimeoutMs = 300
const giveWayMs = 700
const maxTries = 60

export type Fence = {
  /** When the workspace was closed, by the clock of the shard. It identifies the fence. */
  readonly closedAt: string
  readonly marker: string
  readonly tries: number
}

/** The owner of webhook lanes during a cut-over. Its leases expire like those of a process. */
const moverId = '00000000-0000-4000-8000-000000000000'

/**
 * Takes the webhook lanes of the workspace. The processes that serve them notice it within seconds, finish the requests in
 * flight, and write their results.
 */
export async function takeLanes(client: Client, workspace: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update webhook_lanes set owner = $2, lease_until = now() + interval '60 seconds' where workspace_id = $1`,
    [workspace, moverId],
  )
  return (rowCount ?? 0) > 0
}

export async function releaseLanes(client: Client, workspace: string): Promise<void> {
  await client.query(
    'update webhook_lanes set owner = null, lease_until = null where workspace_id = $1 and owner = $2',
    [workspace, moverId],
  )
}

/**
 * Closes the workspace after all transactions with writes have ended, and writes the marker in the same
 * commit.
 */
export async function closeWorkspace(client: Client, workspace: string, movesTo: string): Promise<Fence> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const marker = randomUUID()
    const closed = await inOneMessage(client, [
      `set local lock_timeout = ${lockTimeoutMs}`,
      `select pg_advisory_xact_lock(workspace_lock(${quote(workspace)}))`,
      `insert into placements (workspace_id, moved_to, is_open, closed_at)
       values (${quote(workspace)}, ${quote(movesTo)}, false, clock_timestamp())
       on conflict (workspace_id) do update set moved_to = excluded.moved_to, is_open = false, closed_at = excluded.closed_at
       returning closed_at::text as closed_at`,
      writeMarker(workspace, marker),
    ]).catch((error) => {
      if (error.code === '55P03') return null
      throw error
    })
    if (closed !== null) return { closedAt: closed[2]?.rows[0].closed_at, marker, tries }
    await sleep(giveWayMs)
  }
  throw new MoveError(
    'Transactions in the workspace did not end for a minute, so it was not fenced. Run the command again.',
  )
}

/**
 * Lifts the fence of a cut-over that was not committed and can no longer be committed. A newer fence stays.
 */
export async function liftFence(client: Client, workspace: string, closedAt: string | null): Promise<void> {
  await client.query(
    'delete from placements where workspace_id = $1 and not is_open and closed_at = coalesce($2::timestamptz, closed_at)',
    [workspace, closedAt],
  )
  await releaseLanes(client, workspace)
}

/**
 * Log positions from before `log_begins_at` belong to the other shard. The margin allows for clock
 * differences between the two servers.
 */
const logMargin = `interval '1 second'`

/**
 * Opens the workspace on the shard that the control plane names. On the other shard it stays closed until
 * then, so the two shards never accept changes at the same time. The marker identifies the committed
 * cut-over: a process that was suspended during this function changes nothing if another cut-over was
 * committed in the meantime.
 */
export async function openWorkspace(move: Move, sides: Sides): Promise<void> {
  const { workspace, active } = move
  const marker = move.marker ?? ''
  const { client: to } = sides.of(active)
  const { client: from } = sides.of(otherShard(move, active))
  const isCurrent = `exists (select from workspace_moves where workspace_id = ${quote(workspace)} and marker = ${quote(marker)})`
  const [begun] = await inOneMessage(to, [
    `update workspace_moves set log_begins_at = clock_timestamp() + ${logMargin}
     where workspace_id = ${quote(workspace)} and ${isCurrent}`,
    `update webhook_lanes set owner = null, lease_until = null
     where workspace_id = ${quote(workspace)} and owner = ${quote(moverId)} and ${isCurrent}`,
    `delete from placements where workspace_id = ${quote(workspace)} and ${isCurrent}`,
  ])
  if (begun?.rowCount === 0) throw new MoveError('The workspace was cut over again in the meantime.')
  crashpoint('move.step', 'opened_target')
  await inOneMessage(from, [
    `update placements set is_open = true
     where workspace_id = ${quote(workspace)} and moved_to = ${quote(active)} and ${isCurrent}`,
  ])
  crashpoint('move.step', 'opened')
  await changeState(sides.control, workspace, { from: ['flipped'], to: 'watching' })
}

/** Records on a shard that the workspace is open on another one. */
export function pointTo(client: Client, workspace: string, shard: string) {
  return client.query(
    `insert into placements (workspace_id, moved_to, is_open) values ($1, $2, true)
     on conflict (workspace_id) do update set moved_to = excluded.moved_to, is_open = true`,
    [workspace, shard],
  )
}

/**
 * Ends a fence whose mover has stopped: the workspace is opened on the other shard if the cut-over was
 * committed, and otherwise on this one. In the second case the mover can no longer commit, even if it is only
 * slow.
 */
export async function resolveFence(
  sides: Sides,
  {
    workspace,
    shard,
    closedAt,
  }: { readonly workspace: string; readonly shard: string; readonly closedAt: string },
): Promise<'lifted' | 'opened'> {
  await changeState(sides.control, workspace, { from: ['fencing'], to: 'comparing' })
  const move = await findMove(sides.control, workspace)
  if (move !== null && move.active !== shard) {
    await openWorkspace(move, sides)
    return 'opened'
  }
  await liftFence(sides.of(shard).client, workspace, closedAt)
  return 'lifted'
}
