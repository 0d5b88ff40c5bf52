// Whatever happens in the life of a subscription, every second is accounted for once, and every second that was
// lived in a period is billed once.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../test/support/cases.ts'
import { day, histories, live } from '../../../../test/support/subscription-lives.ts'
import {
  advanceOnce,
  draw,
  pass,
  type Span,
  sceneOf,
  type World,
} from '../../../../test/support/subscription-world.ts'
import { secondsBetween } from '../../../kernel/calendar.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/id.ts'
import { amountOf, type LineDraft, totalOf } from '../../../kernel/invoice-lines.ts'
import { subscriptionMachine } from '../machine.ts'
import { type Item, isActivating, type Subscription } from '../subscription.ts'
import { catchUp } from './advance.ts'
import { lengthOf } from './period.ts'
import { sceneAfter } from './scene.ts'

const lengthUntil = ({ startAt, endAt }: Span, until: Date) =>
  Math.max(0, secondsBetween(startAt, endAt === null || endAt > until ? until : endAt))

/** What is parked waits for somebody, and a payment under way may be waited for longer than its period. */
const isAccountedFor = ({ subscription, now }: World) =>
  subscription.parked === null &&
  !(isActivating(subscription) && (subscription.currentPeriod?.endAt ?? now) < now)

test('P8: trial, billed and paused seconds together are the time that was lived, without a gap', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = live(history)
      // What is due at this very moment has been done.
      pass(world, 0)
      const { subscription, now, spans } = world
      fc.pre(isAccountedFor(world))
      const until = subscription.endedAt ?? now
      const sorted = spans.toSorted((a, b) => a.startAt.getTime() - b.startAt.getTime())
      const accounted = sorted.reduce((sum, span) => sum + lengthUntil(span, until), 0)
      expect(accounted).toBe(secondsBetween(subscription.startedAt, until))
      for (const [place, { startAt }] of sorted.slice(1).entries())
        expect(startAt).toEqual(sorted[place]?.endAt)
    }),
    cases,
  )
})

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)

/** Seconds of an invoice: those lived in it, those given back or lost, and those that are kept for later. */
function accountOf({ spans, releases, subscription }: World, id: Id<'invoice'>): number {
  const { pause, currentPeriod } = subscription
  const lived = spans
    .filter(({ invoiceId }) => invoiceId === id)
    .map(({ startAt, endAt }) => secondsBetween(startAt, endAt as Date))
  const released = releases
    .filter(({ invoiceId, as }) => invoiceId === id && as !== 'kept')
    .map((release) => release.seconds)
  const kept = pause !== null && currentPeriod?.invoiceId === id ? pause.remainingSeconds : 0
  return sumOf(lived) + sumOf(released) + kept
}

/** Whether it was left while its first payment was under way: nobody knows yet what it is worth. */
const isUndecided = ({ activation, status }: Subscription, id: Id<'invoice'>) =>
  activation?.invoiceId === id && (activation.state !== 'done' || status === 'cancelled')

test('P8: the spans of an invoice and what was credited, refunded or forfeited are its period', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = live(history)
      for (const [id, { draft, status }] of world.invoices) {
        if (draft.period === null || status === 'void' || isUndecided(world.subscription, id)) continue
        const length = secondsBetween(draft.period.startAt, draft.period.endAt)
        expect(accountOf(world, id)).toBe(length)
        // However often it stood still, a change of items is a part of the same whole.
        const { currentPeriod } = world.subscription
        if (currentPeriod?.invoiceId === id) expect(lengthOf(currentPeriod)).toBe(length)
      }
    }),
    cases,
  )
})

/** Of the intervals that lives are drawn with, in days. An hour more or less is summer time. */
const lengths = [
  [1, 1],
  [14, 14],
  [28, 31],
  [365, 366],
] as const
const isOneInterval = (seconds: number) =>
  lengths.some(([least, most]) => seconds >= least * day - 3600 && seconds <= most * day + 3600)

test('a period is one interval long, wherever its anchor was moved to', () => {
  fc.assert(
    fc.property(histories, (history) => {
      for (const { draft } of live(history).invoices.values())
        if (draft.period !== null)
          expect(isOneInterval(secondsBetween(draft.period.startAt, draft.period.endAt))).toBe(true)
    }),
    cases,
  )
})

type Billed = Pick<LineDraft, 'subscriptionItemId' | 'priceId' | 'quantity'>
const keyOf = ({ subscriptionItemId, priceId, quantity }: Billed) =>
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

function billedIn({ invoices, pending }: World): Tally {
  const tally = new Tally()
  const valid = [...invoices.values()].filter(({ status }) => status !== 'void')
  for (const line of [...valid.flatMap(({ draft }) => draft.lines), ...pending]) {
    const { rule, numeratorSeconds } = line.explanation
    tally.add(keyOf(line), rule === 'unused' ? -numeratorSeconds : numeratorSeconds)
  }
  return tally
}

/** How long each item was there while a period ran, and will be in what is kept of one. */
function livedIn({ spans, items, subscription }: World): Tally {
  const tally = new Tally()
  for (const span of spans.filter(({ kind }) => kind === 'cycle')) addLived(tally, span, items)
  const { pause, currentPeriod } = subscription
  if (pause !== null && currentPeriod !== null)
    for (const item of subscription.items) tally.add(keyOfItem(item), pause.remainingSeconds)
  return tally
}

