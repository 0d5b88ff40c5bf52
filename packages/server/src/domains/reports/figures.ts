/**
 * What events come to in figures. An event only says that something happened; how much it was, the payment and its
 * attempts say, which are final by then. So it does not matter when it is counted. Pure.
 */
import { decidingTypes } from './counted.ts'

export const grains = ['15m', '1h', '1d'] as const
export type Grain = (typeof grains)[number]

export const groups = ['none', 'currency', 'provider_account', 'reason'] as const
export type Group = (typeof groups)[number]

export const grainSeconds: { readonly [G in Grain]: number } = { '15m': 900, '1h': 3_600, '1d': 86_400 }

export type Counters = {
  readonly created: bigint
  readonly succeeded: bigint
  readonly failed: bigint
  readonly cancelled: bigint
  readonly volume: bigint
  readonly refunded: bigint
  readonly recovered: bigint
  readonly recoveredVolume: bigint
  readonly attempts: bigint
  readonly approved: bigint
}
export const counterNames = [
  ...(['created', 'succeeded', 'failed', 'cancelled', 'volume', 'refunded'] as const),
  ...(['recovered', 'recoveredVolume', 'attempts', 'approved'] as const),
] as const satisfies readonly (keyof Counters)[]

export const noCounters = Object.fromEntries(counterNames.map((name) => [name, 0n])) as Counters

/** What is counted together: never two currencies. */
export type Subject = {
  readonly currency: string
  /** Null: nobody was asked. */
  readonly accountUuid: string | null
  /** Why it did not happen; null if it did, or has not ended. */
  readonly reason: string | null
}
export type Figure = Subject & Counters & { readonly at: Date }

export type News = {
  readonly uuid: string
  readonly type: string
  readonly objectUuid: string
  readonly at: Date
}

export const uuidsOf = (news: readonly News[]) => [...new Set(news.map(({ objectUuid }) => objectUuid))]
export type CountedPayment = {
  readonly uuid: string
  readonly currency: string
  readonly amountCaptured: bigint
  readonly accountUuid: string | null
  readonly attempts: number
  readonly failureCode: string | null
}
export type CountedAttempt = {
  readonly paymentUuid: string
  readonly number: number
  readonly status: string
  readonly accountUuid: string
  readonly declineCode: string | null
}
export type CountedRefund = {
  readonly uuid: string
  readonly amount: bigint
  readonly currency: string
  readonly accountUuid: string | null
}

/** What the events are about. Verifications move no money and are in none of it. */
export type Facts = {
  readonly payments: ReadonlyMap<string, CountedPayment>
  readonly attempts: ReadonlyMap<string, readonly CountedAttempt[]>
  readonly refunds: ReadonlyMap<string, CountedRefund>
  /** Payments that were held before they ended: their attempts were counted then. */
  readonly authorized: ReadonlySet<string>
}

export function figuresOf(news: readonly News[], facts: Facts): readonly Figure[] {
  return sumUp(news.flatMap((one) => figuresOfOne(one, facts)))
}

function figuresOfOne({ type, objectUuid, at }: News, facts: Facts): readonly Figure[] {
  if (type === 'refund.succeeded') return refundFigures(at, facts.refunds.get(objectUuid))
  const payment = facts.payments.get(objectUuid)
  if (payment === undefined) return []
  const attempts = facts.attempts.get(objectUuid) ?? []
  if (type === 'payment.created') return createdFigures(at, payment, attempts)
  const isDecided = (decidingTypes as readonly string[]).includes(type)
  const isFirst = type === 'payment.authorized' || !facts.authorized.has(objectUuid)
  return [
    ...endFigures(at, type, payment),
    ...(isDecided && isFirst ? attemptFigures(at, type, payment, attempts) : []),
  ]
}

const figure = (at: Date, subject: Subject, counters: Partial<Counters>): Figure => ({
  ...{ at, ...subject, ...noCounters },
  ...counters,
})

function refundFigures(at: Date, refund: CountedRefund | undefined): readonly Figure[] {
  if (refund === undefined) return []
  const { currency, accountUuid, amount } = refund
  return [figure(at, { currency, accountUuid, reason: null }, { refunded: amount })]
}

/** Under the account that was asked first. */
function createdFigures(at: Date, { currency }: CountedPayment, attempts: readonly CountedAttempt[]) {
  const first = attempts.find(({ number }) => number === 1)
  return [figure(at, { currency, accountUuid: first?.accountUuid ?? null, reason: null }, { created: 1n })]
}

/** Under the account that was asked last. */
function endFigures(at: Date, type: string, payment: CountedPayment): readonly Figure[] {
  const { currency, accountUuid, amountCaptured: volume, failureCode: reason } = payment
  const subject = { currency, accountUuid, reason: null }
  if (type === 'payment.failed') return [figure(at, { ...subject, reason }, { failed: 1n })]
  if (type === 'payment.cancelled') return [figure(at, subject, { cancelled: 1n })]
  if (type !== 'payment.succeeded') return []
  const recovered = payment.attempts > 1 ? { recovered: 1n, recoveredVolume: volume } : {}
  return [figure(at, subject, { succeeded: 1n, volume, ...recovered })]
}

/** Attempts that a provider has decided. One that a payer never came back to was decided by nobody. */
function attemptFigures(
  at: Date,
  type: string,
  { currency }: CountedPayment,
  attempts: readonly CountedAttempt[],
): readonly Figure[] {
  const isApproved = type === 'payment.authorized' || type === 'payment.succeeded'
  // After an approval nobody else is asked, so the last attempt is the one that was approved.
  const last = Math.max(...attempts.map(({ number }) => number))
  return attempts.flatMap(({ number, status, accountUuid, declineCode }) => {
    const subject = { currency, accountUuid, reason: null }
    if (isApproved && number === last) return [figure(at, subject, { attempts: 1n, approved: 1n })]
    if (status !== 'declined' && status !== 'failed') return []
    return [figure(at, { ...subject, reason: declineCode ?? 'provider_error' }, { attempts: 1n })]
  })
}

/** The beginning of the stretch that holds it, UTC. */
export function stretchAt(grain: Grain, at: Date): Date {
  const ms = grainSeconds[grain] * 1000
  return new Date(Math.floor(at.getTime() / ms) * ms)
}

export function inGrain(grain: Grain, figures: readonly Figure[]): readonly Figure[] {
  return sumUp(figures.map((one) => ({ ...one, at: stretchAt(grain, one.at) })))
}

/** Without what the group does not tell apart. Currencies are told apart in all of them. */
export function inGroup(group: Group, figures: readonly Figure[]): readonly Figure[] {
  const accountOf = ({ accountUuid }: Figure) => (group === 'provider_account' ? accountUuid : null)
  const reasonOf = ({ reason }: Figure) => (group === 'reason' ? reason : null)
  return sumUp(figures.map((one) => ({ ...one, accountUuid: accountOf(one), reason: reasonOf(one) })))
}

/** One figure for each subject and instant. */
export function sumUp<F extends Figure>(figures: readonly F[]): readonly F[] {
  const keyOf = (one: F) => [one.at.getTime(), one.currency, one.accountUuid, one.reason].join(' ')
  return [...Map.groupBy(figures, keyOf).values()].map((same) => ({ ...(same[0] as F), ...totalOf(same) }))
}

export function totalOf(figures: readonly Counters[]): Counters {
  const sum = (name: keyof Counters) => figures.reduce((total, one) => total + one[name], 0n)
  return Object.fromEntries(counterNames.map((name) => [name, sum(name)])) as Counters
}
