/** Whether standbys receive the changes of the database in time. */
import { maxCommitWaitMs } from '../platform/db/commit-monitor.ts'
import { readServerStatus, type ServerStatus, type Standby } from '../platform/db/server-status.ts'
import { type Check, type CheckFinding, fail, inMb, listSome, ok, warn } from './check.ts'

const replication: Check = {
  id: 'replication',
  title: 'Replication',
  perDatabase: true,
  run: async ({ owner }) => assessReplication(await owner.withClient(readServerStatus)),
}

/** A standby that is further behind takes longer than a minute to become the primary. */
const warnLagBytes = 256 * 1_048_576

const missingStandbyAdvice =
  'Start the standbys and check their connection to the primary. Writes are accepted again as soon as one confirms a commit. See docs/operations/high-availability.md.'

export function assessReplication(status: ServerStatus): CheckFinding {
  const { standbys, isSynchronous, waitingCommits, longestCommitWaitMs } = status
  // The database check reports that the database is a standby.
  if (status.isStandby) return ok('Not checked on a standby.')
  if (longestCommitWaitMs >= maxCommitWaitMs)
    return fail(
      `${waitingCommits} ${waitingCommits === 1 ? 'commit waits' : 'commits wait'} for a synchronous standby, for up to ${Math.round(longestCommitWaitMs / 1000)} s. Writes are refused.`,
      missingStandbyAdvice,
    )
  if (standbys.some(({ syncState }) => syncState === null))
    return ok(
      `Standbys: ${standbys.length}. Their state is not visible to this user: grant pg_monitor to this user.`,
    )
  const confirming = standbys.filter(({ syncState }) => syncState === 'sync' || syncState === 'quorum')
  if (isSynchronous && confirming.length === 0)
    return fail('No synchronous standby is connected, so every commit waits.', missingStandbyAdvice)
  const late = standbys.filter(({ lagBytes }) => (lagBytes ?? 0) > warnLagBytes)
  if (late.length > 0)
    return warn(
      `Standbys that are behind: ${listSome(late.map(describe))}.`,
      'Check the CPU, the disk and the network of the standby. A failover to it would take longer.',
    )
  if (standbys.length === 0) return ok('No standby is connected.')
  return ok(`Standbys: ${listSome(standbys.map(describe))}.`)
}

const describe = ({ name, syncState, lagBytes }: Standby) =>
  `${name} (${syncState}, ${inMb(lagBytes ?? 0)} behind)`

export const replicationChecks = [replication]
