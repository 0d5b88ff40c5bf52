/**
 * The commands that move workspaces. A move has ten steps; each is recorded in `control.moves` and can be
 * repeated. So a command that was killed can be run again, and continues where it stopped. See the README of
 * this folder.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { crashpoint } from '../../crashpoint.ts'
import { createPartitionsLike, listPartitions } from '../partitions.ts'
import type { ShardAddress } from '../placements.ts'
import { compareSettled } from './compare.ts'
import { cutOver } from './cut-over.ts'
import { FenceLifted, MoveError } from './errors.ts'
import { liftFence, openWorkspace, pointTo } from './fence.ts'
import { type Action, type Move, nextAction, otherShard, watchSeconds } from './move.ts'
import { copyProgress, deleteRows, isSubscribed, publish, stopReplication, subscribe } from './replication.ts'
import { requireEmpty, requireEqualSchemas, requireServer } from './requirements.ts'
import { type Sides, withSides } from './sides.ts'
import { changeState, deleteMove, findMove, findShardOf, insertMove, recordComparison } from './store.ts'

export type MoveOptions = {
  readonly controlUrl: string
  /** The first shard has the slots that are not assigned to a shard. */
  readonly shards: readonly ShardAddress[]
  readonly workspace: { readonly uuid: string; readonly slot: number }
  readonly print: (line: string) => void
}

/** Moves the workspace to the shard. `back`: to the shard from which the current move began. */
export async function moveWorkspace(options: MoveOptions, goal: string | 'back'): Promise<void> {
  await alone(options, async (sides) => {
    const to = await findGoal(options, sides, goal)
    await advance(options, sides, to)
  })
}

/** Deletes the rows on the shard that the workspace has left, and ends the replication. */
export async function cleanUpMove(options: MoveOptions, early: boolean): Promise<void> {
  await alone(options, async (sides) => {
    const { uuid } = options.workspace
    const move = await findMove(sides.control, uuid)
    if (move === null) throw new MoveError('The workspace is not being moved.')
    if (move.state !== 'watching' && move.state !== 'cleaning')
      throw new MoveError('The move is not complete: run cells move first.')
    const { rows } = await sides.control.query<{ watched: boolean }>(
      `select changed_at < now() - $2 * interval '1 second' as watched from control.moves where workspace_id = $1`,
      [uuid, watchSeconds],
    )
    if (move.state === 'watching' && rows[0]?.watched !== true && !early)
      throw new MoveError(
        'The workspace was cut over less than 24 hours ago. After the clean-up, moving it back requires another copy. To clean up anyway, add --now.',
      )
    await changeState(sides.control, uuid, { from: ['watching'], to: 'cleaning' })
    await advance(options, sides, move.active)
  })
}

