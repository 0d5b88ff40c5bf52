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
  readonly paymentLinkId: string | null
  readonly customer: { readonly id: string; readonly country: string | null; readonly metadata: Words } | null
  /** The account that took or verified this card before. */
  readonly lastProviderAccountId: string | null
  readonly metadata: Words
  readonly createdAt: Date
}

/** What every payment has, then what this one has: an operand that is missing is not there at all. */
export function operandsOf(facts: PaymentFacts): Operands {
  const { card, customer } = facts
  const operands: Record<string, string | number> = {
    amount: Number(facts.amount),
    currency: facts.currency,
    purpose: facts.purpose,
    initiator: facts.initiator,
    recurring: facts.recurring,
    channel: 'api',
    capture_method: facts.captureMethod,
    three_d_secure: facts.threeDSecure,
    'method.type': 'card',
    'card.brand': card.brand,
    ...timeOperands(facts.createdAt),
  }
  const add = (field: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined) operands[field] = value
  }
  add('method.last_provider_account_id', facts.lastProviderAccountId)
  add('card.funding', card.funding)
  add('card.country', card.country)
  add('card.bin', card.bin)
  add('billing.country', facts.billingCountry)
  add('payment_link_id', facts.paymentLinkId)
  add('customer.id', customer?.id)
  add('customer.country', customer?.country)
  for (const key in facts.metadata) add(`metadata.${key}`, facts.metadata[key])
  for (const key in customer?.metadata) add(`customer.metadata.${key}`, customer.metadata[key])
  return operands
}
