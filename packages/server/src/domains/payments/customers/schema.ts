import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { type Customer, emailStatuses } from './customer.ts'

const text = (maxLength: number, description: string, example?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  })

export const AddressMembers = {
  line1: nullable(text(500, 'Street and number.', '12 St James’s Square')),
  line2: nullable(text(500, 'Flat, floor or company.')),
  city: nullable(text(500, 'City or town.', 'London')),
  state: nullable(text(500, 'State, county or region.')),
  postal_code: nullable(text(50, 'Postal code.', 'SW1Y 4JH')),
  country: nullable(
    Type.String({
      pattern: '^[A-Z]{2}$',
      faultDetail: 'must be a two-letter country code, such as GB',
      description: 'Two-letter ISO 3166-1 country code.',
      examples: ['GB'],
    }),
  ),
}

const TaxId = Type.Object(
  {
    type: Type.String({
      pattern: '^[a-z]{2}_[a-z0-9_]{1,17}$',
      faultDetail: 'must be a tax ID type, such as eu_vat',
      description: 'Type of tax ID: country or region and kind, e.g. `eu_vat`.',
      examples: ['eu_vat'],
    }),
    value: text(100, 'Tax ID as it appears on documents.', 'DE123456789'),
  },
  { additionalProperties: false },
)

export const members = {
  name: nullable(
    text(
      500,
      'Name of the person or company, shown on invoices. For a business, its legal name.',
      'Ada Lovelace',
    ),
  ),
  email: nullable(
    Type.String({
      format: 'email',
      maxLength: 254,
      description: 'E-mail address.',
      examples: ['ada@example.com'],
    }),
  ),
  phone: nullable(
    Type.String({
      pattern: '^\\+[1-9][0-9]{4,14}$',
      faultDetail: 'must be a phone number in E.164 format, such as +442071234567',
      description: 'Phone number in E.164 format.',
      examples: ['+442071234567'],
    }),
  ),
  description: nullable(text(5000, 'Internal note.')),
  locale: nullable(
    Type.String({
      pattern: '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$',
      faultDetail: 'must be a language tag, such as en-GB',
      description: 'Preferred language for hosted pages, e-mails and invoices (BCP 47).',
      examples: ['en-GB'],
    }),
  ),
}
export const TaxIds = Type.Array(TaxId, { maxItems: 10, description: 'Tax IDs, shown on invoices.' })

export const ElectronicAddressShape = Type.Object(
  {
    scheme: Type.String({
      pattern: '^([0-9]{4}|EM)$',
      faultDetail:
        'must be a code of the EAS list, such as 9930 for a German VAT ID, or EM for an e-mail address',
      description: 'Code of the EAS list, such as `9930` for a German VAT ID. `EM`: an e-mail address.',
      examples: ['9930'],
    }),
    value: text(200, 'Address in this scheme.', 'DE123456789'),
  },
  {
    additionalProperties: false,
    description: 'Address for e-invoices, such as the participant ID in Peppol.',
  },
)
const buyerReference = text(
  200,
  'Reference that the customer requires on e-invoices, such as the Leitweg-ID of a German authority.',
  '04011000-12345-34',
)

const taxExempt = Type.Boolean({
  description:
    'Whether invoices of the customer have no tax, for example because it is a charity or a reseller.',
  examples: [false],
  loggable: true,
})

export const CustomerObject = Type.Object(
  {
    id: IdOf('customer'),
    object: Type.Literal('customer'),
    ...members,
    email_status: nullableWithNullExample(
      OneOf(emailStatuses, {
        description:
          '`bounced`: an e-mail to the address bounced permanently. `complained`: its owner marked an e-mail as spam. No further e-mails are sent to it. Null: no problem is known. A change of the address resets it.',
        examples: ['bounced'],
      }),
    ),
    address: nullableWithExample(
      Type.Object(AddressMembers, { description: 'Postal address, shown on invoices.' }),
    ),
    tax_ids: TaxIds,
    tax_exempt: taxExempt,
    electronic_address: nullableWithNullExample(ElectronicAddressShape),
    buyer_reference: nullableWithNullExample(buyerReference),
    test_clock_id: nullable({
      ...IdOf('test_clock'),
      description: 'Test clock that the customer uses. Null if the customer uses real time.',
    }),
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'Customer', description: 'A person or company that pays you.' },
)

export const CustomerPath = Type.Object({ customer_id: IdOf('customer') })
export const DeletedCustomer = Deleted('customer', 'DeletedCustomer')

export const CustomerBody = Type.Object(
  {
    name: Type.Optional(members.name),
    email: Type.Optional(members.email),
    phone: Type.Optional(members.phone),
    description: Type.Optional(members.description),
    locale: Type.Optional(members.locale),
    address: Type.Optional(
      nullable(
        Type.Partial(Type.Object(AddressMembers), {
          additionalProperties: false,
          description: 'Postal address, shown on invoices. It is replaced as a whole.',
        }),
      ),
    ),
    tax_ids: Type.Optional(TaxIds),
    tax_exempt: Type.Optional(taxExempt),
    electronic_address: Type.Optional(nullable(ElectronicAddressShape)),
    buyer_reference: Type.Optional(nullable(buyerReference)),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CustomerBody = Static<typeof CustomerBody>

export const CreateCustomer = Type.Object(
  {
    ...CustomerBody.properties,
    test_clock_id: Type.Optional(
      nullable({
        ...IdOf('test_clock'),
        description: 'Test clock for the customer. It cannot be changed later.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type CreateCustomer = Static<typeof CreateCustomer>

export function present(customer: Customer): Static<typeof CustomerObject> {
  return {
    id: customer.id,
    object: 'customer',
    name: customer.name,
    email: customer.email,
    email_status: customer.emailStatus,
    phone: customer.phone,
    description: customer.description,
    locale: customer.locale,
    address: customer.address,
    tax_ids: [...customer.taxIds],
    tax_exempt: customer.taxExempt,
    electronic_address: customer.electronicAddress,
    buyer_reference: customer.buyerReference,
    test_clock_id: customer.testClockId,
    metadata: customer.metadata,
    created_at: customer.createdAt.toISOString(),
    updated_at: customer.updatedAt.toISOString(),
  }
}

export function presentDeleted(customer: Customer): Static<typeof DeletedCustomer> {
  return { id: customer.id, object: 'customer', deleted: true }
}
