/** Applies a request to a payment method: a sent member replaces the value, metadata is merged by key. */
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { BillingDetails, MethodDetails } from './payment-method.ts'

/** In the format of the API. Omitted members are unknown. */
export type BillingInput = Partial<Omit<BillingDetails, 'address'>> & {
  readonly address?: Partial<NonNullable<BillingDetails['address']>> | null
}

export type MethodInput = {
  readonly card?: { readonly exp_month: number; readonly exp_year: number }
  readonly billing_details?: BillingInput | null
  readonly metadata?: { readonly [key: string]: string | null }
}

export function applyInput(before: MethodDetails, input: MethodInput): MethodDetails {
  const { card, billing_details: billing, metadata = {} } = input
  return {
    card: { ...before.card, ...card },
    billingDetails: billing === undefined ? before.billingDetails : toBillingDetails(billing),
    metadata: mergeMetadata(before.metadata, metadata),
  }
}

const noDetails: BillingDetails = { name: null, email: null, phone: null, address: null }
const emptyAddress = { line1: null, line2: null, city: null, state: null, postal_code: null, country: null }

/** Billing details are replaced as a whole, because a mix of old and new details would be wrong. */
export function toBillingDetails(input: BillingInput | null): BillingDetails | null {
  if (input === null) return null
  const { address = null, ...rest } = input
  return { ...noDetails, ...rest, address: address === null ? null : { ...emptyAddress, ...address } }
}

/** Ignores the order of members, because PostgreSQL does not keep it. */
export function isSame(a: MethodDetails, b: MethodDetails): boolean {
  const texts = [a, b].map(({ card, billingDetails, metadata }) =>
    canonical({ card, billingDetails, metadata }),
  )
  return texts[0] === texts[1]
}
