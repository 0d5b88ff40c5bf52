/** Converts a payment to the operands of rules. */
import type { MethodType } from '../../../../providers/contract.ts'
import { type Operands, timeOperands } from './operands.ts'

type Metadata = { readonly [key: string]: string }

export type PaymentFacts = {
  readonly amount: bigint
  readonly currency: string
  readonly purpose: 'payment' | 'verification'
  readonly initiator: 'customer' | 'merchant'
  readonly recurring: 'none' | 'first' | 'subsequent'
  readonly captureMethod: 'automatic' | 'manual'
  readonly threeDSecure: 'auto' | 'required'
  /** If omitted, the payment method is a card. */
  readonly methodType?: MethodType
  /** Null if the payer has not entered it yet. */
  readonly card: {
    readonly brand: string
    readonly funding: string | null
    readonly country: string | null
    readonly issuer?: string | null
    readonly bin: string | null
  } | null
  readonly billingCountry: string | null
  readonly paymentLinkId: string | null
  readonly checkoutSessionId: string | null
  readonly invoiceId: string | null
  /** The price the payment is for; null if there are several or none. */
  readonly priceId: string | null
  readonly customer: {
    readonly id: string
    readonly country: string | null
    readonly metadata: Metadata
  } | null
  /** The account that last charged or verified this card. */
  readonly lastProviderAccountId: string | null
  readonly metadata: Metadata
  readonly createdAt: Date
}

/** An operand without a value is omitted. */
export function operandsOf(facts: PaymentFacts): Operands {
  const { customer, methodType = 'card' } = facts
  // For a bank account, `card` only contains its display details.
  const card = methodType === 'card' ? facts.card : null
  const operands: Record<string, string | number> = {
    amount: Number(facts.amount),
    currency: facts.currency,
    purpose: facts.purpose,
    initiator: facts.initiator,
    recurring: facts.recurring,
    channel: channelOf(facts),
    capture_method: facts.captureMethod,
    three_d_secure: facts.threeDSecure,
    'method.type': methodType,
    ...timeOperands(facts.createdAt),
  }
  const add = (field: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined) operands[field] = value
  }
  add('method.last_provider_account_id', facts.lastProviderAccountId)
  add('card.brand', card?.brand)
  add('card.funding', card?.funding)
  add('card.country', card?.country)
  add('card.issuer', card?.issuer)
  add('card.bin', card?.bin)
  add('billing.country', facts.billingCountry)
  add('payment_link_id', facts.paymentLinkId)
  add('price_id', facts.priceId)
  add('customer.id', customer?.id)
  add('customer.country', customer?.country)
  for (const key in facts.metadata) add(`metadata.${key}`, facts.metadata[key])
  for (const key in customer?.metadata) add(`customer.metadata.${key}`, customer.metadata[key])
  return operands
}

type Origin = Pick<PaymentFacts, 'invoiceId' | 'paymentLinkId' | 'checkoutSessionId'>

/** How the payment was made. A checkout session opened by a payment link counts as `payment_link`. */
function channelOf({ invoiceId, paymentLinkId, checkoutSessionId }: Origin): string {
  if (invoiceId !== null) return 'invoice'
  if (paymentLinkId !== null) return 'payment_link'
  return checkoutSessionId === null ? 'api' : 'checkout_session'
}
