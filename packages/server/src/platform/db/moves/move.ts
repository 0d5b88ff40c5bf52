/**
 * The states of a move, and what is done next. A move is from `source` to `target`. While it is in progress, the workspace
 * can be cut over to either shard any number of times: `active` is the shard that serves it. No side effects.
 */
import { assert } from '../../../kernel/assert.ts'

export const moveStates = [
  'copying',
  'linking',
  'comparing',
  'fencing',
  'flipped',
  'watching',
  'cleaning',
] as const
export type MoveState = (typeof moveStates)[number]

export type Move = {
  /** As a UUID. */
  readonly workspace: string
  readonly source: string
  readonly target: string
  readonly active: string
  readonly state: MoveState
  /** Incremented by every cut-over that begins. */
  readonly attempt: number
  /** How many cut-overs were committed. */
  readonly flips: number
  /** The marker of the last cut-over that was committed. */
  readonly marker: string | null
  /** Rows that were changed since then are compared again when the workspace is fenced. */
  readonly comparedUntil: Date | null
  /** Tables that are compared completely when the workspace is fenced. */
  readonly smallTables: readonly string[]
  readonly pauseMs: number | null
  readonly startedAt: Date
  readonly changedAt: Date
}

export type Action =
  /** Copy the rows, and keep replicating the changes. */
  | 'copy'
  /** Replicate in the other direction as well. */
  | 'link'
  | 'compare'
  /** Fence, drain, verify and flip. */
  | 'cut_over'
  /** Open the workspace on the shard to which it was flipped. */
  | 'open'
  /** Begin a cut-over between shards that replicate to each other. */
  | 'begin'
  /** End a cut-over that was not committed. Both shards continue to replicate. */
  | 'cancel'
  /** End a move that never served the workspace from the target. */
  | 'undo'
  /** Delete the rows of the workspace on the other shard. */
  | 'clean_up'
  | 'done'

const towards: { readonly [S in MoveState]: Action } = {
  copying: 'copy',
  linking: 'link',
  comparing: 'compare',
  fencing: 'cut_over',
  flipped: 'open',
  watching: 'begin',
  cleaning: 'clean_up',
}

/** What to do next, so that `goal` serves the workspace. */
export function nextAction({ state, active, flips }: Move, goal: string): Action {
  if (active !== goal || state === 'flipped' || state === 'cleaning') return towards[state]
  if (state === 'watching') return 'done'
  return flips === 0 ? 'undo' : 'cancel'
}

export function otherShard({ source, target }: Move, shard: string): string {
  assert(shard === source || shard === target, `The move is between ${source} and ${target}, not ${shard}.`)
  return shard === source ? target : source
}

/**
 * After this time, a fence whose mover has stopped is lifted, or the workspace is opened on the other shard
 * if the cut-over was committed.
 */
export const maxFenceMs = 10_000

/** How long a workspace is watched after a cut-over before the rows on the other shard may be deleted. */
export const watchSeconds = 24 * 60 * 60

/** The name of the publication, the subscription and the slot from one shard to the other. */
export function replicationName(move: Move, from: string): string {
  const direction = from === move.source ? 'forth' : 'back'
  return `switchyard_move_${move.workspace.replaceAll('-', '')}_${direction}`
}

export const replicationPrefix = 'switchyard_move_'
