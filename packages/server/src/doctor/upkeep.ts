/** Whether the database can go on as it does: connections, old transactions, dead rows, and what keeps WAL. */
import {
  type ArchiveFacts,
  archiveFacts,
  type ConnectionFacts,
  connectionFacts,
  type SlotFacts,
  slotFacts,
  type TidyFacts,
  type TransactionFacts,
  tidyFacts,
  transactionFacts,
} from '../platform/db/inspect-upkeep.ts'
import { type Check, fail, inMb, ok, someOf, type Verdict, warn } from './check.ts'

const connections: Check = {
  id: 'connections',
  title: 'Connections',
  look: async ({ owner }) => judgeConnections(await owner.ask(connectionFacts)),
}

export function judgeConnections({ used, limit }: ConnectionFacts): Verdict {
  const detail = `${used} of ${limit} connections of the database are taken.`
  const advice =
    'Raise max_connections, lower DATABASE_POOL, or run fewer processes: each takes DATABASE_POOL and up to ten more.'
  if (used > limit * 0.95) return fail(detail, advice)
  return used > limit * 0.8 ? warn(detail, advice) : ok(detail)
}

const transactions: Check = {
  id: 'transactions',
  title: 'Old transactions',
  look: async ({ owner }) => judgeTransactions(await owner.ask(transactionFacts)),
}

/** Ours end within half a minute, so an older one is a person's, or of a program that hangs. */
const [noticedSeconds, toleratedSeconds] = [300, 3_600]

export function judgeTransactions({ oldestSeconds, hidden }: TransactionFacts): Verdict {
  if (oldestSeconds < noticedSeconds)
    return ok(
      hidden === 0
        ? 'None is open for long.'
        : `None that this user can see is open for long. It sees nothing of ${hidden} sessions of others: grant pg_read_all_stats to it.`,
    )
  const detail = `One has been open for ${Math.round(oldestSeconds / 60)} minutes, and no dead row is removed meanwhile.`
  const advice =
    'Find it with select pid, usename, xact_start, query from pg_stat_activity order by xact_start (or in pg_prepared_xacts), and end it with pg_terminate_backend.'
  return oldestSeconds < toleratedSeconds ? warn(detail, advice) : fail(detail, advice)
}

const vacuum: Check = {
  id: 'vacuum',
  title: 'Dead rows',
  look: async ({ owner }) => judgeTidiness(await owner.ask(tidyFacts)),
}

/** The server begins to freeze at 200 million by itself, and stops taking writes at about two billion. */
const [noticedAge, toleratedAge] = [500_000_000, 1_500_000_000]

export function judgeTidiness({ littered, oldestAge }: TidyFacts): Verdict {
  const age = `The oldest rows are ${Math.round(oldestAge / 1_000_000)} million transactions old.`
  const freeze =
    'Run vacuum (freeze) on the database, and see why autovacuum does not: old transactions, slots, or its settings.'
  if (oldestAge > toleratedAge) return fail(age, `${freeze} At two billion the server takes no more writes.`)
  if (oldestAge > noticedAge) return warn(age, freeze)
  if (littered.length === 0) return ok('Autovacuum keeps up.')
  const tables = littered.map(({ table, share }) => `${table} (${Math.round(share * 100)} %)`)
  return warn(
    `Much of ${someOf(tables)} is dead.`,
    'Look for old transactions first, then run vacuum (analyze) on these tables, and let autovacuum run more often.',
  )
}

const slots: Check = {
  id: 'slots',
  title: 'Replication slots',
  look: async ({ owner }) => judgeSlots(await owner.ask(slotFacts)),
}

const gigabyte = 2 ** 30

export function judgeSlots(found: readonly SlotFacts[]): Verdict {
  const lost = found.filter(({ isLost }) => isLost).map(({ name }) => name)
  if (lost.length > 0)
    return fail(
      `Of ${someOf(lost)} too much was kept, and its WAL is gone.`,
      'Build that standby anew, and drop the slot with pg_drop_replication_slot.',
    )
  const holding = found.filter(({ heldBytes, isActive }) => heldBytes > (isActive ? 10 : 1) * gigabyte)
  if (holding.length === 0)
    return ok(found.length === 0 ? 'There are none.' : `${found.length}, none far behind.`)
  const detail = `WAL is kept for ${someOf(holding.map(({ name, heldBytes }) => `${name} (${inMb(heldBytes)})`))}.`
  const advice =
    'Bring that standby back. If it is gone for good: select pg_drop_replication_slot(name). Until then the disk fills.'
  return holding.some(({ heldBytes }) => heldBytes > 20 * gigabyte)
    ? fail(detail, advice)
    : warn(detail, advice)
}

const archive: Check = {
  id: 'archive',
  title: 'Archive of WAL',
  look: async ({ owner }) => judgeArchive(await owner.ask(archiveFacts)),
}

export function judgeArchive({ isOn, failingForSeconds, lastFailed }: ArchiveFacts): Verdict {
  if (!isOn) return ok('archive_mode is off: backups are only as new as the last one taken.')
  if (failingForSeconds === null) return ok('What was written is archived.')
  return fail(
    `Nothing was archived for ${Math.round(failingForSeconds / 60)} minutes: ${lastFailed} failed.`,
    'Look into the log of the database for archive_command. Until it works, WAL fills the disk and backups grow old.',
  )
}

export const upkeepChecks = [connections, transactions, vacuum, slots, archive]
