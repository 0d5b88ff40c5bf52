/**
 * The circuit breaker of an account. It opens when half of the latest results count against the account: for a while
 * the account is tried last. Then it is probed by health checks and by occasional payments, until enough results in a
 * row are good. A breaker that opens again soon stays open longer. No side effects.
 */
import { addSeconds } from '../../../kernel/clock.ts'
import type { Machine } from '../../../kernel/machine.ts'
import { isChange, nextTransition } from '../../../kernel/machine.ts'

/** `probing`: open, but the open period is over. It is not stored; it follows from the time. */
export const phases = ['closed', 'open', 'probing'] as const
export type Phase = (typeof phases)[number]
/** `given_up`: the account was archived, so it is no longer probed. */
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
type Facts = { readonly goodInARow: number }

/** This many good results in a row close the breaker. */
export const goodResultsToClose = 3
const closesNow = ({ goodInARow }: Facts) => goodInARow + 1 >= goodResultsToClose
const hasGoodResults = ({ goodInARow }: Facts) => goodInARow > 0

export const breakerMachine: Machine<Phase, Signal, Facts, Effect> = {
  object: 'circuit breaker',
  initial: 'closed',
  actions: [],
  // biome-ignore format: aligned columns are easier to read.
  rows: [
    { from: 'closed',  on: 'tripped',                           to: 'open',    effects: ['open']       },
    { from: 'closed',  on: 'result_good',                       to: 'closed',  effects: []             },
    { from: 'closed',  on: 'result_bad',                        to: 'closed',  effects: []             },
    { from: 'closed',  on: 'probe_good',                        to: 'closed',  effects: []             },
    { from: 'closed',  on: 'probe_bad',                         to: 'closed',  effects: []             },
    { from: 'closed',  on: 'given_up',                          to: 'closed',  effects: []             },
    // While open, results of calls that were already in progress are ignored.
    { from: 'open',    on: 'tripped',                           to: 'open',    effects: []             },
    { from: 'open',    on: 'result_good',                       to: 'open',    effects: []             },
    { from: 'open',    on: 'result_bad',                        to: 'open',    effects: []             },
    { from: 'open',    on: 'probe_good',                        to: 'open',    effects: []             },
    { from: 'open',    on: 'probe_bad',                         to: 'open',    effects: []             },
    { from: 'open',    on: 'given_up',                          to: 'closed',  effects: ['close']      },
    { from: 'probing', on: 'tripped',                           to: 'probing', effects: []             },
    { from: 'probing', on: 'result_good', when: closesNow,      to: 'closed',  effects: ['close']      },
    { from: 'probing', on: 'result_good',                       to: 'probing', effects: ['count']      },
    { from: 'probing', on: 'probe_good',  when: closesNow,      to: 'closed',  effects: ['close']      },
    { from: 'probing', on: 'probe_good',                        to: 'probing', effects: ['count']      },
    { from: 'probing', on: 'result_bad',  when: hasGoodResults, to: 'probing', effects: ['start_over'] },
    { from: 'probing', on: 'result_bad',                        to: 'probing', effects: []             },
    // A failed health check does not reset the count: a missing health endpoint must not outweigh payments.
    { from: 'probing', on: 'probe_bad',                         to: 'probing', effects: ['wait']       },
    { from: 'probing', on: 'given_up',                          to: 'closed',  effects: ['close']      },
  ],
}

export type Breaker = {
  readonly state: 'closed' | 'open'
  readonly openedAt: Date | null
  /** The end of the open period, after which the account is probed. */
  readonly openUntilAt: Date | null
  readonly nextProbeAt: Date | null
  readonly closedAt: Date | null
  readonly trips: number
  readonly goodInARow: number
}

export const closedBreaker: Breaker = {
  state: 'closed',
  trips: 0,
  goodInARow: 0,
  openedAt: null,
  openUntilAt: null,
  nextProbeAt: null,
  closedAt: null,
}

export function phaseOf({ state, openUntilAt }: Pick<Breaker, 'state' | 'openUntilAt'>, now: Date): Phase {
  if (state === 'closed') return 'closed'
  return openUntilAt !== null && openUntilAt <= now ? 'probing' : 'open'
}

const firstOpenSeconds = 30
const longestOpenSeconds = 600
/** The probe interval after a failed probe, and after a good one: a recovering account is used again soon. */
export const probeSeconds = 5
const goodProbeSeconds = 2

/** The open period after this many trips. */
export function openSecondsAfter(trips: number): number {
  return Math.min(firstOpenSeconds * 2 ** (trips - 1), longestOpenSeconds)
}

/** The breaker after a signal; null: no change. */
export function afterSignal(before: Breaker, signal: Signal, now: Date): Breaker | null {
  const row = nextTransition(breakerMachine, { state: phaseOf(before, now), trigger: signal, facts: before })
  const [effect] = row.effects
  return isChange(row) && effect !== undefined ? effects[effect](before, now) : null
}

const effects: { readonly [E in Effect]: (before: Breaker, now: Date) => Breaker } = {
  open(before, now) {
    const trips = wasHealthyLongEnough(before, now) ? 1 : before.trips + 1
    const openUntilAt = addSeconds(now, openSecondsAfter(trips))
    const times = { openedAt: now, openUntilAt, nextProbeAt: openUntilAt, closedAt: null }
    return { state: 'open', trips, goodInARow: 0, ...times }
  },
  close: (before, now) => ({ ...before, state: 'closed', nextProbeAt: null, closedAt: now, goodInARow: 0 }),
  count: (before, now) => ({
    ...before,
    goodInARow: before.goodInARow + 1,
    nextProbeAt: addSeconds(now, goodProbeSeconds),
  }),
  start_over: (before) => ({ ...before, goodInARow: 0 }),
  wait: (before, now) => ({ ...before, nextProbeAt: addSeconds(now, probeSeconds) }),
}

/** Whether the breaker was closed for at least the longest open period, so that the trip count restarts. */
function wasHealthyLongEnough({ closedAt }: Breaker, now: Date): boolean {
  return closedAt === null || addSeconds(closedAt, longestOpenSeconds) <= now
}

const recentCount = 20
const recentMs = 60_000
const minCount = 10

export type RecentResults = readonly { readonly atMs: number; readonly isBad: boolean }[]

/** Adds a result to the latest results of this process. */
export function addResult(recent: RecentResults, atMs: number, isBad: boolean): RecentResults {
  return [...recent, { atMs, isBad }].filter((result) => atMs - result.atMs <= recentMs).slice(-recentCount)
}

export function shouldTrip(recent: RecentResults): boolean {
  const bad = recent.filter(({ isBad }) => isBad).length
  return recent.length >= minCount && bad * 2 >= recent.length
}
