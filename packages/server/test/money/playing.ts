// What a story has come to while it is played, and how its time passes.

import { orAfter } from '../../src/platform/engine/nap.ts'
import type { PlanName } from './plans.ts'
import { endKeyLeases, type Ground, type Stage } from './stage.ts'
import type { Request, Step, Story } from './story.ts'

/** What decides where payments go, from one change to the next. */
export type Situation = {
  readonly plan: PlanName
  readonly revision: number
  readonly open: ReadonlySet<string>
}

export type Answer = { readonly status: number; readonly text: string; readonly isHeard: boolean }

/** One performance: what a story has come to. */
export type Playing = {
  readonly stage: Stage
  readonly ground: Ground
  readonly story: Story
  readonly name: string
  /** Everything of this story has an id from here on. */
  readonly floor: string
  /** How many facts the ledgers held before it. */
  readonly factsBefore: readonly number[]
  /** The ids of payments, as far as somebody was told. */
  readonly ids: Map<number, string>
  readonly sent: Map<number, { readonly url: string; readonly payload: object; readonly isCut: boolean }>
  readonly answers: Map<number, Answer[]>
  /** The first is what held at the beginning. */
  readonly situations: Situation[]
  /** Of each payment, from which situation to which somebody was about to make it. */
  readonly askedIn: Map<number, { readonly from: number; readonly to: number }>
  /** How many calls the providers had seen before it. */
  readonly callsBefore: readonly number[]
  readonly lines: string[]
  readonly wrongs: string[]
}

export type Played = { readonly lines: readonly string[]; readonly wrongs: readonly string[] }

export type Fact = {
  readonly fact: 'verification' | 'charge' | 'capture' | 'void' | 'refund'
  readonly reference: string
  readonly parent_reference: string | null
  readonly payment_id: string
  readonly amount: number
  readonly capture: boolean
}

/** A request as the simulator notes it. */
export type SeenCall = {
  readonly at: string
  readonly method: string
  readonly answer: string | null
  readonly body: {
    readonly reference?: string
    readonly kind?: string
    readonly amount?: number
    readonly initiator?: string
    readonly metadata?: { readonly simulate?: string }
  } | null
}

export async function factsOf({ simulator }: Stage, account: string): Promise<readonly Fact[]> {
  return (await simulator.control<{ facts: readonly Fact[] }>('GET', `${account}/ledger`)).facts
}

export async function callsOf({ simulator }: Stage, account: string): Promise<readonly SeenCall[]> {
  return (await simulator.control<{ calls: readonly SeenCall[] }>('GET', `${account}/calls`)).calls
}

/** Everybody who is not frozen hears from the provider, or gives up, before a sender's time is over. */
const longestCallMs = 65_000
const keyLeaseMs = 60_000

export async function letPass(playing: Playing, ms: number): Promise<void> {
  const { stage } = playing
  if (ms >= longestCallMs) await restOf(stage)
  stage.clock.advance(ms)
  await stage.simulator.control('POST', 'time', { advance_ms: ms })
  if (ms >= keyLeaseMs) await leaveKeys(playing)
}

const freezeLookMs = 5

/** Waits for what goes on in the background, but for what is frozen. */
export async function restOf({ loose }: Stage): Promise<void> {
  for (;;) {
    const awake = [...loose].filter(({ actor }) => actor?.isFrozen !== true)
    if (awake.length === 0) return
    // One of them may freeze meanwhile, and would never end.
    await orAfter(freezeLookMs, Promise.all(awake.map(({ ended }) => ended)), null)
  }
}

/** Whoever repeats a request that was cut off comes later than this; until then it would be told to wait. */
export function leaveKeys({ stage, ground, floor }: Playing): Promise<void> {
  return endKeyLeases(stage.house, ground.workspaceId, floor)
}

export function requestsIn({ steps }: Story): Request[] {
  const acts = steps.flatMap((step): readonly Step[] => (step.do === 'together' ? step.acts : [step]))
  return acts.filter((act): act is Request => ['pay', 'capture', 'cancel', 'refund'].includes(act.do))
}
