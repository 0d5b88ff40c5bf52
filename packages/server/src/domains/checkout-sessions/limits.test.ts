import { expect, test } from 'vitest'
import { type Counted, judge, networkOf, type SessionTries } from './limits.ts'

const now = new Date('2026-11-14T12:00:00.000Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const quiet: Counted = {
  ...{ networkTries: 0, networkFirstAt: null, cardTries: 0, cardFirstAt: null, ended: 0, declined: 0 },
}
const fresh: SessionTries = { cards: 0, declines: 0, isNewCard: true }
const attacked = { ended: 50, declined: 16 }

// biome-ignore format: a table.
test.each([
  // what is counted,                                     in the session,            refused by, wait
  [{},                                                    {},                        null,       null],
  [{ networkTries: 9 },                                   {},                        null,       null],
  [{ networkTries: 10, networkFirstAt: ago(100) },        {},                        'network',  500],
  [{ networkTries: 10, networkFirstAt: ago(599.5) },      {},                        'network',  1],
  [{ cardTries: 2 },                                      {},                        null,       null],
  [{ cardTries: 3, cardFirstAt: ago(600) },               {},                        'card',     3000],
  [{},                                                    { cards: 3 },              'session',  null],
  [{},                                                    { cards: 3, isNewCard: false }, null,  null],
  [{},                                                    { declines: 5 },           'session',  null],
  // Sixteen of fifty are more than 30 %: everything is halved.
  [{ ...attacked, networkTries: 4 },                      {},                        null,       null],
  [{ ...attacked, networkTries: 5, networkFirstAt: now }, {},                        'network',  600],
  [{ ...attacked, cardTries: 2, cardFirstAt: now },       {},                        'card',     3600],
  [{ ...attacked },                                       { cards: 2 },              'session',  null],
  [{ ...attacked },                                       { declines: 3, isNewCard: false }, 'session', null],
  // Fifteen are not, and neither are forty-nine of forty-nine.
  [{ ended: 50, declined: 15, networkTries: 9 },          {},                        null,       null],
  [{ ended: 49, declined: 49, networkTries: 9 },          {},                        null,       null],
] as const)('%j with %j: refused by %s, worth a try in %s seconds', (counted, session, by, waitSeconds) => {
  const verdict = judge({ ...quiet, ...counted }, { ...fresh, ...session }, now)

  expect(verdict).toMatchObject(by === null ? { ok: true } : { ok: false, by, waitSeconds })
})

test('an attack is told, whether this one is refused or not', () => {
  expect(judge({ ...quiet, ...attacked }, fresh, now)).toEqual({ ok: true, isAlarming: true })
  expect(judge({ ...quiet, ...attacked, networkTries: 5 }, fresh, now)).toMatchObject({ isAlarming: true })
  expect(judge(quiet, fresh, now)).toEqual({ ok: true, isAlarming: false })
})

// biome-ignore format: a table.
test.each([
  ['192.0.2.17',                     '192.0.2'],
  ['192.0.2.200',                    '192.0.2'],
  ['::ffff:192.0.2.17',              '192.0.2'],
  ['2001:db8:1:2:3:4:5:6',           '2001:db8:1:2'],
  ['2001:DB8:1:2::9',                '2001:db8:1:2'],
  ['2001:db8::9',                    '2001:db8:0:0'],
  ['::9',                            '0:0:0:0'],
  ['127.0.0.1',                      null],
  ['::1',                            null],
  ['::ffff:127.0.0.1',               null],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
