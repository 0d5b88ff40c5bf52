/** How an account fares: what its calls came to, counted by the minute, and what that says of it. Pure. */
import type { Found, OperationKind } from '../../providers/contract.ts'
import { declineOf } from '../../providers/declines.ts'

/** Authorizations are watched apart: they can go elsewhere, what is left can not. */
export const lanes = ['authorize', 'rest'] as const
export type Lane = (typeof lanes)[number]

export function laneOf(kind: OperationKind): Lane {
  return kind === 'authorize' || kind === 'verify' ? 'authorize' : 'rest'
}

/**
 * `answered`: it works, but it is not over yet. `refused_us`: our credentials are not accepted, so nothing can
 * succeed until somebody mends that.
 */
export const results = [
  ...(['approved', 'declined', 'answered', 'technical', 'refused_us', 'not_sent', 'unknown'] as const),
]
export type Result = (typeof results)[number]

type Learned = Found | { readonly is: 'not_sent'; readonly fault: { readonly code: string } }

/** Faults of ours, which say nothing of the provider. */
const ours = ['lease_over', 'request_changed']

/** Null: it says nothing of the account. */
export function resultOf(learned: Learned): Result | null {
  if ('fault' in learned && ours.includes(learned.fault.code)) return null
  switch (learned.is) {
    case 'succeeded':
      return 'approved'
    case 'pending':
    case 'action':
      return 'answered'
    case 'declined':
      return ofCode(learned.decline.code)
    case 'rejected':
      // Its own words for a refusal are no decline of ours: the provider could not do it.
      return ofFault(learned.fault.code)
    case 'not_sent':
    case 'unknown':
      return learned.is
    default:
      return null
  }
}

function ofCode(code: string): Result {
  if (code === 'provider_credentials_invalid') return 'refused_us'
  return declineOf(code).class === 'technical' ? 'technical' : 'declined'
}

function ofFault(code: string): Result {
  if (code === 'provider_credentials_invalid') return 'refused_us'
  return code === 'provider_request_invalid' ? 'declined' : 'technical'
}

/** Whether it speaks against the account. What an issuer or a payer decides never does. */
export function isBad(result: Result): boolean {
  return ['technical', 'refused_us', 'not_sent', 'unknown'].includes(result)
}

/** Of one lane of one account. `attempts` are all; those that are in no other figure are not over yet. */
export type Counts = {
  readonly attempts: number
  readonly approved: number
  readonly declined: number
  readonly technical: number
  readonly unknown: number
  /** How many answers took how long: one number for each of `latencyBounds`, and one for what took longer. */
  readonly latency: readonly number[]
}

/** Each is about 1.41 times the one before: 10 ms to 29 s. */
export const latencyBounds: readonly number[] = Array.from({ length: 24 }, (_, nth) =>
  Math.round(10 * 2 ** (nth / 2)),
)

export const noCounts: Counts = {
  ...{ attempts: 0, approved: 0, declined: 0, technical: 0, unknown: 0 },
  latency: new Array(latencyBounds.length + 1).fill(0),
}

/** `tookMs` is null if nothing was sent, or nobody measured. */
export function countResult(before: Counts, result: Result, tookMs: number | null): Counts {
  const column = columnOf[result]
  const step = tookMs === null || result === 'not_sent' ? null : stepOf(tookMs)
  return {
    ...before,
    attempts: before.attempts + 1,
    ...(column === null ? {} : { [column]: before[column] + 1 }),
    latency: step === null ? before.latency : before.latency.with(step, (before.latency[step] ?? 0) + 1),
  }
}

const columnOf = {
  approved: 'approved',
  declined: 'declined',
  answered: null,
  technical: 'technical',
  refused_us: 'technical',
  not_sent: 'technical',
  unknown: 'unknown',
} as const satisfies { readonly [R in Result]: keyof Counts | null }

function stepOf(tookMs: number): number {
  const step = latencyBounds.findIndex((bound) => tookMs <= bound)
  return step === -1 ? latencyBounds.length : step
}

/** What half of the answers did not exceed, as exact as the steps are; null if nothing was measured. */
export function medianMs(latency: readonly number[]): number | null {
  const total = latency.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [step, count] of latency.entries()) {
    if (count > 0 && (below + count) * 2 >= total) return within(step, (total / 2 - below) / count)
    below += count
  }
  return null
}

/** A place inside of a step. Beyond the last one nothing is known but that. */
function within(step: number, share: number): number {
  const low = latencyBounds[step - 1] ?? 0
  return Math.round(low + ((latencyBounds[step] ?? low) - low) * share)
}

/** How wide the stretches of a series are, so that there are a few hundred of them at most. */
export function stepSecondsFor(fromAt: Date, toAt: Date): number {
  const seconds = (toAt.getTime() - fromAt.getTime()) / 1000
  const steps = [60, 300, 900, 3_600, 6 * 3_600, 86_400]
  return steps.find((step) => seconds / step <= 300) ?? 86_400
}
