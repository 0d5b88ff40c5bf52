/**
 * Maintenance of the database: connections, old transactions, dead rows, replication slots, the WAL archive and pending
 * audit entries.
 */
import { oldestWaitingAuditSeconds } from '../platform/db/inspect.ts'
import {
  type ArchiveFacts,
  archiveFacts,
  type ConnectionFacts,
  connectionFacts,
  type SlotFacts,
  slotFacts,
  type TransactionFacts,
  transactionFacts,
  type VacuumFacts,
  vacuumFacts,
} from '../platform/db/inspect-upkeep.ts'
import { type Check, type CheckFinding, fail, inMb, listSome, ok, warn } from './check.ts'

const connections: Check = {
  id: 'connections',
  title: 'Connections',
  perDatabase: true,
  run: async ({ owner }) => assessConnections(await owner.withClient(connectionFacts)),
}

export function assessConnections({ used, limit }: ConnectionFacts): CheckFinding {
  const detail = `${used} of ${limit} database connections are in use.`
  const advice =
    'Raise max_connections, lower DATABASE_POOL, or run fewer processes: each opens DATABASE_POOL connections and up to ten more.'
  if (used > limit * 0.95) return fail(detail, advice)
  return used > limit * 0.8 ? warn(detail, advice) : ok(detail)
}

const transactions: Check = {
  id: 'transactions',
  title: 'Old transactions',
  perDatabase: true,
  run: async ({ owner }) => assessTransactions(await owner.withClient(transactionFacts)),
}

/**
 * Transactions of Switchyard end within half a minute, so an older one belongs to a person or a hung process.
 */
const [warnSeconds, failSeconds] = [300, 3_600]

export function assessTransactions({ oldestSeconds, hidden }: TransactionFacts): CheckFinding {
  if (oldestSeconds < warnSeconds)
    return ok(
      hidden === 0
        ? 'No long-running transactions.'
        : `No long-running transactions are visible to this user. ${hidden} sessions of other users are hidden: grant pg_read_all_stats to this user.`,
    )
  const detail = `A transaction has been open for ${Math.round(oldestSeconds / 60)} minutes. Vacuum cannot remove dead rows until it ends.`
  const advice =
    'Find it with select pid, usename, xact_start, query from pg_stat_activity order by xact_start (or in pg_prepared_xacts), and end it with pg_terminate_backend.'
  return oldestSeconds < failSeconds ? warn(detail, advice) : fail(detail, advice)
}

const vacuum: Check = {
  id: 'vacuum',
  title: 'Dead rows',
  perDatabase: true,
  run: async ({ owner }) => assessVacuum(await owner.withClient(vacuumFacts)),
}

/**
 * The server starts to freeze rows automatically at 200 million, and stops accepting writes at about two
 * billion.
 */
const [warnAge, failAge] = [500_000_000, 1_500_000_000]

export function assessVacuum({ bloatedTables, oldestAge }: VacuumFacts): CheckFinding {
  const age = `The oldest rows are ${Math.round(oldestAge / 1_000_000)} million transactions old.`
  const freeze =
    'Run vacuum (freeze) on the database, and find out what blocks autovacuum: old transactions, replication slots, or its settings.'
  if (oldestAge > failAge)
    return fail(age, `${freeze} At two billion transactions the server stops accepting writes.`)
  if (oldestAge > warnAge) return warn(age, freeze)
  if (bloatedTables.length === 0) return ok('Autovacuum keeps up.')
  const tables = bloatedTables.map(({ table, share }) => `${table} (${Math.round(share * 100)}%)`)
  return warn(
    `Many dead rows in ${listSome(tables)}.`,
    'Check for old transactions first, then run vacuum (analyze) on these tables, and configure autovacuum to run more often.',
  )
}

const slots: Check = {
  id: 'slots',
  title: 'Replication slots',
  perDatabase: true,
  run: async ({ owner }) => assessSlots(await owner.withClient(slotFacts)),
}

const gigabyte = 2 ** 30

export function assessSlots(slots: readonly SlotFacts[]): CheckFinding {
  const lost = slots.filter(({ isLost }) => isLost).map(({ name }) => name)
  if (lost.length > 0)
    return fail(
      `The replication slot ${listSome(lost)} exceeded the WAL limit, and its WAL was removed.`,
      'Rebuild that standby, and drop the slot with pg_drop_replication_slot.',
    )
  const retaining = slots.filter(({ heldBytes, isActive }) => heldBytes > (isActive ? 10 : 1) * gigabyte)
  if (retaining.length === 0)
    return ok(
      slots.length === 0
        ? 'No replication slots.'
        : `${slots.length} replication ${slots.length === 1 ? 'slot' : 'slots'}, none far behind.`,
    )
  const detail = `WAL is retained for ${listSome(retaining.map(({ name, heldBytes }) => `${name} (${inMb(heldBytes)})`))}.`
  const advice =
    'Restart that standby. If it no longer exists: select pg_drop_replication_slot(name). Otherwise the disk fills up.'
  return retaining.some(({ heldBytes }) => heldBytes > 20 * gigabyte)
    ? fail(detail, advice)
    : warn(detail, advice)
}

const archive: Check = {
  id: 'archive',
  title: 'WAL archive',
  perDatabase: true,
  run: async ({ owner }) => assessArchive(await owner.withClient(archiveFacts)),
}

export function assessArchive(facts: ArchiveFacts): CheckFinding {
  const { isOn, hasDestination, failingForSeconds, lastFailed } = facts
  if (!isOn)
    return warn(
      'archive_mode is off: a restore loses all data written after the last backup.',
      'Set up the WAL archive as described in docs/operations/backup-and-restore.md. Ignore this for a managed database with its own point-in-time recovery.',
    )
  if (!hasDestination)
    return fail(
      'archive_mode is on, but neither archive_command nor archive_library is set: nothing is archived, and WAL fills the disk.',
      'Set archive_command as in docs/operations/backup-and-restore.md, and reload the configuration of PostgreSQL.',
    )
  if (failingForSeconds === null) return ok('WAL is archived.')
  return fail(
    `No WAL has been archived for ${Math.round(failingForSeconds / 60)} minutes: archiving ${lastFailed} failed.`,
    'Search for archive_command in the database log. Until it works, WAL fills the disk and new changes are not backed up.',
  )
}

const auditEntries: Check = {
  id: 'audit_entries',
  title: 'Audit entries',
  run: async ({ databases }) =>
    assessAuditEntries(await databases.control.as('switchyard_control', oldestWaitingAuditSeconds)),
}

/** Entries are normally appended to the audit log before the response is sent; if that fails, within ten seconds. */
const auditWarnSeconds = 300

export function assessAuditEntries(oldestSeconds: number): CheckFinding {
  if (oldestSeconds < auditWarnSeconds) return ok('All entries are in the audit logs of their workspaces.')
  return warn(
    `An audit entry for a change to a person or organization has been pending for ${Math.round(oldestSeconds / 60)} minutes.`,
    'Read the error in the log of the workers, and docs/operations/runbooks/audit-entries-waiting.md. The entry is not lost.',
  )
}

export const upkeepChecks = [connections, transactions, vacuum, slots, archive, auditEntries]
