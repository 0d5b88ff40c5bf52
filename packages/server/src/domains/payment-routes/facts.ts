/** A payment as rules see it: from what is known of it to operands. */
import { type Operands, timeOperands } from './operands.ts'

type Words = { readonly [key: string]: string }

export type PaymentFacts = {
  readonly amount: bigint
  readonly currency: string
  readonly purpose: 'payment' | 'verification'
  readonly initiator: 'customer' | 'merchant'
  readonly recurring: 'none' | 'first' | 'subsequent'
  readonly captureMethod: 'automatic' | 'manual'
  readonly threeDSecure: 'auto' | 'required'
  readonly card: {
    readonly brand: string
    readonly funding: string | null
    readonly country: string | null
    readonly bin: string | null
  }
  readonly billingCountry: string | null
  readonly customer: { readonly id: string; readonly country: string | null; readonly metadata: Words } | null
  /** The account that took or verified this card before. */
  readonly lastProviderAccountId: string | null
  readonly metadata: Words
  readonly createdAt: Date
}

export function operandsOf(facts: PaymentFacts): Operands {
  const { card, customer } = facts
  const known = {
    amount: Number(facts.amount),
    currency: facts.currency,
    purpose: facts.purpose,
    initiator: facts.initiator,
    recurring: facts.recurring,
    channel: 'api',
    capture_method: facts.captureMethod,
    three_d_secure: facts.threeDSecure,
    'method.type': 'card',
    'method.last_provider_account_id': facts.lastProviderAccountId,
    'card.brand': card.brand,
    'card.funding': card.funding,
    'card.country': card.country,
    'card.bin': card.bin,
    'billing.country': facts.billingCountry,
    'customer.id': customer?.id ?? null,
    'customer.country': customer?.country ?? null,
    ...timeOperands(facts.createdAt),
    ...prefixed('metadata', facts.metadata),
    ...prefixed('customer.metadata', customer?.metadata ?? {}),
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)) as Operands
}

function prefixed(prefix: string, words: Words): Operands {
  return Object.fromEntries(Object.entries(words).map(([key, value]) => [`${prefix}.${key}`, value]))
}
