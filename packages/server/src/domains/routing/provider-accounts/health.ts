/** The health of an account: classifies the results of its calls and counts them per minute. No side effects. */
import type { Found, OperationKind } from '../../../providers/contract.ts'
import { declineOf } from '../../../providers/declines.ts'

/** Authorizations are tracked separately: they can fail over, other operations cannot. */
export const lanes = ['authorize', 'rest'] as const
export type Lane = (typeof lanes)[number]

export function laneOf(kind: OperationKind): Lane {
  return kind === 'authorize' || kind === 'verify' ? 'authorize' : 'rest'
}

/**
 * `answered`: the provider responded, but the operation has not ended. `refused_us`: our credentials are
 * rejected, so nothing can succeed until they are fixed.
 */
export const results = [
  'approved',
  'declined',
  'answered',
  'technical',
  'refused_us',
  'not_sent',
  'unknown',
] as const
export type Result = (typeof results)[number]

type CallResult = Found | { readonly is: 'not_sent'; readonly fault: { readonly code: string } }

/** Errors of Switchyard itself or of a card vault, which say nothing about the health of the provider. */
const ownFaultCodes = ['lease_over', 'request_changed', 'vault_unavailable', 'vault_rejected']

/** Null: the result says nothing about the health of the account. */
export function resultOf(observed: CallResult): Result | null {
  if ('fault' in observed && ownFaultCodes.includes(observed.fault.code)) return null
  switch (observed.is) {
    case 'succeeded':
      return 'approved'
    case 'pending':
    case 'action':
      return 'answered'
    case 'declined':
      return resultOfDecline(observed.decline.code)
    case 'rejected':
      // A provider-specific rejection code is not a decline: the provider could not process the request.
      return resultOfRejection(observed.fault.code)
    case 'unknown':
      return resultOfUnknown(observed.fault.code)
    case 'not_sent':
      return observed.is
    default:
      return null
  }
}

function resultOfDecline(code: string): Result {
  if (code === 'provider_credentials_invalid') return 'refused_us'
  return declineOf(code).class === 'technical' ? 'technical' : 'declined'
}

function resultOfRejection(code: string): Result {
  if (code === 'provider_credentials_invalid') return 'refused_us'
  return code === 'provider_request_invalid' ? 'declined' : 'technical'
}

/**
 * Rejected credentials leave the outcome of the operation unknown, but show that the account is unusable. A provider that
 * already has the reference works. After a restore that is so for every repeated request, and if the circuit breaker opened,
 * the requests after that would be charged again at another account.
 */
function resultOfUnknown(code: string): Result {
  if (code === 'provider_credentials_invalid') return 'refused_us'
  return code === 'reference_reused' ? 'answered' : 'unknown'
}

/** Decisions of issuers and payers never count against the account. */
export function countsAgainstAccount(result: Result): boolean {
  return ['technical', 'refused_us', 'not_sent', 'unknown'].includes(result)
}

/**
 * Figures of one lane of one account. `attempts` includes all calls; calls in no other figure have not ended.
 */
export type Counts = {
  readonly attempts: number
  readonly approved: number
  readonly declined: number
  readonly technical: number
  readonly unknown: number
  /** The latency histogram: one count for each of `latencyBounds`, and one for everything slower. */
  readonly latency: readonly number[]
}

/** Each is about 1.41 times the previous one: 10 ms to 29 s. */
export const latencyBounds: readonly number[] = Array.from({ length: 24 }, (_, nth) =>
  Math.round(10 * 2 ** (nth / 2)),
)

export const noCounts: Counts = {
  attempts: 0,
  approved: 0,
  declined: 0,
  technical: 0,
  unknown: 0,
  latency: new Array(latencyBounds.length + 1).fill(0),
}

/** `tookMs` is null if nothing was sent or measured. */
export function countResult(before: Counts, result: Result, tookMs: number | null): Counts {
  const column = columnOf[result]
  const bucket = tookMs === null || result === 'not_sent' ? null : bucketOf(tookMs)
  return {
    ...before,
    attempts: before.attempts + 1,
    ...(column === null ? {} : { [column]: before[column] + 1 }),
    latency:
      bucket === null ? before.latency : before.latency.with(bucket, (before.latency[bucket] ?? 0) + 1),
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

function bucketOf(tookMs: number): number {
  const bucket = latencyBounds.findIndex((bound) => tookMs <= bound)
  return bucket === -1 ? latencyBounds.length : bucket
}

/** The median latency, within the accuracy of the buckets; null if nothing was measured. */
export function medianMs(latency: readonly number[]): number | null {
  const total = latency.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [bucket, count] of latency.entries()) {
    if (count > 0 && (below + count) * 2 >= total) return interpolate(bucket, (total / 2 - below) / count)
    below += count
  }
  return null
}

/** Interpolates within a bucket. The last bucket has no upper bound. */
function interpolate(bucket: number, share: number): number {
  const low = latencyBounds[bucket - 1] ?? 0
  return Math.round(low + ((latencyBounds[bucket] ?? low) - low) * share)
}

/** The step of a series, so that it has at most a few hundred points. */
export function stepSecondsFor(fromAt: Date, toAt: Date): number {
  const seconds = (toAt.getTime() - fromAt.getTime()) / 1000
  const steps = [60, 300, 900, 3_600, 6 * 3_600, 86_400]
  return steps.find((step) => seconds / step <= 300) ?? 86_400
}
