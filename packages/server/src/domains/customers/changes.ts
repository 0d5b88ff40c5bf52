/** What a request makes of a customer: members that are sent replace, null clears, metadata merges by key. */
import { canonical } from '../../kernel/json.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'
import { type Address, type CustomerDetails, nothingKnown, type TaxId } from './customer.ts'

/** A request as the wire has it: a member that is missing stays as it was. */
export type CustomerInput = {
  readonly name?: string | null
  readonly email?: string | null
  readonly phone?: string | null
  readonly description?: string | null
  readonly locale?: string | null
  readonly address?: Partial<Address> | null
  readonly tax_ids?: readonly TaxId[]
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
  const keep = <T>(sent: T | undefined, was: T) => (sent === undefined ? was : sent)
  return {
    name: keep(input.name, before.name),
    email: keep(input.email, before.email),
    phone: keep(input.phone, before.phone),
    description: keep(input.description, before.description),
    locale: keep(input.locale, before.locale),
    // An address is one thing: half of the old and half of the new would be neither.
    address: input.address ? { ...emptyAddress, ...input.address } : keep(input.address, before.address),
    taxIds: keep(input.tax_ids, before.taxIds),
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

/** Postgres gives the members of an address back in its own order, so the order must not count. */
export function isSame(a: CustomerDetails, b: CustomerDetails): boolean {
  return (Object.keys(nothingKnown) as (keyof CustomerDetails)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}
