import { expect, test } from 'vitest'
import { type Budget, decideAttempt, networksOf, type SessionTries } from './limits.ts'

const now = new Date('2026-11-14T12:00:00.000Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const limits = { windowSeconds: 600, network: 20, link: 100, workspace: 300 }
const scopes = ['network', 'card', 'link', 'workspace'] as const
const newSession: SessionTries = { cards: 0, declines: 0, isNewCard: true }

type BudgetChanges = { readonly [S in Budget['scope']]?: Partial<Budget> }

function budgets(changes: BudgetChanges): Budget[] {
  const unused = { level: 0, reserve: 0, open: 0, declinedAt: null, updatedAt: now }
  return scopes.map((scope) => ({ scope, key: scope, ...unused, ...changes[scope] }))
}
const recentDecline = { declinedAt: ago(60) }

// biome-ignore format: a table.
test.each([
  // budgets,                                                     tries in the session,        rejected by, wait
  [{},                                                            {},                          null,        null],
  [{ network: { level: 19 } },                                    {},                          null,        null],
  [{ network: { level: 20 } },                                    {},                          'network',   30],
  // Units are returned at a constant rate: one of twenty every thirty seconds.
  [{ network: { level: 20, updatedAt: ago(30) } },                {},                          null,        null],
  [{ network: { level: 20, updatedAt: ago(29) } },                {},                          'network',   1],
  // The budget is used up by payments in progress, which end within seconds.
  [{ network: { level: 20, open: 20 } },                          {},                          'network',   2],
  // Approvals add credit, up to five times the budget. It decays at a constant rate.
  [{ network: { level: -100 } },                                  {},                          null,        null],
  [{ card: { level: 2 } },                                        {},                          null,        null],
  [{ card: { level: 3 } },                                        {},                          'card',      1200],
  [{ card: { level: 3, updatedAt: ago(1200) } },                  {},                          null,        null],
  [{},                                                            { cards: 3 },                'session',   null],
  [{},                                                            { cards: 3, isNewCard: false }, null,     null],
  [{},                                                            { declines: 5 },             'session',   null],
  // The budget of the link is used up: only networks without recent declines continue, using the reserve.
  [{ link: { level: 100 } },                                      {},                          null,        null],
  [{ link: { level: 100 }, network: recentDecline },                      {},                          'link',      6],
  [{ link: { level: 100 }, network: { declinedAt: ago(3601) } },  {},                          null,        null],
  [{ link: { level: 100 }, network: { open: 1, level: 1 } },      {},                          'link',      6],
  [{ link: { level: 100 }, network: { ...recentDecline, level: -1 } },    {},                          null,        null],
  [{ link: { level: 100, reserve: 399 } },                        {},                          null,        null],
  [{ link: { level: 100, reserve: 400 } },                        {},                          'link',      2],
  [{ workspace: { level: 300 }, network: recentDecline },                 {},                          'workspace', 2],
  [{ workspace: { level: 300, reserve: 1200 } },                  {},                          'workspace', 1],
  [{ link: { level: 100 }, network: { ...recentDecline, level: 20 } },    {},                          'network',   30],
] as const)('%j with %j: rejected by %s, wait %s seconds', (changes, session, by, waitSeconds) => {
  const decision = decideAttempt(limits, budgets(changes), { ...newSession, ...session }, now)

  expect(decision).toMatchObject(by === null ? { ok: true } : { ok: false, by, waitSeconds })
})

test('a try uses a unit of each budget, or of the reserves of link and workspace if either budget is used up', () => {
  const withinBudget = decideAttempt(limits, budgets({ link: { level: 5 } }), newSession, now)
  const fromReserve = decideAttempt(limits, budgets({ link: { level: 100, reserve: 7 } }), newSession, now)

  expect(withinBudget).toMatchObject({ usesReserve: false, raisesAlarm: false })
  expect(withinBudget).toMatchObject({
    updates: [{ level: 1 }, { level: 1 }, { level: 6, reserve: 0 }, { level: 1, reserve: 0 }],
  })
  expect(fromReserve).toMatchObject({ usesReserve: true, raisesAlarm: true })
  expect(fromReserve).toMatchObject({
    updates: [{ level: 1 }, { level: 1 }, { level: 100, reserve: 8 }, { level: 0, reserve: 1 }],
  })
})

test('a budget used up by declines raises an alarm, and one used up by payments in progress does not', () => {
  const alarming = decideAttempt(
    limits,
    budgets({ link: { level: 100 }, network: recentDecline }),
    newSession,
    now,
  )
  const busy = decideAttempt(
    limits,
    budgets({ link: { level: 100, open: 90 }, network: recentDecline }),
    newSession,
    now,
  )

  expect(alarming).toMatchObject({ ok: false, raisesAlarm: true })
  expect(busy).toMatchObject({ ok: false, raisesAlarm: false, waitSeconds: 2 })
})

test('credit is limited to five times the budget, after any number of approvals', () => {
  const decideAtLevel = (level: number) =>
    decideAttempt(limits, budgets({ network: { level } }), newSession, now)

  expect(decideAtLevel(-5_000)).toMatchObject({ ok: true, updates: [{ level: -99 }, {}, {}, {}] })
})

// biome-ignore format: a table.
test.each([
  ['192.0.2.17',             ['192.0.2.0/24']],
  ['::ffff:192.0.2.17',      ['192.0.2.0/24']],
  ['2001:db8:1:a2b3:3:4:5:6', ['2001:db8:1:a2b3::/64', '2001:db8:1:a200::/56', '2001:db8:1:0::/48']],
  ['2001:DB8:1:2::9',        ['2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1:0::/48']],
  ['2001:db8::9',            ['2001:db8:0:0::/64', '2001:db8:0:0::/56', '2001:db8:0:0::/48']],
  ['127.0.0.1',              []],
  ['::1',                    []],
  ['::ffff:127.0.0.1',       []],
])('%s belongs to the networks %j', (address, networks) => {
  expect(networksOf(address)).toEqual(networks)
})
