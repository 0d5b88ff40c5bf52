/** What a request makes of a payment method: members that are sent replace, metadata merges by key. */
import { canonical } from '../../kernel/json.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'
import type { BillingDetails, MethodDetails } from './payment-method.ts'

/** As the wire has them: what is not sent is not known. */
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
    billingDetails: billing === undefined ? before.billingDetails : billingOf(billing),
    metadata: mergeMetadata(before.metadata, metadata),
  }
}

const unknown: BillingDetails = { name: null, email: null, phone: null, address: null }
const nowhere = { line1: null, line2: null, city: null, state: null, postal_code: null, country: null }

/** They are one thing: half of the old and half of the new would be neither. */
export function billingOf(input: BillingInput | null): BillingDetails | null {
  if (input === null) return null
  const { address = null, ...rest } = input
  return { ...unknown, ...rest, address: address === null ? null : { ...nowhere, ...address } }
}

/** Postgres gives members back in its own order, so the order must not count. */
export function isSame(a: MethodDetails, b: MethodDetails): boolean {
  const texts = [a, b].map(({ card, billingDetails, metadata }) =>
    canonical({ card, billingDetails, metadata }),
  )
  return texts[0] === texts[1]
}
