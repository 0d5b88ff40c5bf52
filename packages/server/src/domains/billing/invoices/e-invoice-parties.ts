/** Seller and buyer of the EN 16931 model, from the copy that a finalized invoice keeps. */
import type { CustomerParty, ElectronicAddress, PostalAddress, SellerParty } from '../../../kernel/parties.ts'
import type { ModelParty, Profile } from './e-invoice-model.ts'

/** A document that is not subject to tax must not contain VAT ids (BR-O-2). */
export function sellerOf(seller: SellerParty, profile: Profile, isOutOfScope: boolean): ModelParty {
  const { legal_name, contact, registration, tax_ids } = seller
  return {
    name: legal_name,
    electronicAddress: electronicAddressOf(seller, contact?.email ?? null, profile),
    vatId: isOutOfScope ? null : vatIdOf(tax_ids),
    taxNumber: tax_ids.find(({ type }) => !isVatId(type))?.value ?? null,
    registrationNumber: registration?.number ?? null,
    legalInformation: registration?.register ?? null,
    address: addressOf(seller.address),
    contact: contact === null ? null : { name: legal_name, phone: contact.phone, email: contact.email },
  }
}

export function buyerOf(customer: CustomerParty, profile: Profile, isOutOfScope: boolean): ModelParty {
  return {
    name: customer.name,
    electronicAddress: electronicAddressOf(customer, customer.email, profile),
    vatId: isOutOfScope ? null : vatIdOf(customer.tax_ids),
    taxNumber: null,
    registrationNumber: null,
    legalInformation: null,
    address: addressOf(customer.address),
    contact: null,
  }
}

/** The e-mail address is used if no other is set, but not in Peppol, which routes by the ids of its participants. */
function electronicAddressOf(
  { electronic_address: address = null }: { readonly electronic_address?: ElectronicAddress | null },
  email: string | null,
  profile: Profile,
): ElectronicAddress | null {
  if (address !== null || email === null || profile === 'peppol') return address
  return { scheme: 'EM', value: email }
}

type TaxIds = SellerParty['tax_ids']

const isVatId = (type: string) => type.endsWith('_vat')

/**
 * Adds the country prefix if it is missing, because the id is invalid without it (BR-CO-9). National ids are
 * often written without the prefix.
 */
function vatIdOf(taxIds: TaxIds): string | null {
  const found = taxIds.find(({ type }) => isVatId(type))
  if (found === undefined) return null
  const text = found.value.toUpperCase().replaceAll(/[\s.-]/g, '')
  const prefix = found.type.slice(0, 2).toUpperCase()
  return prefix === 'EU' || text.startsWith(prefix) ? text : `${prefix}${text}`
}

function addressOf(address: PostalAddress | null): ModelParty['address'] {
  return {
    line1: address?.line1 ?? null,
    line2: address?.line2 ?? null,
    city: address?.city ?? null,
    postalCode: address?.postal_code ?? null,
    state: address?.state ?? null,
    country: address?.country ?? null,
  }
}
