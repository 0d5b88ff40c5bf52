import { type Static, type TSchema, Type } from 'typebox'
import {
  type CustomerParty,
  documentLanguages,
  missingOfSeller,
  numberResets,
  type Parties,
  type SellerParty,
  type TaxMode,
  taxModes,
  vatSchemes,
} from '../../../kernel/parties.ts'
import { nullable, nullableWithExample, nullableWithNullExample, OneOf } from '../../../kernel/shapes.ts'
import {
  AddressMembers,
  members as customerMembers,
  ElectronicAddressShape,
  TaxIds,
} from '../../payments/customers/schema.ts'

const text = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] })

const bank = {
  account_holder: nullable(text(140, 'Account holder. Null: the legal name.', 'Example Ltd')),
  name: nullable(text(140, 'Name of the bank.', 'Example Bank')),
  iban: nullable(
    Type.String({
      pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{8,30}$',
      faultDetail: 'must be an IBAN in capital letters without spaces, such as DE89370400440532013000',
      description: 'IBAN without spaces.',
      examples: ['DE89370400440532013000'],
    }),
  ),
  bic: nullable(
    Type.String({
      pattern: '^[A-Z0-9]{8}([A-Z0-9]{3})?$',
      faultDetail: 'must be a BIC of 8 or 11 characters, such as COBADEFFXXX',
      description: 'BIC of the bank.',
      examples: ['COBADEFFXXX'],
    }),
  ),
}
const contact = {
  email: nullable(
    Type.String({
      format: 'email',
      maxLength: 254,
      description: 'E-mail address.',
      examples: ['billing@example.com'],
    }),
  ),
  phone: nullable(text(50, 'Phone number as it is printed.', '+49 30 1234567')),
  url: nullable(text(200, 'Website as it is printed.', 'www.example.com')),
}
const registration = Type.Object(
  {
    register: text(200, 'Name of the register.', 'Amtsgericht Berlin'),
    number: text(100, 'Number in the register.', 'HRB 12345'),
  },
  { additionalProperties: false, description: 'Entry in the company register.' },
)
const footer = Object.fromEntries(
  documentLanguages.map((language) => [
    language,
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: `Text in \`${language}\`.`,
      examples: ['Thank you for your business.'],
    }),
  ]),
)
const members = {
  legal_name: nullableWithExample(text(500, 'Name of the company as registered.', 'Example GmbH')),
  vat_scheme: OneOf(vatSchemes, {
    description:
      '`standard`: tax is due when the invoice is issued. `cash`: tax is due when the invoice is paid. `small_business`: no tax is charged.',
    examples: ['standard'],
    loggable: true,
  }),
  time_zone: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Time zone of the dates on documents, and of the year of invoice numbers.',
    examples: ['Europe/Berlin'],
  }),
}

const numbering = {
  prefix: nullableWithNullExample(
    Type.String({
      pattern: '^[A-Z0-9]{1,12}$',
      faultDetail: 'must be 1 to 12 capital letters or digits, such as INV',
      description: 'Prefix of invoice numbers. Null: `INV`, or `TEST` in the test environment.',
      examples: ['INV'],
    }),
  ),
  reset: OneOf(numberResets, {
    description:
      '`never`: numbers such as INV-000042. `yearly`: numbers such as INV-2026-000042, which begin with 1 again every year, in the time zone of the seller.',
    examples: ['never'],
    loggable: true,
  }),
}
const numberingText = 'How invoices are numbered. Numbers have no gaps.'

const tax = OneOf(taxModes, {
  description:
    '`none`: invoices have no tax. `rates`: your tax rules select the tax rate of each line of new invoices. `provider`: your tax provider computes the tax of each new invoice before the invoice is finalized, and records that tax. Configure the tax provider first.',
  examples: ['none'],
  loggable: true,
})

const addressText = 'Registered address, shown on invoices.'
const readOnly = {
  address: nullableWithExample(Type.Object(AddressMembers, { description: addressText })),
  registration: nullableWithExample(registration),
  tax_ids: TaxIds,
  bank: nullableWithExample(Type.Object(bank, { description: 'Bank account for transfers.' })),
  contact: nullableWithExample(Type.Object(contact, { description: 'How customers reach you.' })),
  electronic_address: nullableWithNullExample(ElectronicAddressShape),
  footer: Type.Partial(Type.Object(footer), {
    description:
      'Text at the end of documents, by language. Documents in a language without a text show the `en` text.',
  }),
}

