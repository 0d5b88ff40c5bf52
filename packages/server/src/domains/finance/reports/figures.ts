/**
 * Converts events to figures. The amounts come from the payment and its attempts, which no longer change after these
 * events, so it does not matter when an event is counted. No side effects.
 */
import { decidingTypes } from './counted-event-types.ts'

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
  'created',
  'succeeded',
  'failed',
  'cancelled',
  'volume',
  'refunded',
  'recovered',
  'recoveredVolume',
  'attempts',
  'approved',
] as const satisfies readonly (keyof Counters)[]

export const noCounters = Object.fromEntries(counterNames.map((name) => [name, 0n])) as Counters

/** Figures with the same key are added. Amounts in different currencies never are. */
export type FigureKey = {
  readonly currency: string
  /** Null: no provider was called. */
  readonly accountUuid: string | null
  /** The failure reason; null if there is none. */
  readonly reason: string | null
}
export type Figure = FigureKey & Counters & { readonly at: Date }

export type NewEvent = {
  readonly uuid: string
  readonly type: string
  readonly objectUuid: string
  readonly at: Date
}

export const objectUuids = (events: readonly NewEvent[]) => [
  ...new Set(events.map(({ objectUuid }) => objectUuid)),
]
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

/** The objects of the events. Verifications are omitted, because they move no money. */
export type CountedObjects = {
  readonly payments: ReadonlyMap<string, CountedPayment>
  readonly attempts: ReadonlyMap<string, readonly CountedAttempt[]>
  readonly refunds: ReadonlyMap<string, CountedRefund>
  /** Payments with a `payment.authorized` event. Their attempts were counted with that event. */
  readonly authorized: ReadonlySet<string>
}

export function figuresOfEvents(events: readonly NewEvent[], objects: CountedObjects): readonly Figure[] {
  return mergeFigures(events.flatMap((event) => figuresOfEvent(event, objects)))
}

function figuresOfEvent({ type, objectUuid, at }: NewEvent, objects: CountedObjects): readonly Figure[] {
  if (type === 'refund.succeeded') return refundFigures(at, objects.refunds.get(objectUuid))
  const payment = objects.payments.get(objectUuid)
  if (payment === undefined) return []
  const attempts = objects.attempts.get(objectUuid) ?? []
  if (type === 'payment.created') return createdFigures(at, payment, attempts)
  const isDecided = (decidingTypes as readonly string[]).includes(type)
  const isFirst = type === 'payment.authorized' || !objects.authorized.has(objectUuid)
  return [
    ...endFigures(at, type, payment),
    ...(isDecided && isFirst ? attemptFigures(at, type, payment, attempts) : []),
  ]
}

const figure = (at: Date, key: FigureKey, counters: Partial<Counters>): Figure => ({
  at,
  ...key,
  ...noCounters,
  ...counters,
})

function refundFigures(at: Date, refund: CountedRefund | undefined): readonly Figure[] {
  if (refund === undefined) return []
  const { currency, accountUuid, amount } = refund
  return [figure(at, { currency, accountUuid, reason: null }, { refunded: amount })]
}

/** Counted for the account of the first attempt. */
function createdFigures(at: Date, { currency }: CountedPayment, attempts: readonly CountedAttempt[]) {
  const first = attempts.find(({ number }) => number === 1)
  return [figure(at, { currency, accountUuid: first?.accountUuid ?? null, reason: null }, { created: 1n })]
}

/** Counted for the account of the last attempt. */
function endFigures(at: Date, type: string, payment: CountedPayment): readonly Figure[] {
  const { currency, accountUuid, amountCaptured: volume, failureCode: reason } = payment
  const key = { currency, accountUuid, reason: null }
  if (type === 'payment.failed') return [figure(at, { ...key, reason }, { failed: 1n })]
  if (type === 'payment.cancelled') return [figure(at, key, { cancelled: 1n })]
  if (type !== 'payment.succeeded') return []
  const recovered = payment.attempts > 1 ? { recovered: 1n, recoveredVolume: volume } : {}
  return [figure(at, key, { succeeded: 1n, volume, ...recovered })]
}

/**
 * Attempts that a provider approved or declined, or that failed at the provider. An attempt that the payer
 * abandoned is not counted.
 */
function attemptFigures(
  at: Date,
  type: string,
  { currency }: CountedPayment,
  attempts: readonly CountedAttempt[],
): readonly Figure[] {
  const isApproved = type === 'payment.authorized' || type === 'payment.succeeded'
  // No provider is tried after an approval, so the last attempt is the approved one.
  const last = Math.max(...attempts.map(({ number }) => number))
  return attempts.flatMap(({ number, status, accountUuid, declineCode }) => {
    const key = { currency, accountUuid, reason: null }
    if (isApproved && number === last) return [figure(at, key, { attempts: 1n, approved: 1n })]
    if (status !== 'declined' && status !== 'failed') return []
    return [figure(at, { ...key, reason: declineCode ?? 'provider_error' }, { attempts: 1n })]
  })
}

/** The start of the bucket that contains the time, in UTC. */
export function bucketStart(grain: Grain, at: Date): Date {
  const ms = grainSeconds[grain] * 1000
  return new Date(Math.floor(at.getTime() / ms) * ms)
}

export function sumByGrain(grain: Grain, figures: readonly Figure[]): readonly Figure[] {
  return mergeFigures(figures.map((figure) => ({ ...figure, at: bucketStart(grain, figure.at) })))
}

/** Adds figures of the same group. Currencies are always separate. */
export function sumByGroup(group: Group, figures: readonly Figure[]): readonly Figure[] {
  const accountOf = ({ accountUuid }: Figure) => (group === 'provider_account' ? accountUuid : null)
  const reasonOf = ({ reason }: Figure) => (group === 'reason' ? reason : null)
  return mergeFigures(
    figures.map((figure) => ({ ...figure, accountUuid: accountOf(figure), reason: reasonOf(figure) })),
  )
}

/** Adds figures with the same key and time. */
export function mergeFigures<F extends Figure>(figures: readonly F[]): readonly F[] {
  const keyOf = (one: F) => [one.at.getTime(), one.currency, one.accountUuid, one.reason].join(' ')
  return [...Map.groupBy(figures, keyOf).values()].map((same) => ({
    ...(same[0] as F),
    ...sumCounters(same),
  }))
}

export function sumCounters(figures: readonly Counters[]): Counters {
  const sum = (name: keyof Counters) => figures.reduce((total, one) => total + one[name], 0n)
  return Object.fromEntries(counterNames.map((name) => [name, sum(name)])) as Counters
}
