// Worlds in which it is known how often every account approves, and a bandit that does not know. Time goes by in
// payments; what is known lags behind, and lots are made anew now and then, as in life.

import { lotAt, lotsOf } from '../../src/domains/payment-routes/bandit.ts'
import { drawsOf } from '../../src/domains/payment-routes/draw.ts'

/** The same numbers for the same seed, from 0 to 1. */
export function chance(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type World = {
  readonly seed: number
  /** How often each account approves, in the fixed order. */
  readonly rates: readonly number[]
  readonly payments: number
  readonly needed: number
  readonly explorationPercent: number
}

type Made = { readonly arm: number; readonly approved: boolean }

/** Lots are made anew after so many payments, and what became of a payment is known after as many. */
const every = 100
const inWindow = 20_000

/** What is known of the accounts: the payments of a window, up to a while ago. */
export class Knowledge {
  readonly arms: { attempts: number; approved: number }[]
  readonly #made: Made[] = []
  #counted = 0
  #dropped = 0

  constructor(arms: number) {
    this.arms = Array.from({ length: arms }, () => ({ attempts: 0, approved: 0 }))
  }

  made(one: Made): void {
    this.#made.push(one)
  }

  /** All but the latest are known now. Gives how many are in the window. */
  look(latest: number): number {
    for (; this.#counted < this.#made.length - latest; this.#counted += 1) this.#add(this.#counted, 1)
    for (; this.#dropped < this.#counted - inWindow; this.#dropped += 1) this.#add(this.#dropped, -1)
    return this.#counted - this.#dropped
  }

  #add(nth: number, step: 1 | -1): void {
    const { arm, approved } = this.#made[nth] as Made
    const known = this.arms[arm] as { attempts: number; approved: number }
    known.attempts += step
    if (approved) known.approved += step
  }
}

/** One payment after another, as lots decide. Lots are null while the fixed order stands. */
export function live(world: World, watch: (lots: readonly number[] | null, made: Made) => void): void {
  const { rates, payments, needed, explorationPercent } = world
  const next = chance(world.seed)
  const knowledge = new Knowledge(rates.length)
  let lots: readonly number[] | null = null
  for (let turn = 0; turn < payments; turn += 1) {
    if (turn % every === 0)
      lots = knowledge.look(every) >= needed ? lotsOf(knowledge.arms, explorationPercent) : null
    const arm = lots === null ? 0 : lotAt(lots, Math.floor(next() * drawsOf))
    const one = { arm, approved: next() < (rates[arm] as number) }
    watch(lots, one)
    knowledge.made(one)
  }
}

/** By how much more than the fixed order it approves, by what is known of the world and not by luck. */
export function gainIn(world: World): number {
  let gain = 0
  live(world, (lots) => {
    if (lots !== null) gain += gainOf(lots, world.rates)
  })
  return gain / world.payments
}

/** Of one payment whose lots are these. */
export function gainOf(lots: readonly number[], rates: readonly number[]): number {
  const worth = lots.reduce((sum, lot, at) => sum + (lot / drawsOf) * (rates[at] as number), 0)
  return worth - (rates[0] as number)
}