export const SellerObject = Type.Object(
  {
    object: Type.Literal('seller'),
    ...members,
    ...readOnly,
    numbering: Type.Object(numbering, { description: numberingText }),
    tax,
    missing: Type.Array(Type.String({ loggable: true }), {
      description:
        'Legal fields that are missing, such as `address.city`. In live mode, invoices stay drafts while a field is missing.',
      examples: [[]],
    }),
    required: Type.Boolean({
      description:
        'Whether live invoices stay drafts while a field is missing. False in live workspaces that issued invoices before this setting existed, until the first update that leaves nothing missing.',
      examples: [true],
    }),
  },
  { $id: 'Seller', description: 'Your company as it appears on invoices.' },
)

const partial = <S extends Record<string, TSchema>>(shape: S, description: string) =>
  Type.Optional(nullable(Type.Partial(Type.Object(shape), { additionalProperties: false, description })))

export const UpdateSeller = Type.Object(
  {
    legal_name: Type.Optional(members.legal_name),
    vat_scheme: Type.Optional(members.vat_scheme),
    time_zone: Type.Optional(members.time_zone),
    address: partial(AddressMembers, `${addressText} It is replaced as a whole.`),
    registration: Type.Optional(nullable(registration)),
    tax_ids: Type.Optional(TaxIds),
    bank: partial(bank, 'Bank account for transfers. It is replaced as a whole.'),
    contact: partial(contact, 'How customers reach you. It is replaced as a whole.'),
    electronic_address: Type.Optional(nullable(ElectronicAddressShape)),
    numbering: Type.Optional(
      Type.Partial(Type.Object(numbering), {
        additionalProperties: false,
        description: `${numberingText} Invoices that have a number keep it, and a change of the prefix does not restart the count.`,
      }),
    ),
    tax: Type.Optional(tax),
    footer: Type.Optional(
      Type.Partial(Type.Object(footer), {
        additionalProperties: false,
        description: 'Text at the end of documents, by language. It is replaced as a whole.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type UpdateSeller = Static<typeof UpdateSeller>

/** The copy of the seller and the customer that a finalized invoice keeps. */
export const PartiesShape = Type.Object(
  {
    seller: Type.Object(
      { ...members, ...readOnly },
      { description: 'The seller when the invoice was finalized.' },
    ),
    customer: Type.Object(
      {
        name: customerMembers.name,
        email: customerMembers.email,
        address: nullableWithExample(
          Type.Object(AddressMembers, { description: 'Postal address of the customer.' }),
        ),
        tax_ids: TaxIds,
        locale: customerMembers.locale,
        electronic_address: nullableWithNullExample(ElectronicAddressShape),
        buyer_reference: nullableWithNullExample(
          Type.String({
            description: 'Reference that the customer requires.',
            examples: ['04011000-12345-34'],
          }),
        ),
      },
      { description: 'The customer when the invoice was finalized.' },
    ),
  },
  {
    description:
      'Seller and customer as they were when the invoice was finalized; the PDF shows them. Kept if the customer is deleted, until the legal retention period ends. Null for drafts, for invoices that earlier versions of Switchyard finalized, and in events.',
  },
)

export function present({
  seller,
  required,
  numbering: { prefix, reset },
  tax,
}: {
  readonly seller: SellerParty
  readonly required: boolean
  readonly numbering: { readonly prefix: string | null; readonly reset: (typeof numberResets)[number] }
  readonly tax: TaxMode
}): Static<typeof SellerObject> {
  return {
    object: 'seller',
    ...presentSeller(seller),
    numbering: { prefix, reset },
    tax,
    missing: missingOfSeller(seller),
    required,
  }
}

export function presentParties({ seller, customer }: Parties): Static<typeof PartiesShape> {
  return { seller: presentSeller(seller), customer: presentCustomer(customer) }
}

/** Every member by name, in the order of the schema: PostgreSQL does not keep the order of JSON members. */
function presentSeller(seller: SellerParty) {
  return {
    legal_name: seller.legal_name,
    vat_scheme: seller.vat_scheme,
    time_zone: seller.time_zone,
    address: seller.address,
    registration: seller.registration,
    tax_ids: [...seller.tax_ids],
    bank: seller.bank,
    contact: seller.contact,
    electronic_address: seller.electronic_address ?? null,
    footer: seller.footer as { [language: string]: string },
  }
}

function presentCustomer({ name, email, address, tax_ids, locale, ...party }: CustomerParty) {
  const { electronic_address = null, buyer_reference = null } = party
  return { name, email, address, tax_ids: [...tax_ids], locale, electronic_address, buyer_reference }
}
