// What cannot be brought about on a server that other tests share is judged by its figures; that the figures can be
// read at all is seen on the real one.

import { expect, test } from 'vitest'
import { newDatabase } from '../../test/support/database.ts'
import {
  archiveFacts,
  connectionFacts,
  roomFacts,
  slotFacts,
  tidyFacts,
  transactionFacts,
} from '../platform/db/inspect-upkeep.ts'
import { asOwner } from '../platform/db/owner.ts'
import { volumeOf } from '../platform/disk.ts'
import { judgeNats } from './engine.ts'
import { judgeRoom, type Room } from './room.ts'
import { judgeArchive, judgeConnections, judgeSlots, judgeTidiness, judgeTransactions } from './upkeep.ts'

const gb = 2 ** 30
const slot = { name: 'standby', isActive: true, isLost: false, heldBytes: 0 }
const room: Room = {
  database: { databaseBytes: 8 * gb, walBytes: gb, dataDirectory: null },
  ...{ volume: null, volumeGb: null, nats: null },
}

// biome-ignore format: a table.
test.each([
  [judgeConnections({ used: 100, limit: 200 }),                                   'ok',   /^100 of 200/],
  [judgeConnections({ used: 170, limit: 200 }),                                   'warn', /^170 of 200/],
  [judgeConnections({ used: 195, limit: 200 }),                                   'fail', /^195 of 200/],
  [judgeTransactions({ oldestSeconds: 20, hidden: 0 }),                                                         'ok',   /None/],
  [judgeTransactions({ oldestSeconds: 600, hidden: 0 }),                                                        'warn', /10 minutes/],
  [judgeTransactions({ oldestSeconds: 7_200, hidden: 0 }),                                                      'fail', /120 minutes/],
  [judgeTransactions({ oldestSeconds: 20, hidden: 7 }),                           'ok',   /nothing of 7 sessions.*pg_read_all_stats/],
  [judgeTidiness({ littered: [], oldestAge: 2e8 }),                               'ok',   /keeps up/],
  [judgeTidiness({ littered: [{ table: 'events', share: 0.4 }], oldestAge: 2e8 }), 'warn', /events \(40 %\)/],
  [judgeTidiness({ littered: [], oldestAge: 6e8 }),                               'warn', /600 million/],
  [judgeTidiness({ littered: [], oldestAge: 16e8 }),                              'fail', /1600 million/],
  [judgeSlots([]),                                                                'ok',   /none/],
  [judgeSlots([{ ...slot, heldBytes: 2 * gb }]),                                  'ok',   /none far behind/],
  [judgeSlots([{ ...slot, isActive: false, heldBytes: 2 * gb }]),                 'warn', /standby \(2,048 MB\)/],
  [judgeSlots([{ ...slot, heldBytes: 30 * gb }]),                                 'fail', /standby/],
  [judgeSlots([{ ...slot, isLost: true }]),                                       'fail', /standby .* gone/],
  [judgeArchive({ isOn: false, failingForSeconds: null, lastFailed: null }),      'ok',   /off/],
  [judgeArchive({ isOn: true, failingForSeconds: null, lastFailed: null }),       'ok',   /is archived/],
  [judgeArchive({ isOn: true, failingForSeconds: 600, lastFailed: '000A' }),      'fail', /10 minutes: 000A/],
  [judgeNats({ version: '2.12.1', hasJetStream: true }),                          'ok',   /2\.12\.1/],
  [judgeNats({ version: '3.0.0-beta', hasJetStream: true }),                      'ok',   /3\.0\.0/],
  [judgeNats({ version: '2.9.25', hasJetStream: true }),                          'fail', /2\.9\.25/],
  [judgeNats({ version: '2.12.1', hasJetStream: false }),                         'fail', /without JetStream/],
  [judgeRoom(room),                                                               'ok',   /not known: set DATABASE_DISK_GB/],
  [judgeRoom({ ...room, volumeGb: 100 }),                                         'ok',   /9 % full/],
  [judgeRoom({ ...room, volumeGb: 11 }),                                          'warn', /81 % full/],
  [judgeRoom({ ...room, volumeGb: 9 }),                                           'fail', /100 % full/],
  // What the volume itself says counts more than what was said of it.
  [judgeRoom({ ...room, volumeGb: 9, volume: { freeBytes: 5, totalBytes: 10 } }), 'ok',   /50 % full/],
  [judgeRoom({ ...room, nats: { usedBytes: 95, limitBytes: 100 } }),              'fail', /store of NATS is 95 %/],
  [judgeRoom({ ...room, nats: { usedBytes: 95, limitBytes: null } }),             'ok',   /Databases 8,192 MB/],
])('figures become a verdict: %j', ({ status, detail }, expected, words) => {
  expect(status).toBe(expected)
  expect(detail).toMatch(words)
})

test('the figures are those of the server', async () => {
  const url = await newDatabase()
  const found = await asOwner(url, async (client) => {
    await client.query('begin')
    return asOwner(url, async (other) => ({
      connections: await connectionFacts(other),
      transactions: await transactionFacts(other),
      slots: await slotFacts(other),
      archive: await archiveFacts(other),
      tidy: await tidyFacts(other),
      room: await roomFacts(other),
    }))
  })
  const { connections, transactions, slots, archive, tidy, room: size } = found

  expect(connections.used).toBeGreaterThanOrEqual(2)
  expect(connections.limit).toBe(197)
  expect(transactions.oldestSeconds).toBeGreaterThan(0)
  expect(transactions.hidden).toBe(0)
  expect(slots).toEqual([])
  expect(archive.isOn).toBe(false)
  expect(tidy.oldestAge).toBeGreaterThan(0)
  expect(size.databaseBytes).toBeGreaterThan(1e6)
  expect(size.walBytes).toBeGreaterThan(1e6)
  const volume = await volumeOf(size.dataDirectory ?? '')
  expect(volume?.freeBytes).toBeLessThan(volume?.totalBytes ?? 0)
  expect(await volumeOf('a/folder/that/is/not/here')).toBeNull()
})

test('a user who may see little still gets an answer, counts the sessions of others, and says what it does not see', async () => {
  const url = await newDatabase()
  const found = await asOwner(url, (client) =>
    asOwner(url, async (other) => {
      await client.query('begin')
      await other.query('set role switchyard_app')
      return {
        connections: await connectionFacts(other),
        transactions: await transactionFacts(other),
        room: await roomFacts(other),
      }
    }),
  )
  const { connections, transactions } = found

  expect(found.room).toMatchObject({ walBytes: null, dataDirectory: null })
  // Others come and go on this server meanwhile; the two of this test stay, and belong to another user.
  expect(connections.used).toBeGreaterThanOrEqual(2)
  expect(transactions.hidden).toBeGreaterThanOrEqual(2)
  expect(judgeTransactions({ ...transactions, oldestSeconds: 0 }).detail).toMatch(/grant pg_read_all_stats/)
})
