/**
 * Applies a request to a customer: a sent member replaces the value, null clears it, metadata is merged by
 * key.
 */
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { ElectronicAddress } from '../../../kernel/parties.ts'
import { type Address, type CustomerDetails, emptyDetails, type TaxId } from './customer.ts'

/** A request in the format of the API. Omitted members stay unchanged. */
export type CustomerInput = {
  readonly name?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly description?: string | null
  readonly locale?: string | null
  readonly address?: Partial<Address> | null
  readonly tax_ids?: readonly TaxId[]
  readonly tax_exempt?: boolean
  readonly electronic_address?: ElectronicAddress | null
  readonly buyer_reference?: string | null
  readonly metadata?: { readonly [key: string]: string | null }
}

const emptyAddress: Address = {
  line1: null,
  line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
}

export function applyInput(before: CustomerDetails, input: CustomerInput): CustomerDetails {
  const sentOrCurrent = <T>(sent: T | undefined, current: T) => (sent === undefined ? current : sent)
  return {
    name: sentOrCurrent(input.name, before.name),
    email: sentOrCurrent(input.email, before.email),
    phone: sentOrCurrent(input.phone, before.phone),
    description: sentOrCurrent(input.description, before.description),
    locale: sentOrCurrent(input.locale, before.locale),
    // An address is replaced as a whole, never merged.
    address: input.address
      ? { ...emptyAddress, ...input.address }
      : sentOrCurrent(input.address, before.address),
    taxIds: sentOrCurrent(input.tax_ids, before.taxIds),
    taxExempt: sentOrCurrent(input.tax_exempt, before.taxExempt),
    electronicAddress: sentOrCurrent(input.electronic_address, before.electronicAddress),
    buyerReference: sentOrCurrent(input.buyer_reference, before.buyerReference),
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

/** Ignores the order of members, because PostgreSQL returns the members of an address in its own order. */
export function isSame(a: CustomerDetails, b: CustomerDetails): boolean {
  return (Object.keys(emptyDetails) as (keyof CustomerDetails)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}