/** Only one process at a time can move a workspace. */
async function alone(options: MoveOptions, body: (sides: Sides) => Promise<void>): Promise<void> {
  await withSides(options.controlUrl, options.shards, async (sides) => {
    const { rows } = await sides.control.query<{ isAlone: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('switchyard.move.' || $1, 0)) as "isAlone"`,
      [options.workspace.uuid],
    )
    if (rows[0]?.isAlone !== true) throw new MoveError('Another process is moving this workspace.')
    await body(sides)
  })
}

async function findGoal(options: MoveOptions, sides: Sides, goal: string | 'back'): Promise<string> {
  const { workspace, shards } = options
  const move = await findMove(sides.control, workspace.uuid)
  if (goal !== 'back' && !shards.some(({ name }) => name === goal))
    throw new MoveError(`There is no shard ${goal}. Shards: ${shards.map(({ name }) => name).join(', ')}.`)
  if (move === null && goal === 'back') throw new MoveError('The workspace is not being moved.')
  if (move !== null) {
    const to = goal === 'back' ? move.source : goal
    if (to === move.source || to === move.target) return to
    throw new MoveError(
      `The workspace is being moved between ${move.source} and ${move.target}. Clean up that move first.`,
    )
  }
  const shard = await findShardOf(sides.control, workspace, (shards[0] as ShardAddress).name)
  if (shard === null) throw new MoveError('There is no such workspace.')
  if (shard !== goal) await register(options, sides, { source: shard, target: goal })
  return goal
}

/** Step 1. */
async function register(
  { workspace }: MoveOptions,
  sides: Sides,
  { source, target }: { readonly source: string; readonly target: string },
): Promise<void> {
  const both = [sides.of(source), sides.of(target)]
  for (const side of both) await requireServer(side)
  await requireEqualSchemas(both)
  await requireEmpty(sides.of(target), workspace.uuid)
  await insertMove(sides.control, workspace.uuid, { source, target })
  crashpoint('move.step', 'registered')
}

const [maxCutOvers, nextCutOverMs] = [5, 5_000]

async function advance(options: MoveOptions, sides: Sides, goal: string): Promise<void> {
  let lifted = 0
  for (;;) {
    const move = await findMove(sides.control, options.workspace.uuid)
    const action = move === null ? 'done' : nextAction(move, goal)
    if (move === null || action === 'done') return options.print(describeEnd(move, goal))
    try {
      await actions[action](move, sides, options.print)
    } catch (error) {
      lifted += 1
      if (!(error instanceof FenceLifted) || lifted === maxCutOvers) throw error
      options.print('The fence was lifted, because the cut-over took too long. The cut-over will be retried.')
      await sleep(nextCutOverMs)
    }
  }
}

function describeEnd(move: Move | null, goal: string): string {
  if (move === null) return `The workspace is on ${goal}. No move is in progress.`
  const other = otherShard(move, goal)
  return `${goal} serves the workspace, and ${other} receives its changes. After a day, run cells clean-up.`
}

type Run = (move: Move, sides: Sides, print: (line: string) => void) => Promise<unknown>

const actions: { readonly [A in Exclude<Action, 'done'>]: Run } = {
  copy,
  link,
  compare,
  cut_over: cutOver,
  open: (move, sides) => openWorkspace(move, sides),
  begin: ({ workspace }, { control }) =>
    changeState(control, workspace, { from: ['watching'], to: 'comparing' }),
  cancel,
  undo: ({ workspace }, { control }) =>
    changeState(control, workspace, { from: ['copying', 'linking', 'comparing', 'fencing'], to: 'cleaning' }),
  clean_up: cleanUp,
}

const progressMs = 200
const printEvery = 25

/** Step 2. */
async function copy(move: Move, sides: Sides, print: (line: string) => void): Promise<void> {
  const [from, to] = [sides.of(move.source), sides.of(move.target)]
  await requireEqualSchemas([from, to])
  // Nothing uses the copied rows yet, because the target rejects transactions in a workspace that is open on
  // another shard.
  await pointTo(to.client, move.workspace, from.name)
  await createPartitionsLike(
    (text) => to.client.query(text),
    await listPartitions((text) => from.client.query(text)),
  )
  crashpoint('move.step', 'copying')
  await publish(move, from)
  if (!(await isSubscribed(move, from, to))) {
    await deleteRows(to, move.workspace)
    await subscribe(move, { from, to, copies: true })
  }
  crashpoint('move.step', 'subscribed')
  for (let round = 0; ; round += 1) {
    const { done, all } = await copyProgress(move, from, to)
    if (done === all) break
    if (round % printEvery === 0) print(`Copied ${done} of ${all} tables.`)
    await sleep(progressMs)
  }
  await changeState(sides.control, move.workspace, { from: ['copying'], to: 'linking' })
  crashpoint('move.step', 'copied')
}

/** Step 3, before anything is written on the target. */
async function link(move: Move, sides: Sides): Promise<void> {
  const [from, to] = [sides.of(move.target), sides.of(move.source)]
  await publish(move, from)
  if (!(await isSubscribed(move, from, to))) await subscribe(move, { from, to, copies: false })
  await changeState(sides.control, move.workspace, { from: ['linking'], to: 'comparing' })
  crashpoint('move.step', 'linked')
}

/** Step 4. */
async function compare(move: Move, sides: Sides, print: (line: string) => void): Promise<void> {
  const [from, to] = [sides.of(move.active), sides.of(otherShard(move, move.active))]
  const { rows, ...comparison } = await compareSettled(move.workspace, from, to)
  print(`Compared ${rows} rows.`)
  await recordComparison(sides.control, move.workspace, comparison)
  crashpoint('move.step', 'compared')
}

/** Ends a cut-over that was not committed. */
async function cancel({ workspace, active }: Move, sides: Sides): Promise<void> {
  await changeState(sides.control, workspace, { from: ['comparing', 'fencing'], to: 'watching' })
  await liftFence(sides.of(active).client, workspace, null)
}

/** Step 10. On the shard that the workspace has left, the row in `placements` stays. */
async function cleanUp(move: Move, sides: Sides, print: (line: string) => void): Promise<void> {
  const [kept, left] = [sides.of(move.active), sides.of(otherShard(move, move.active))]
  await liftFence(kept.client, move.workspace, null)
  await pointTo(left.client, move.workspace, kept.name)
  await stopReplication(move, sides)
  crashpoint('move.step', 'disconnected')
  const deleted = await deleteRows(left, move.workspace)
  print(`Deleted ${deleted} rows on ${left.name}.`)
  crashpoint('move.step', 'cleaned')
  await deleteMove(sides.control, move.workspace)
}