/** The items of each stretch between two changes. */
function addLived(tally: Tally, { startAt, endAt }: Span, items: World['items']): void {
  const end = endAt as Date
  const changes = items.map(({ at }) => at).filter((at) => at > startAt && at < end)
  const edges = [startAt, ...changes, end]
  for (const [place, to] of edges.slice(1).entries()) {
    const from = edges[place] as Date
    const there = items.findLast(({ at }) => at <= from)?.items ?? []
    for (const item of there) tally.add(keyOfItem(item), secondsBetween(from, to))
  }
}

test('no second is billed twice for one item, and none that was lived is left out', () => {
  let compared = 0
  fc.assert(
    fc.property(histories, (history) => {
      const world = live(history)
      const { subscription, releases, invoices } = world
      // What is lost stays billed, what is refunded has no lines, and a part of what was paid has no seconds.
      const lines = [...invoices.values()].flatMap(({ draft }) => draft.lines)
      const isWhole =
        !releases.some(({ as }) => as === 'refunded' || as === 'forfeited') &&
        !lines.some(({ explanation }) => explanation.rule === 'unused_paid') &&
        (subscription.activation === null || subscription.activation.state === 'done')
      if (!isWhole) return
      compared += 1
      expect(billedIn(world).entries).toEqual(livedIn(world).entries)
    }),
    cases,
  )
  expect(compared).toBeGreaterThan(cases.numRuns / 5)
})

test('P7: each line recomputes from its explanation', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { invoices, pending } = live(history)
      for (const line of [...[...invoices.values()].flatMap(({ draft }) => draft.lines), ...pending])
        expect(amountOf(line.explanation)).toBe(line.amount)
    }),
    cases,
  )
})

test('P9: leaving gives back at most what was paid for the period', () => {
  fc.assert(
    fc.property(histories, (history) => {
      let paid = 0n
      live(history, (world) => {
        const left = [...world.invoices.values()].filter(({ draft }) => isGivenBack(draft.lines))
        for (const { draft } of left.slice(-1)) expect(-totalOf(draft.lines) <= paid).toBe(true)
        expect(world.refunded <= paid).toBe(true)
        paid = sumPaid(world)
      })
    }),
    cases,
  )
})

const isGivenBack = (lines: readonly LineDraft[]) =>
  lines.length > 0 && lines.every(({ explanation }) => explanation.rule.startsWith('unused'))
const sumPaid = ({ invoices }: World) =>
  [...invoices.values()]
    .filter(({ status, draft }) => status === 'paid' && totalOf(draft.lines) > 0n)
    .reduce((sum, { draft }) => sum + totalOf(draft.lines), 0n)

test('P5: what is due is done once: planning again finds nothing', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const world = live(history)
      pass(world, 0)
      const { version } = world.subscription
      expect(advanceOnce(world)).toBe(false)
      expect(world.subscription.version).toBe(version)
    }),
    cases,
  )
})

const soon = fc.integer({ min: 1, max: 20 * day })

test('P6: catching up at once comes to the same state as in two steps', () => {
  fc.assert(
    fc.property(histories, soon, soon, (history, one, two) => {
      const world = live(history)
      pass(world, 0)
      const scene = sceneOf(world)
      const [middle, end] = [addSeconds(world.now, one), addSeconds(world.now, one + two)]
      const once = sceneAfter(scene, catchUp(scene, end, draw)).subscription
      const first = sceneAfter(scene, catchUp(scene, middle, draw))
      const twice = sceneAfter(first, catchUp(first, end, draw)).subscription
      // An activation lasts from the moment at which it opens, which is another for those who come late.
      if (once.status !== 'active' || once.parked !== null) return
      expect(shapeOf(twice)).toEqual(shapeOf(once))
    }),
    cases,
  )
})

const shapeOf = ({ status, anchor, currentPeriod, items }: Subscription) => ({
  ...{ status, anchor, items },
  period: currentPeriod && { ...currentPeriod, invoiceId: null },
})

test('P11: a life stays inside the table, and a cancelled one never changes', () => {
  const moves = new Set(subscriptionMachine.rows.map(({ from, to }) => `${from} ${to}`))
  fc.assert(
    fc.property(histories, (history) => {
      let before = { status: 'trialing', version: 0 }
      live(history, ({ subscription }) => {
        const { status, version } = subscription
        if (before.status === 'cancelled') expect({ status, version }).toEqual(before)
        // Between two looks several rows may have been walked.
        else if (version === before.version + 1) expect(moves).toContain(`${before.status} ${status}`)
        expectSound(subscription)
        before = { status, version }
      })
    }),
    cases,
  )
})

/** What the constraints of the table demand. */
function expectSound({ status, pause, endedAt, currentPeriod }: Subscription): void {
  expect(pause !== null).toBe(status === 'paused')
  expect(endedAt !== null).toBe(status === 'cancelled')
  if (status === 'active') expect(currentPeriod).not.toBeNull()
  if (currentPeriod !== null) expect(lengthOf(currentPeriod)).toBeGreaterThan(0)
}
