// Property tests over random histories of a subscription: each second is accounted for once, and each used
// second is billed once.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pureRuns } from '../../../../../test/support/property-runs.ts'
import { day, histories, runHistory } from '../../../../../test/support/subscription-histories.ts'
import {
  advanceOnce,
  advanceTime,
  ids,
  type Span,
  type SubscriptionSimulation,
  snapshotOf,
} from '../../../../../test/support/subscription-simulation.ts'
import { secondsBetween } from '../../../../kernel/calendar.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Id } from '../../../../kernel/id.ts'
import { amountOf, type LineDraft, totalOf } from '../../../../kernel/invoice-lines.ts'
import { subscriptionMachine } from '../machine.ts'
import { type Item, isActivating, type Subscription } from '../subscription.ts'
import { planAllDue } from './advance.ts'
import { lengthOf } from './period.ts'
import { snapshotAfter } from './snapshot.ts'

const lengthUntil = ({ startAt, endAt }: Span, until: Date) =>
  Math.max(0, secondsBetween(startAt, endAt === null || endAt > until ? until : endAt))

/** False if the subscription is parked, or waits for a payment beyond the end of its period. */
const isAccountedFor = ({ subscription, now }: SubscriptionSimulation) =>
  subscription.parked === null &&
  !(isActivating(subscription) && (subscription.currentPeriod?.endAt ?? now) < now)

test('trial, billed and paused seconds add up to the elapsed time, without a gap', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const simulation = runHistory(history)
      // Apply the actions that are due at exactly this time.
      advanceTime(simulation, 0)
      const { subscription, now, spans } = simulation
      fc.pre(isAccountedFor(simulation))
      const until = subscription.endedAt ?? now
      const sorted = spans.toSorted((a, b) => a.startAt.getTime() - b.startAt.getTime())
      const accounted = sorted.reduce((sum, span) => sum + lengthUntil(span, until), 0)
      expect(accounted).toBe(secondsBetween(subscription.startedAt, until))
      for (const [index, { startAt }] of sorted.slice(1).entries())
        expect(startAt).toEqual(sorted[index]?.endAt)
    }),
    pureRuns,
  )
})

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, value) => sum + value, 0)

/** The seconds of an invoice that were used, returned or forfeited, or are kept for later. */
function accountedSecondsOf(
  { spans, releases, subscription }: SubscriptionSimulation,
  id: Id<'invoice'>,
): number {
  const { pause, currentPeriod } = subscription
  const used = spans
    .filter(({ invoiceId }) => invoiceId === id)
    .map(({ startAt, endAt }) => secondsBetween(startAt, endAt as Date))
  const released = releases
    .filter(({ invoiceId, as }) => invoiceId === id && as !== 'kept')
    .map((release) => release.seconds)
  const kept = pause !== null && currentPeriod?.invoiceId === id ? pause.remainingSeconds : 0
  return sumOf(used) + sumOf(released) + kept
}

/**
 * Whether the subscription stopped while its first payment was in progress, so that the outcome is unknown.
 */
const isUndecided = ({ activation, status }: Subscription, id: Id<'invoice'>) =>
  activation?.invoiceId === id && (activation.state !== 'done' || status === 'cancelled')

test('the spans of an invoice plus credited, refunded and forfeited time equal its period', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const simulation = runHistory(history)
      for (const [id, { draft, status }] of simulation.invoices) {
        if (draft.period === null || status === 'void' || isUndecided(simulation.subscription, id)) continue
        const length = secondsBetween(draft.period.startAt, draft.period.endAt)
        expect(accountedSecondsOf(simulation, id)).toBe(length)
        // Pauses do not change the length, so that proration keeps its denominator.
        const { currentPeriod } = simulation.subscription
        if (currentPeriod?.invoiceId === id) expect(lengthOf(currentPeriod)).toBe(length)
      }
    }),
    pureRuns,
  )
})

