/** The form of the seller, with its values as strings, and the request that saves it. */
import type { Seller, UpdateSeller } from '@switchyard/sdk'

export type SellerDraft = {
  readonly legalName: string
  readonly line1: string
  readonly postalCode: string
  readonly city: string
  readonly country: string
  readonly taxId: string
  readonly taxIdType: string
  readonly register: string
  readonly registerNumber: string
  readonly iban: string
  readonly bic: string
  readonly email: string
  readonly phone: string
  readonly networkScheme: string
  readonly networkAddress: string
  readonly timeZone: string
  readonly prefix: string
  readonly vatScheme: Seller['vat_scheme']
  readonly reset: Seller['numbering']['reset']
}

export function draftOf(seller: Seller): SellerDraft {
  const { address, tax_ids: taxIds, registration, bank, contact, numbering } = seller
  const text = (value: string | null | undefined) => value ?? ''
  return {
    legalName: text(seller.legal_name),
    line1: text(address?.line1),
    postalCode: text(address?.postal_code),
    city: text(address?.city),
    country: text(address?.country),
    taxId: text(taxIds[0]?.value),
    taxIdType: taxIds[0]?.type ?? 'eu_vat',
    register: text(registration?.register),
    registerNumber: text(registration?.number),
    iban: text(bank?.iban),
    bic: text(bank?.bic),
    email: text(contact?.email),
    phone: text(contact?.phone),
    networkScheme: text(seller.electronic_address?.scheme),
    networkAddress: text(seller.electronic_address?.value),
    timeZone: seller.time_zone,
    prefix: text(numbering.prefix),
    vatScheme: seller.vat_scheme,
    reset: numbering.reset,
  }
}

/** Members that the form does not show are kept: further tax IDs, and the rest of nested objects. */
export function bodyOf(draft: SellerDraft, seller: Seller): UpdateSeller {
  const text = (value: string) => (value.trim() === '' ? null : value.trim())
  const { register, registerNumber } = draft
  const taxId = text(draft.taxId)
  return {
    legal_name: text(draft.legalName),
    address: {
      ...seller.address,
      line1: text(draft.line1),
      postal_code: text(draft.postalCode),
      city: text(draft.city),
      country: text(draft.country),
    },
    tax_ids: [
      ...(taxId === null ? [] : [{ type: draft.taxIdType, value: taxId }]),
      ...seller.tax_ids.slice(1),
    ],
    registration:
      register === '' && registerNumber === ''
        ? null
        : { register: register.trim(), number: registerNumber.trim() },
    bank: { ...seller.bank, iban: text(draft.iban), bic: text(draft.bic) },
    contact: { ...seller.contact, email: text(draft.email), phone: text(draft.phone) },
    electronic_address:
      draft.networkScheme.trim() === '' && draft.networkAddress.trim() === ''
        ? null
        : { scheme: draft.networkScheme.trim(), value: draft.networkAddress.trim() },
    time_zone: draft.timeZone.trim(),
    vat_scheme: draft.vatScheme,
    numbering: { prefix: text(draft.prefix), reset: draft.reset },
  }
}

export function factsOf(seller: Seller): (readonly [string, string])[] {
  const { address, tax_ids: taxIds, registration, bank, contact, numbering } = seller
  const town = [address?.postal_code, address?.city].filter(Boolean).join(' ')
  const rows: (readonly [string, string | null | undefined])[] = [
    ['Legal name', seller.legal_name],
    [
      'Address',
      [address?.line1, address?.line2, town, address?.state, address?.country].filter(Boolean).join(', '),
    ],
    ['Tax IDs', taxIds.map(({ value }) => value).join(', ')],
    ['Register', registration && `${registration.register} ${registration.number}`],
    ['Bank account', [bank?.iban, bank?.bic].filter(Boolean).join(' · ')],
    ['Contact', [contact?.email, contact?.phone, contact?.url].filter(Boolean).join(' · ')],
    [
      'E-invoice address',
      [seller.electronic_address?.scheme, seller.electronic_address?.value].filter(Boolean).join(':'),
    ],
    ['Time zone', seller.time_zone],
    [
      'Invoice numbers',
      `${numbering.prefix ?? 'Default prefix'}, ${numbering.reset === 'yearly' ? 'restart every year' : 'never restart'}`,
    ],
  ]
  return rows.map(([name, value]) => [name, value || '–'] as const)
}

const names: { readonly [path: string]: string } = {
  legal_name: 'legal name',
  name: 'name',
  'address.line1': 'street',
  'address.city': 'city',
  'address.country': 'country',
  tax_ids: 'tax ID',
}

export function missingText({ missing, required }: Pick<Seller, 'missing' | 'required'>): string {
  const listed = missing.map((path) => names[path] ?? path).join(', ')
  const effect = required
    ? 'In production, invoices stay drafts until you enter them.'
    : 'Invoices are still finalized, because this workspace issued invoices before these fields were required.'
  return `Missing for legal invoices: ${listed}. ${effect}`
}

/** Formats the paths of missing fields, such as `seller.address.city`, for display. */
export function missingOfInvoice(missing: readonly string[]): string {
  return missing
    .map((path) => {
      const [party = '', ...rest] = path.split('.')
      return `${party} ${names[rest.join('.')] ?? rest.join('.')}`
    })
    .join(', ')
}
