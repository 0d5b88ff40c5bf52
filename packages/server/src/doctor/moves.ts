/** Checks moves of workspaces between data shards: old fences, and replication slots that retain WAL. */
import { type MoveFacts, moveFacts } from '../platform/db/moves/inspect.ts'
import { type Check, type CheckFinding, fail, inMb, listSome, ok, warn } from './check.ts'

const moves: Check = {
  id: 'moves',
  title: 'Moves between shards',
  run: async ({ databases, owner }) =>
    databases.shards.length === 1
      ? ok('There is one data shard.')
      : assessMoves(await owner.withClient((control) => moveFacts(control, databases.shards))),
}

/** Far more than the WAL of one minute. */
const warnHeldBytes = 2 ** 30

export function assessMoves({ moves, oldFences, slots }: MoveFacts): CheckFinding {
  if (oldFences.length > 0)
    return fail(
      `Workspaces are fenced for more than 10 seconds on ${listSome(oldFences)}: their changes wait.`,
      'A worker ends such a fence when it reaches the control plane and both shards as their owner. Check its log, DATABASE_OWNER_URL and SHARD_OWNERS, or run cells move again. See docs/operations/cells.md.',
    )
  const behind = slots.filter(({ heldBytes, isActive }) => heldBytes > warnHeldBytes || !isActive)
  if (behind.length > 0)
    return warn(
      `Moves keep WAL that is not replicated: ${listSome(behind.map(({ name, shard, heldBytes }) => `${name} on ${shard} (${inMb(heldBytes)})`))}.`,
      'Read the log of PostgreSQL on the other shard. To end the move: cells move --back, then cells clean-up.',
    )
  if (moves.length === 0) return ok('No workspace is being moved.')
  return ok(`Workspaces that are being moved: ${listSome(moves)}. See cells moves.`)
}

export const moveChecks = [moves]
