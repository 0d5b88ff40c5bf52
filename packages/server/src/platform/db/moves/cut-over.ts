/**
 * Cuts a workspace over to the other shard: steps 5 to 8 of a move. Until the control plane has committed the
 * flip, lifting the fence undoes everything. After that, the workspace is on the other shard, and only has to
 * be opened there.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '../../../kernel/clock.ts'
import { crashpoint } from '../../crashpoint.ts'
import { prepareVerification } from './compare.ts'
import { FenceLifted, MoveError } from './errors.ts'
import { closeWorkspace, type Fence, liftFence, openWorkspace, takeLanes } from './fence.ts'
import { translatePositions } from './log-positions.ts'
import { type Move, maxFenceMs, otherShard } from './move.ts'
import { hasArrived, requireReplication, writeMarker } from './replication.ts'
import { requireEqualSchemas } from './requirements.ts'
import { inOneMessage, quote, type Side, type Sides, withoutTriggers } from './sides.ts'
import { beginAttempt, changeState, findMove, flip, recordPause } from './store.ts'

/** The maximum replication lag at which the workspace is fenced. */
const maxLagMs = 1_000
const [lagTries, lagRetryMs] = [60, 1_000]

/**
 * Processes that serve webhook lanes renew their leases every 5 seconds, and then detect that they have lost
 * them.
 */
const laneQuietMs = 7_000

type Print = (line: string) => void

export async function cutOver(move: Move, sides: Sides, print: Print): Promise<void> {
  const from = sides.of(move.active)
  const to = sides.of(otherShard(move, move.active))
  await requireEqualSchemas([from, to])
  await requireReplication(move, sides)
  await waitForReplication(move, from, to)
  if (await takeLanes(from.client, move.workspace)) {
    print('Waiting for webhook requests in flight.')
    await sleep(laneQuietMs)
  }
  crashpoint('move.step', 'lanes_taken')
  await waitForReplication(move, from, to)
  const verify = await prepareVerification(move, from, to)
  const attempt = await beginAttempt(sides.control, move.workspace)
  if (attempt === null) throw new FenceLifted()
  const fence = await closeWorkspace(from.client, move.workspace, to.name)
  const startedMs = monotonicMs()
  crashpoint('move.step', 'fenced')
  await flipOrLift(move, sides, { fence, attempt, startedMs, from, to, verify })
  const flipped = (await findMove(sides.control, move.workspace)) as Move
  await openWorkspace(flipped, sides)
  const pauseMs = monotonicMs() - startedMs
  await recordPause(sides.control, move.workspace, pauseMs)
  const tries = fence.tries === 1 ? '' : `, after ${fence.tries} tries`
  print(`The workspace is open on ${to.name}. Writes waited for ${Math.round(pauseMs)} ms${tries}.`)
}

async function waitForReplication({ workspace }: Move, from: Side, to: Side): Promise<void> {
  for (let attempt = 1; attempt <= lagTries; attempt += 1) {
    const marker = randomUUID()
    await from.client.query(writeMarker(workspace, marker))
    if (await hasArrived(to, { workspace, marker }, maxLagMs)) return
    await sleep(lagRetryMs)
  }
  throw new MoveError(
    `Changes on ${from.name} arrive on ${to.name} too late. Read the log of PostgreSQL on both, and run the command again.`,
  )
}

type CutOver = {
  readonly fence: Fence
  readonly attempt: number
  readonly startedMs: number
  readonly from: Side
  readonly to: Side
  readonly verify: () => Promise<void>
}

async function flipOrLift(move: Move, sides: Sides, cut: CutOver): Promise<void> {
  const { fence, attempt, from, to } = cut
  try {
    await prepareTarget(move, cut)
  } catch (error) {
    // This process has not sent the flip, so it may lift its fence even while the control plane is unavailable.
    await liftFence(from.client, move.workspace, fence.closedAt)
    await changeState(sides.control, move.workspace, { from: ['fencing'], to: 'comparing' })
    throw error
  }
  // If the connection is lost here, the flip may be committed: the reconciler of the shard resolves the fence.
  if (await flip(sides.control, move, { to: to.name, attempt, marker: fence.marker }))
    return crashpoint('move.step', 'flipped')
  await liftFence(from.client, move.workspace, fence.closedAt)
  throw new FenceLifted()
}

async function prepareTarget(move: Move, { fence, startedMs, from, to, verify }: CutOver): Promise<void> {
  const { workspace } = move
  const leftMs = () => maxFenceMs - 2_000 - (monotonicMs() - startedMs)
  if (!(await hasArrived(to, { workspace, marker: fence.marker }, leftMs()))) throw new FenceLifted()
  crashpoint('move.step', 'drained')
  await verify()
  crashpoint('move.step', 'verified')
  const cursors = await translatePositions(workspace, from.client, to.client)
  // Replication commits without waiting for the disk or a standby. This commit waits, which makes all earlier
  // commits durable too.
  await inOneMessage(to.client, [withoutTriggers, ...cursors, touchMarker(workspace)])
  crashpoint('move.step', 'prepared')
  if (leftMs() < 0) throw new FenceLifted()
}

const touchMarker = (workspace: string) =>
  `update workspace_moves set marker = marker where workspace_id = ${quote(workspace)}`