/** Lengths in days of the intervals the histories use. Daylight saving time can add or remove an hour. */
const lengths = [
  [1, 1],
  [14, 14],
  [28, 31],
  [365, 366],
] as const
const isOneInterval = (seconds: number) =>
  lengths.some(([shortest, longest]) => seconds >= shortest * day - 3600 && seconds <= longest * day + 3600)

test('a period has the length of one interval, even after its anchor was moved', () => {
  fc.assert(
    fc.property(histories, (history) => {
      for (const { draft } of runHistory(history).invoices.values())
        if (draft.period !== null)
          expect(isOneInterval(secondsBetween(draft.period.startAt, draft.period.endAt))).toBe(true)
    }),
    pureRuns,
  )
})

type BilledItem = Pick<LineDraft, 'subscriptionItemId' | 'priceId' | 'quantity'>
const keyOf = ({ subscriptionItemId, priceId, quantity }: BilledItem) =>
  `${subscriptionItemId} ${priceId} ${quantity}`
const keyOfItem = (item: Item) => keyOf({ ...item, subscriptionItemId: item.id })

class Tally {
  readonly #seconds = new Map<string, number>()

  add(key: string, seconds: number): void {
    this.#seconds.set(key, (this.#seconds.get(key) ?? 0) + seconds)
  }

  get entries(): Record<string, number> {
    return Object.fromEntries([...this.#seconds].filter(([, seconds]) => seconds !== 0).toSorted())
  }
}

function billedIn({ invoices, pending }: SubscriptionSimulation): Tally {
  const tally = new Tally()
  const valid = [...invoices.values()].filter(({ status }) => status !== 'void')
  for (const line of [...valid.flatMap(({ draft }) => draft.lines), ...pending]) {
    const { rule, numeratorSeconds } = line.explanation
    tally.add(keyOf(line), rule === 'unused' ? -numeratorSeconds : numeratorSeconds)
  }
  return tally
}

/** How long each item was part of a running period, or will be part of a period that is kept for later. */
function usedIn({ spans, items, subscription }: SubscriptionSimulation): Tally {
  const tally = new Tally()
  for (const span of spans.filter(({ kind }) => kind === 'cycle')) addUsed(tally, span, items)
  const { pause, currentPeriod } = subscription
  if (pause !== null && currentPeriod !== null)
    for (const item of subscription.items) tally.add(keyOfItem(item), pause.remainingSeconds)
  return tally
}

/** Adds the items of each part of a span between two changes. */
function addUsed(tally: Tally, { startAt, endAt }: Span, items: SubscriptionSimulation['items']): void {
  const end = endAt as Date
  const changes = items.map(({ at }) => at).filter((at) => at > startAt && at < end)
  const edges = [startAt, ...changes, end]
  for (const [index, to] of edges.slice(1).entries()) {
    const from = edges[index] as Date
    const currentItems = items.findLast(({ at }) => at <= from)?.items ?? []
    for (const item of currentItems) tally.add(keyOfItem(item), secondsBetween(from, to))
  }
}

test('no second is billed twice for one item, and every used second is billed', () => {
  let compared = 0
  fc.assert(
    fc.property(histories, (history) => {
      const simulation = runHistory(history)
      const { subscription, releases, invoices } = simulation
      // Forfeited time stays billed, refunded time has no lines, and `unused_paid` lines have no seconds.
      const lines = [...invoices.values()].flatMap(({ draft }) => draft.lines)
      const isComparable =
        !releases.some(({ as }) => as === 'refunded' || as === 'forfeited') &&
        !lines.some(({ explanation }) => explanation.rule === 'unused_paid') &&
        (subscription.activation === null || subscription.activation.state === 'done')
      if (!isComparable) return
      compared += 1
      expect(billedIn(simulation).entries).toEqual(usedIn(simulation).entries)
    }),
    pureRuns,
  )
  expect(compared).toBeGreaterThan(pureRuns.numRuns / 5)
})

test('the amount of each line can be recomputed from its explanation', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { invoices, pending } = runHistory(history)
      for (const line of [...[...invoices.values()].flatMap(({ draft }) => draft.lines), ...pending])
        expect(amountOf(line.explanation)).toBe(line.amount)
    }),
    pureRuns,
  )
})

