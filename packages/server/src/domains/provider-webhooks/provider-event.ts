/** What a provider told us, as it is kept until it is understood. */
import type { Currency } from '../../kernel/currency.ts'
import type { Id } from '../../kernel/id.ts'
import type { Money } from '../../kernel/money.ts'
import type { Found, ProviderEvent } from '../../providers/contract.ts'

export type KeptEvent = {
  readonly id: Id<'provider_event'>
  readonly providerAccountId: Id<'provider_account'>
  readonly verdict: 'valid' | 'unsigned'
  readonly event: ProviderEvent
  readonly tries: number
  readonly dueAt: Date | null
  readonly version: number
}

export type EventOutcome = 'recorded' | 'looked_up' | 'unmatched'

/** Their word may be quicker than our own commit, and may be about nothing of ours at all. */
const waits = [1, 5, 30, 300, 3_600] as const

/** Seconds until the next try; null: it fits nothing, and nobody tries again. */
export function waitAfter(tries: number): number | null {
  return waits[tries] ?? null
}

/** Amounts are kept as text: JSON has no number that holds each of them. */
export function toText(event: ProviderEvent): string {
  return JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

type Stored = Omit<ProviderEvent, 'found' | 'refund'> & {
  readonly found: StoredFound | null
  readonly refund?: Omit<NonNullable<ProviderEvent['refund']>, 'money'> & { readonly money: StoredMoney }
}
type StoredMoney = { readonly amount: string; readonly currency: Currency }
type StoredFound = { readonly is: Found['is'] } & Record<string, unknown>

/** The same event again. What is written is ours, so its shape is known. */
export function fromStored(stored: unknown): ProviderEvent {
  const { found, refund, ...event } = stored as Stored
  return {
    ...event,
    found: found === null ? null : foundFrom(found),
    ...(refund === undefined ? {} : { refund: { ...refund, money: moneyFrom(refund.money) } }),
  }
}

function moneyFrom({ amount, currency }: StoredMoney): Money {
  return { amount: BigInt(amount), currency }
}

function foundFrom(stored: StoredFound): Found {
  if (stored.is === 'action') {
    const { expiresAt } = stored as unknown as { expiresAt: string }
    return { ...stored, expiresAt: new Date(expiresAt) } as Found
  }
  if (stored.is !== 'succeeded') return stored as Found
  const { money, extra } = stored as unknown as {
    money: StoredMoney
    extra?: { captureBeforeAt?: string }
  }
  const end = extra?.captureBeforeAt
  return {
    ...stored,
    money: moneyFrom(money),
    ...(extra === undefined
      ? {}
      : { extra: { ...extra, ...(end === undefined ? {} : { captureBeforeAt: new Date(end) }) } }),
  } as Found
}
