import { type Static, Type } from 'typebox'
import {
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  shownNullable,
  Time,
} from '../../kernel/shapes.ts'
import type { Customer } from './customer.ts'

const text = (maxLength: number, description: string, example?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    description,
    ...(example === undefined ? {} : { examples: [example] }),
  })

export const AddressMembers = {
  line1: nullable(text(500, 'Street and number.', '12 St James’s Square')),
  line2: nullable(text(500, 'Flat, floor, company.')),
  city: nullable(text(500, 'City or town.', 'London')),
  state: nullable(text(500, 'State, county or region.')),
  postal_code: nullable(text(50, 'Postal code.', 'SW1Y 4JH')),
  country: nullable(
    Type.String({
      pattern: '^[A-Z]{2}$',
      faultDetail: 'must be a country as two letters, such as GB',
      description: 'ISO 3166-1, two letters.',
      examples: ['GB'],
    }),
  ),
}

const TaxIdShape = Type.Object(
  {
    type: Type.String({
      pattern: '^[a-z]{2}_[a-z0-9_]{1,17}$',
      faultDetail: 'must be a country and a kind of number, such as eu_vat',
      description: 'Country or region, and the kind of number.',
      examples: ['eu_vat'],
    }),
    value: text(100, 'The number as it is written.', 'DE123456789'),
  },
  { additionalProperties: false },
)

export const members = {
  name: nullable(text(500, 'Name of the person or company.', 'Ada Lovelace')),
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
      faultDetail: 'must be a number in international form, such as +442071234567',
      description: 'International form (E.164).',
      examples: ['+442071234567'],
    }),
  ),
  description: nullable(text(5000, 'A note for your people.')),
  locale: nullable(
    Type.String({
      pattern: '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$',
      faultDetail: 'must be a language tag, such as en-GB',
      description: 'Language for pages and mails (BCP 47).',
      examples: ['en-GB'],
    }),
  ),
}
const taxIds = Type.Array(TaxIdShape, { maxItems: 10, description: 'Tax numbers, for invoices.' })

export const CustomerObject = Type.Object(
  {
    id: IdOf('customer'),
    object: Type.Literal('customer'),
    ...members,
    address: shownNullable(
      Type.Object(AddressMembers, { description: 'Where the customer is, for invoices.' }),
    ),
    tax_ids: taxIds,
    test_clock_id: nullable({
      ...IdOf('test_clock'),
      description: 'The test clock in whose time the customer lives.',
    }),
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Customer', description: 'Somebody who pays you: a person or a company.' },
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
          description: 'Where the customer is, for invoices. It is replaced as a whole.',
        }),
      ),
    ),
    tax_ids: Type.Optional(taxIds),
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
        description: 'A test clock in whose time the customer shall live. It cannot be changed later.',
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
    phone: customer.phone,
    description: customer.description,
    locale: customer.locale,
    address: customer.address,
    tax_ids: [...customer.taxIds],
    test_clock_id: customer.testClockId,
    metadata: customer.metadata,
    created_at: customer.createdAt.toISOString(),
    updated_at: customer.updatedAt.toISOString(),
  }
}

export function presentDeleted(customer: Customer): Static<typeof DeletedCustomer> {
  return { id: customer.id, object: 'customer', deleted: true }
}
