// Faults that cannot be caused on a shared server are tested with made-up figures. One test reads the figures
// of the real server.

import { expect, test } from 'vitest'
import { newDatabase } from '../../test/support/database.ts'
import {
  archiveFacts,
  connectionFacts,
  diskFacts,
  slotFacts,
  transactionFacts,
  vacuumFacts,
} from '../platform/db/inspect-upkeep.ts'
import { asOwner } from '../platform/db/owner.ts'
import { volumeOf } from '../platform/disk.ts'
import { assessDiskUsage, type DiskUsage } from './disk.ts'
import { assessNats } from './engine.ts'
import {
  assessArchive,
  assessAuditEntries,
  assessConnections,
  assessSlots,
  assessTransactions,
  assessVacuum,
} from './upkeep.ts'

const gb = 2 ** 30
const slot = { name: 'standby', isActive: true, isLost: false, heldBytes: 0 }
const archived = { isOn: true, hasDestination: true, failingForSeconds: null, lastFailed: null }
const usage: DiskUsage = {
  database: { databaseBytes: 8 * gb, walBytes: gb, dataDirectory: null },
  volume: null,
  volumeGb: null,
  nats: null,
}

// biome-ignore format: a table.
test.each([
  [assessConnections({ used: 100, limit: 200 }),                                   'ok',   /^100 of 200/],
  [assessConnections({ used: 170, limit: 200 }),                                   'warn', /^170 of 200/],
  [assessConnections({ used: 195, limit: 200 }),                                   'fail', /^195 of 200/],
  [assessTransactions({ oldestSeconds: 20, hidden: 0 }),                                                         'ok',   /No long-running transactions\./],
  [assessTransactions({ oldestSeconds: 600, hidden: 0 }),                                                        'warn', /10 minutes/],
  [assessTransactions({ oldestSeconds: 7_200, hidden: 0 }),                                                      'fail', /120 minutes/],
  [assessTransactions({ oldestSeconds: 20, hidden: 7 }),                           'ok',   /7 sessions of other users are hidden.*pg_read_all_stats/],
  [assessVacuum({ bloatedTables: [], oldestAge: 2e8 }),                               'ok',   /keeps up/],
  [assessVacuum({ bloatedTables: [{ table: 'events', share: 0.4 }], oldestAge: 2e8 }), 'warn', /events \(40%\)/],
  [assessVacuum({ bloatedTables: [], oldestAge: 6e8 }),                               'warn', /600 million/],
  [assessVacuum({ bloatedTables: [], oldestAge: 16e8 }),                              'fail', /1600 million/],
  [assessSlots([]),                                                                'ok',   /No replication slots/],
  [assessSlots([{ ...slot, heldBytes: 2 * gb }]),                                  'ok',   /none far behind/],
  [assessSlots([{ ...slot, isActive: false, heldBytes: 2 * gb }]),                 'warn', /standby \(2,048 MB\)/],
  [assessSlots([{ ...slot, heldBytes: 30 * gb }]),                                 'fail', /standby/],
  [assessSlots([{ ...slot, isLost: true }]),                                       'fail', /standby .* removed/],
  [assessArchive({ ...archived, isOn: false, hasDestination: false }),             'warn', /archive_mode is off/],
  [assessArchive({ ...archived, hasDestination: false }),                          'fail', /neither archive_command nor/],
  [assessArchive(archived),                                                        'ok',   /is archived/],
  [assessArchive({ ...archived, failingForSeconds: 600, lastFailed: '000A' }),     'fail', /10 minutes: archiving 000A/],
  [assessAuditEntries(299),                                                        'ok',   /All entries/],
  [assessAuditEntries(600),                                                        'warn', /10 minutes/],
  [assessNats({ version: '2.12.1', hasJetStream: true }),                          'ok',   /2\.12\.1/],
  [assessNats({ version: '3.0.0-beta', hasJetStream: true }),                      'ok',   /3\.0\.0/],
  [assessNats({ version: '2.9.25', hasJetStream: true }),                          'fail', /2\.9\.25/],
  [assessNats({ version: '2.12.1', hasJetStream: false }),                         'fail', /without JetStream/],
  [assessDiskUsage(usage),                                                               'ok',   /unknown: set DATABASE_DISK_GB/],
  [assessDiskUsage({ ...usage, volumeGb: 100 }),                                         'ok',   /9% full/],
  [assessDiskUsage({ ...usage, volumeGb: 11 }),                                          'warn', /81% full/],
  [assessDiskUsage({ ...usage, volumeGb: 9 }),                                           'fail', /100% full/],
  // The measured volume takes precedence over the configured size.
  [assessDiskUsage({ ...usage, volumeGb: 9, volume: { freeBytes: 5, totalBytes: 10 } }), 'ok',   /50% full/],
  [assessDiskUsage({ ...usage, nats: { usedBytes: 95, limitBytes: 100 } }),              'fail', /NATS store is 95%/],
  [assessDiskUsage({ ...usage, nats: { usedBytes: 95, limitBytes: null } }),             'ok',   /Databases 8,192 MB/],
])('these figures lead to the finding %j', ({ status, detail }, expected, pattern) => {
  expect(status).toBe(expected)
  expect(detail).toMatch(pattern)
})

test('the figures are read from the server', async () => {
  const url = await newDatabase()
  const facts = await asOwner(url, async (client) => {
    await client.query('begin')
    return asOwner(url, async (other) => ({
      connections: await connectionFacts(other),
      transactions: await transactionFacts(other),
      slots: await slotFacts(other),
      archive: await archiveFacts(other),
      vacuum: await vacuumFacts(other),
      disk: await diskFacts(other),
    }))
  })
  const { connections, transactions, slots, archive, vacuum, disk } = facts

  expect(connections.used).toBeGreaterThanOrEqual(2)
  expect(connections.limit).toBe(197)
  expect(transactions.oldestSeconds).toBeGreaterThan(0)
  expect(transactions.hidden).toBe(0)
  expect(slots).toEqual([])
  expect(archive.isOn).toBe(false)
  expect(vacuum.oldestAge).toBeGreaterThan(0)
  expect(disk.databaseBytes).toBeGreaterThan(1e6)
  expect(disk.walBytes).toBeGreaterThan(1e6)
  const volume = await volumeOf(disk.dataDirectory ?? '')
  expect(volume?.freeBytes).toBeLessThan(volume?.totalBytes ?? 0)
  expect(await volumeOf('a/folder/that/is/not/here')).toBeNull()
})

test('a role with few privileges gets a result, counts the sessions of others, and reports what it cannot see', async () => {
  const url = await newDatabase()
  const facts = await asOwner(url, (client) =>
    asOwner(url, async (other) => {
      await client.query('begin')
      await other.query('set role switchyard_app')
      return {
        connections: await connectionFacts(other),
        transactions: await transactionFacts(other),
        disk: await diskFacts(other),
      }
    }),
  )
  const { connections, transactions } = facts

  expect(facts.disk).toMatchObject({ walBytes: null, dataDirectory: null })
  // Other tests open and close sessions on this server. The two sessions of this test stay open and belong to
  // another role.
  expect(connections.used).toBeGreaterThanOrEqual(2)
  expect(transactions.hidden).toBeGreaterThanOrEqual(2)
  expect(assessTransactions({ ...transactions, oldestSeconds: 0 }).detail).toMatch(/grant pg_read_all_stats/)
})
