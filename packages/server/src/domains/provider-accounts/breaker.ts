/**
 * The breaker of an account. When half of its latest results speak against it, it opens: for a while the account
 * stands at the end of the line. Then it is probed, by its `health` and by a payment now and then, until enough
 * went well in a row. Whoever opens again soon stays open for longer. Pure.
 */
import { addSeconds } from '../../kernel/clock.ts'
import type { Machine } from '../../kernel/machine.ts'
import { isChange, step } from '../../kernel/machine.ts'

/** `probing`: it is open, but its time is over. Nobody writes that down; the time tells. */
export const phases = ['closed', 'open', 'probing'] as const
export type Phase = (typeof phases)[number]
export const signals = [
  'tripped',
  'result_good',
  'result_bad',
  'probe_good',
  'probe_bad',
  'given_up',
] as const
export type Signal = (typeof signals)[number]
export type Effect = 'open' | 'close' | 'count' | 'start_over' | 'wait'
type Facts = { readonly good: number }

/** So many good results in a row close it. */
export const goodToClose = 3
const isEnough = ({ good }: Facts) => good + 1 >= goodToClose
const hadGood = ({ good }: Facts) => good > 0

export const breakerMachine: Machine<Phase, Signal, Facts, Effect> = {
  initial: 'closed',
  actions: [],
  // biome-ignore format: the columns are the point.
  rows: [
    { from: 'closed',  on: 'tripped',                       to: 'open',    effects: ['open']       },
    { from: 'closed',  on: 'result_good',                   to: 'closed',  effects: []             },
    { from: 'closed',  on: 'result_bad',                    to: 'closed',  effects: []             },
    { from: 'closed',  on: 'probe_good',                    to: 'closed',  effects: []             },
    { from: 'closed',  on: 'probe_bad',                     to: 'closed',  effects: []             },
    { from: 'closed',  on: 'given_up',                      to: 'closed',  effects: []             },
    // What was under way when it opened says nothing new.
    { from: 'open',    on: 'tripped',                       to: 'open',    effects: []             },
    { from: 'open',    on: 'result_good',                   to: 'open',    effects: []             },
    { from: 'open',    on: 'result_bad',                    to: 'open',    effects: []             },
    { from: 'open',    on: 'probe_good',                    to: 'open',    effects: []             },
    { from: 'open',    on: 'probe_bad',                     to: 'open',    effects: []             },
    { from: 'open',    on: 'given_up',                      to: 'closed',  effects: ['close']      },
    { from: 'probing', on: 'tripped',                       to: 'probing', effects: []             },
    { from: 'probing', on: 'result_good', when: isEnough,   to: 'closed',  effects: ['close']      },
    { from: 'probing', on: 'result_good',                   to: 'probing', effects: ['count']      },
    { from: 'probing', on: 'probe_good',  when: isEnough,   to: 'closed',  effects: ['close']      },
    { from: 'probing', on: 'probe_good',                    to: 'probing', effects: ['count']      },
    { from: 'probing', on: 'result_bad',  when: hadGood,    to: 'probing', effects: ['start_over'] },
    { from: 'probing', on: 'result_bad',                    to: 'probing', effects: []             },
    // A liveness call that is not served at all must not outweigh payments that succeed.
    { from: 'probing', on: 'probe_bad',                     to: 'probing', effects: ['wait']       },
    { from: 'probing', on: 'given_up',                      to: 'closed',  effects: ['close']      },
  ],
}

export type Breaker = {
  readonly state: 'closed' | 'open'
  readonly openedAt: Date | null
  /** From then on it is probed. */
  readonly openUntilAt: Date | null
  readonly nextProbeAt: Date | null
  readonly closedAt: Date | null
  readonly trips: number
  readonly good: number
}

export const closedBreaker: Breaker = {
  ...{ state: 'closed', trips: 0, good: 0 },
  ...{ openedAt: null, openUntilAt: null, nextProbeAt: null, closedAt: null },
}

export function phaseOf({ state, openUntilAt }: Pick<Breaker, 'state' | 'openUntilAt'>, now: Date): Phase {
  if (state === 'closed') return 'closed'
  return openUntilAt !== null && openUntilAt <= now ? 'probing' : 'open'
}

const firstOpenSeconds = 30
const longestOpenSeconds = 600
/** After a probe that failed, and after one that did not: what begins to work is let back in soon. */
export const probeSeconds = 5
const goodProbeSeconds = 2

/** How long it is open after having opened so often. */
export function openSecondsAfter(trips: number): number {
  return Math.min(firstOpenSeconds * 2 ** (trips - 1), longestOpenSeconds)
}

/** What a signal makes of it; null: nothing. */
export function afterSignal(before: Breaker, signal: Signal, now: Date): Breaker | null {
  const row = step(breakerMachine, { state: phaseOf(before, now), trigger: signal, facts: before })
  const [effect] = row.effects
  return isChange(row) && effect !== undefined ? effects[effect](before, now) : null
}

const effects: { readonly [E in Effect]: (before: Breaker, now: Date) => Breaker } = {
  open(before, now) {
    const trips = wasWell(before, now) ? 1 : before.trips + 1
    const openUntilAt = addSeconds(now, openSecondsAfter(trips))
    const times = { openedAt: now, openUntilAt, nextProbeAt: openUntilAt, closedAt: null }
    return { state: 'open', trips, good: 0, ...times }
  },
  close: (before, now) => ({ ...before, state: 'closed', nextProbeAt: null, closedAt: now, good: 0 }),
  count: (before, now) => ({
    ...before,
    good: before.good + 1,
    nextProbeAt: addSeconds(now, goodProbeSeconds),
  }),
  start_over: (before) => ({ ...before, good: 0 }),
  wait: (before, now) => ({ ...before, nextProbeAt: addSeconds(now, probeSeconds) }),
}

/** It was closed for as long as it can be open: what happens now is another story. */
function wasWell({ closedAt }: Breaker, now: Date): boolean {
  return closedAt === null || addSeconds(closedAt, longestOpenSeconds) <= now
}

const recentCount = 20
const recentMs = 60_000
const leastCount = 10

export type Recent = readonly { readonly atMs: number; readonly isBad: boolean }[]

/** The latest results, as one process saw them. */
export function remember(recent: Recent, atMs: number, isBad: boolean): Recent {
  return [...recent, { atMs, isBad }].filter((one) => atMs - one.atMs <= recentMs).slice(-recentCount)
}

export function tripsOn(recent: Recent): boolean {
  const bad = recent.filter(({ isBad }) => isBad).length
  return recent.length >= leastCount && bad * 2 >= recent.length
}
