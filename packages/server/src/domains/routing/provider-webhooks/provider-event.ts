/** A provider event as it is stored until it is processed. */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Money } from '../../../kernel/money.ts'
import type { DebitReturn, DisputeReport, Found, ProviderEvent } from '../../../providers/contract.ts'

export type StoredEvent = {
  readonly id: Id<'provider_event'>
  readonly providerAccountId: Id<'provider_account'>
  readonly verdict: 'valid' | 'unsigned'
  /** Without the provider token of the card. */
  readonly event: ProviderEvent
  /** The encrypted provider token of the card; null if the event has none. */
  readonly sealedToken: Buffer | null
  readonly tries: number
  readonly dueAt: Date | null
  readonly version: number
}

export type EventOutcome = 'recorded' | 'looked_up' | 'unmatched'

/**
 * In seconds. An event can arrive before our own commit, or for an operation that Switchyard did not start.
 */
const retryDelays = [1, 5, 30, 300, 3_600] as const

/** Seconds until the next try; null: the event matches no operation and is not retried. */
export function retryDelaySeconds(tries: number): number | null {
  return retryDelays[tries] ?? null
}

const maxKeptDelay = 3_600

/** Seconds until the next try of an event that is kept until its operation has ended. */
export function keptEventDelaySeconds(tries: number): number {
  return retryDelays[tries] ?? maxKeptDelay
}

/** Separates the provider token of the card, which must be encrypted, from the event. */
export function withoutToken(event: ProviderEvent): { event: ProviderEvent; token: string | null } {
  const { found } = event
  if (found?.is !== 'succeeded' || found.extra?.token === undefined) return { event, token: null }
  const { token, ...extra } = found.extra
  return { event: { ...event, found: { ...found, extra } }, token }
}

/** Amounts are strings: JSON numbers are not exact for all of them. */
export function serializeEvent({ event, sealedToken }: Pick<StoredEvent, 'event' | 'sealedToken'>): string {
  const stored = sealedToken === null ? event : { ...event, sealedToken: sealedToken.toString('base64') }
  return JSON.stringify(stored, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

type SerializedEvent = Omit<ProviderEvent, 'found' | 'refund' | 'returned' | 'dispute'> & {
  readonly sealedToken?: string
  readonly found: SerializedFound | null
  readonly refund?: WithSerializedMoney<NonNullable<ProviderEvent['refund']>>
  readonly returned?: WithSerializedMoney<DebitReturn>
  readonly dispute?: SerializedDispute
}
type WithSerializedMoney<T> = Omit<T, 'money'> & { readonly money: SerializedMoney }
type SerializedDispute = Omit<DisputeReport, 'money' | 'fee' | 'respondByAt' | 'reportedAt'> & {
  readonly money: SerializedMoney
  readonly fee: SerializedMoney | null
  readonly respondByAt: string | null
  readonly reportedAt: string
}
type SerializedMoney = { readonly amount: string; readonly currency: Currency }
type SerializedFound = { readonly is: Found['is'] } & Record<string, unknown>

/** Parses an event that was stored by `insertEvent`, so its shape is known. */
export function parseStoredEvent(stored: unknown): Pick<StoredEvent, 'event' | 'sealedToken'> {
  const { found, refund, returned, dispute, sealedToken, ...rest } = stored as SerializedEvent
  const event = {
    ...rest,
    found: found === null ? null : foundFrom(found),
    ...(refund === undefined ? {} : { refund: { ...refund, money: moneyFrom(refund.money) } }),
    ...(returned === undefined ? {} : { returned: { ...returned, money: moneyFrom(returned.money) } }),
    ...(dispute === undefined ? {} : { dispute: disputeFrom(dispute) }),
  }
  return { event, sealedToken: sealedToken === undefined ? null : Buffer.from(sealedToken, 'base64') }
}

function moneyFrom({ amount, currency }: SerializedMoney): Money {
  return { amount: BigInt(amount), currency }
}

function disputeFrom(stored: SerializedDispute): DisputeReport {
  const { money, fee, respondByAt, reportedAt } = stored
  return {
    ...stored,
    money: moneyFrom(money),
    fee: fee === null ? null : moneyFrom(fee),
    respondByAt: respondByAt === null ? null : new Date(respondByAt),
    reportedAt: new Date(reportedAt),
  }
}

function foundFrom(stored: SerializedFound): Found {
  if (stored.is === 'action') {
    const { expiresAt } = stored as unknown as { expiresAt: string }
    return { ...stored, expiresAt: new Date(expiresAt) } as Found
  }
  if (stored.is !== 'succeeded') return stored as Found
  const { money, extra } = stored as unknown as {
    money: SerializedMoney
    extra?: { captureBeforeAt?: string }
  }
  const captureBefore = extra?.captureBeforeAt
  return {
    ...stored,
    money: moneyFrom(money),
    ...(extra === undefined
      ? {}
      : {
          extra: {
            ...extra,
            ...(captureBefore === undefined ? {} : { captureBeforeAt: new Date(captureBefore) }),
          },
        }),
  } as Found
}