test('stopping returns at most the amount that was paid for the period', () => {
  fc.assert(
    fc.property(histories, (history) => {
      let paid = 0n
      runHistory(history, (simulation) => {
        const returns = [...simulation.invoices.values()].filter(({ draft }) => isReturn(draft.lines))
        for (const { draft } of returns.slice(-1)) expect(-totalOf(draft.lines) <= paid).toBe(true)
        expect(simulation.refunded <= paid).toBe(true)
        paid = sumPaid(simulation)
      })
    }),
    pureRuns,
  )
})

const isReturn = (lines: readonly LineDraft[]) =>
  lines.length > 0 && lines.every(({ explanation }) => explanation.rule.startsWith('unused'))
const sumPaid = ({ invoices }: SubscriptionSimulation) =>
  [...invoices.values()]
    .filter(({ status, draft }) => status === 'paid' && totalOf(draft.lines) > 0n)
    .reduce((sum, { draft }) => sum + totalOf(draft.lines), 0n)

test('due actions run once: planning again finds nothing to do', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const simulation = runHistory(history)
      advanceTime(simulation, 0)
      const { version } = simulation.subscription
      expect(advanceOnce(simulation)).toBe(false)
      expect(simulation.subscription.version).toBe(version)
    }),
    pureRuns,
  )
})

const soon = fc.integer({ min: 1, max: 20 * day })

test('applying due actions in one step or in two leads to the same state', () => {
  fc.assert(
    fc.property(histories, soon, soon, (history, one, two) => {
      const simulation = runHistory(history)
      advanceTime(simulation, 0)
      const snapshot = snapshotOf(simulation)
      const [middle, end] = [addSeconds(simulation.now, one), addSeconds(simulation.now, one + two)]
      const once = snapshotAfter(snapshot, planAllDue(snapshot, end, ids)).subscription
      const first = snapshotAfter(snapshot, planAllDue(snapshot, middle, ids))
      const twice = snapshotAfter(first, planAllDue(first, end, ids)).subscription
      // The activation window starts when it is opened, which depends on when the actions are applied.
      if (once.status !== 'active' || once.parked !== null) return
      expect(comparableOf(twice)).toEqual(comparableOf(once))
    }),
    pureRuns,
  )
})

const comparableOf = ({ status, anchor, currentPeriod, items }: Subscription) => ({
  status,
  anchor,
  items,
  period: currentPeriod && { ...currentPeriod, invoiceId: null },
})

test('every transition is in the state machine, and a cancelled subscription never changes', () => {
  const transitions = new Set(subscriptionMachine.rows.map(({ from, to }) => `${from} ${to}`))
  fc.assert(
    fc.property(histories, (history) => {
      let before = { status: 'trialing', version: 0 }
      runHistory(history, ({ subscription }) => {
        const { status, version } = subscription
        if (before.status === 'cancelled') expect({ status, version }).toEqual(before)
        // Several transitions may have happened between two observations.
        else if (version === before.version + 1) expect(transitions).toContain(`${before.status} ${status}`)
        expectValid(subscription)
        before = { status, version }
      })
    }),
    pureRuns,
  )
})

/** The constraints of the database table. */
function expectValid({ status, pause, endedAt, currentPeriod }: Subscription): void {
  expect(pause !== null).toBe(status === 'paused')
  expect(endedAt !== null).toBe(status === 'cancelled')
  if (status === 'active') expect(currentPeriod).not.toBeNull()
  if (currentPeriod !== null) expect(lengthOf(currentPeriod)).toBeGreaterThan(0)
}
