/**
 * The two parties of an invoice, and which fields the law requires of them: Article 226 of the EU VAT Directive,
 * and the same list for the United Kingdom. A finalized invoice keeps a copy of both, so later changes of the
 * seller or the customer do not change it. The members have the names of the API.
 */

export type PostalAddress = {
  readonly line1: string | null
  readonly line2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly postal_code: string | null
  readonly country: string | null
}

type TaxId = { readonly type: string; readonly value: string }

/** The address of a party in a network such as Peppol. The scheme is a code of the EAS list; `EM` is e-mail. */
export type ElectronicAddress = { readonly scheme: string; readonly value: string }

export const vatSchemes = ['standard', 'cash', 'small_business'] as const

/** `none`: invoices have no tax. `rates`: tax rules select the rate of each line. `provider`: a tax provider computes it. */
export const taxModes = ['none', 'rates', 'provider'] as const
export type TaxMode = (typeof taxModes)[number]

export const numberResets = ['never', 'yearly'] as const

/** The languages of documents and hosted pages. */
export const documentLanguages = ['ar', 'de', 'en', 'es', 'fr', 'ja'] as const
export type DocumentLanguage = (typeof documentLanguages)[number]

/** The language of documents for a locale such as `de-AT`. */
export function documentLanguageOf(locale: string | null): DocumentLanguage {
  return documentLanguages.find((name) => name === locale?.split('-')[0]) ?? 'en'
}

export type SellerParty = {
  readonly legal_name: string | null
  readonly address: PostalAddress | null
  readonly registration: { readonly register: string; readonly number: string } | null
  readonly tax_ids: readonly TaxId[]
  readonly vat_scheme: (typeof vatSchemes)[number]
  readonly bank: {
    readonly account_holder: string | null
    readonly name: string | null
    readonly iban: string | null
    readonly bic: string | null
  } | null
  readonly contact: {
    readonly email: string | null
    readonly phone: string | null
    readonly url: string | null
  } | null
  readonly footer: { readonly [L in DocumentLanguage]?: string }
  readonly time_zone: string
  /** Omitted in copies of earlier versions. */
  readonly electronic_address?: ElectronicAddress | null
}

export type CustomerParty = {
  readonly name: string | null
  readonly email: string | null
  readonly address: PostalAddress | null
  readonly tax_ids: readonly TaxId[]
  readonly locale: string | null
  /** Omitted in copies of earlier versions. */
  readonly electronic_address?: ElectronicAddress | null
  readonly buyer_reference?: string | null
}

export type Parties = { readonly seller: SellerParty; readonly customer: CustomerParty }

/** The data of a customer that determines the tax. */
export type TaxedCustomer = {
  readonly country: string | null
  readonly taxIds: readonly TaxId[]
  readonly isExempt: boolean
}

/** The data of a price that determines the tax. */
export type TaxedPrice = { readonly isInclusive: boolean; readonly taxCode: string | null }

export const emptySeller: SellerParty = {
  legal_name: null,
  address: null,
  registration: null,
  tax_ids: [],
  vat_scheme: 'standard',
  bank: null,
  contact: null,
  footer: {},
  time_zone: 'UTC',
  electronic_address: null,
}

/** Countries in which an invoice has to state the VAT id of the seller: the EU and the United Kingdom. */
const vatCountries = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
)

/** The legal fields that the seller lacks, as paths such as `address.city`. */
export function missingOfSeller({ legal_name, address, tax_ids, vat_scheme }: SellerParty): string[] {
  const needsTaxId =
    address?.country != null && vatCountries.has(address.country) && vat_scheme !== 'small_business'
  return [
    ...(legal_name === null ? ['legal_name'] : []),
    ...missingOfAddress(address),
    ...(needsTaxId && tax_ids.length === 0 ? ['tax_ids'] : []),
  ]
}

/**
 * The legal fields that the customer lacks. A customer with a tax id is a business, whose invoice has to state its
 * name and address. Consumers need neither.
 */
export function missingOfCustomer({ name, address, tax_ids }: CustomerParty): string[] {
  if (tax_ids.length === 0) return []
  return [...(name === null ? ['name'] : []), ...missingOfAddress(address)]
}

/** The fields that the invoice lacks, as paths such as `seller.legal_name`. */
export function missingOf({ seller, customer }: Parties): string[] {
  return [
    ...missingOfSeller(seller).map((path) => `seller.${path}`),
    ...missingOfCustomer(customer).map((path) => `customer.${path}`),
  ]
}

function missingOfAddress(address: PostalAddress | null): string[] {
  const required = ['line1', 'city', 'country'] as const
  return required.filter((name) => (address?.[name] ?? null) === null).map((name) => `address.${name}`)
}

/** Years for which invoices have to be kept, where that differs from ten. */
const retentionYears: { readonly [country: string]: number } = { AT: 7, DE: 8, GB: 6, IE: 6, NL: 7, US: 7 }
const defaultRetentionYears = 10

/** Invoices are kept to the end of a calendar year, counted from the year in which they were issued. */
export function retainUntil({ address }: SellerParty, issuedAt: Date): Date {
  const years = retentionYears[address?.country ?? ''] ?? defaultRetentionYears
  return new Date(Date.UTC(issuedAt.getUTCFullYear() + years + 1, 0, 1))
}
