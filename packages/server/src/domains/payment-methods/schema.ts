import { type Static, Type } from 'typebox'
import { currencies } from '../../kernel/currency.ts'
import { IdOf, Metadata, MetadataChange, nullable, OneOf, shownNullable, Time } from '../../kernel/shapes.ts'
import { AddressMembers, members as customerMembers } from '../customers/schema.ts'
import { statuses } from './machine.ts'
import { detachedReasons, type PaymentMethod, usages } from './payment-method.ts'

// Whose methods go with them.
export { CustomerPath, DeletedCustomer, presentDeleted } from '../customers/schema.ts'

const usage = (options: object = {}) =>
  OneOf(usages, {
    description: '`off_session`: it may also be charged while the payer is not there.',
    loggable: true,
    ...options,
  })
const { name, email, phone } = customerMembers
const expMonth = Type.Integer({
  minimum: 1,
  maximum: 12,
  description: 'The month after which the card is over.',
  examples: [12],
})
const expYear = Type.Integer({ minimum: 2000, maximum: 2099, description: 'Four digits.', examples: [2030] })

const addressText = 'Where the statements of the card go.'

const Card = Type.Object(
  {
    brand: Type.String({ description: 'Such as `visa`.', examples: ['visa'] }),
    last4: Type.String({ description: 'The last four digits.', examples: ['4242'] }),
    exp_month: expMonth,
    exp_year: expYear,
    funding: nullable(Type.String({ description: '`credit`, `debit` or `prepaid`, if known.' })),
    country: nullable(Type.String({ description: 'Where it was issued, if known.', examples: ['US'] })),
    bin: nullable(Type.String({ description: 'The first digits, if they may be shown.' })),
    fingerprint: nullable(
      Type.String({ description: 'The same for each method of one number; null if it is not known.' }),
    ),
  },
  { description: 'What may be shown of the card.' },
)

const Authorization = Type.Object(
  {
    verified_at: Time,
    payment_id: IdOf('payment', 'The payment of nothing by which it was verified.'),
    provider_account_id: IdOf('provider_account', 'The account at which it was verified.'),
    network_transaction_id: nullable(
      Type.String({ description: 'What the card network calls the verification.' }),
    ),
  },
  { description: 'How it was verified.' },
)

export const PaymentMethodObject = Type.Object(
  {
    id: IdOf('payment_method'),
    object: Type.Literal('payment_method'),
    status: OneOf(statuses, { description: 'Only one that is `attached` can pay.', loggable: true }),
    type: OneOf(['card'], { description: 'What it is. Cards are all there is.' }),
    customer_id: nullable(IdOf('customer', 'Whose it is, or was.')),
    card: Card,
    billing_details: shownNullable(
      Type.Object(
        { name, email, phone, address: nullable(Type.Object(AddressMembers, { description: addressText })) },
        { description: 'As the bank knows the payer.' },
      ),
    ),
    usage: usage(),
    authorization: Authorization,
    detached_reason: nullable(
      OneOf(detachedReasons, { description: 'Why it was detached.', loggable: true }),
    ),
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'PaymentMethod', description: 'A card that is kept, to be charged again.' },
)

export const PaymentMethodPath = Type.Object({ payment_method_id: IdOf('payment_method') })

const BillingDetails = nullable(
  Type.Object(
    {
      name: Type.Optional(name),
      email: Type.Optional(email),
      phone: Type.Optional(phone),
      address: Type.Optional(
        nullable(
          Type.Partial(Type.Object(AddressMembers), {
            additionalProperties: false,
            description: addressText,
          }),
        ),
      ),
    },
    { additionalProperties: false, description: 'As the bank knows the payer.' },
  ),
)

export const CreatePaymentMethod = Type.Object(
  {
    payment_route_id: Type.Optional({
      ...IdOf('payment_route'),
      description: 'The route by which it is verified. Without it, the default one.',
    }),
    token: Type.String({
      maxLength: 100,
      description: 'A card token. It is used up, whatever comes of it.',
      examples: ['token_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
    }),
    usage: Type.Optional(usage({ default: 'on_session' })),
    currency: Type.Optional(
      OneOf(currencies, {
        default: 'eur',
        description: 'In which the card is verified. Nothing is taken, but banks want to be asked in one.',
        loggable: true,
      }),
    ),
    billing_details: Type.Optional(BillingDetails),
    return_url: Type.Optional(
      Type.String({ format: 'uri', maxLength: 2048, description: 'Where the payer comes back to.' }),
    ),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreatePaymentMethod = Static<typeof CreatePaymentMethod>

export const UpdatePaymentMethod = Type.Object(
  {
    card: Type.Optional(
      Type.Object(
        { exp_month: expMonth, exp_year: expYear },
        { additionalProperties: false, description: 'When the card, which stays the same, runs out now.' },
      ),
    ),
    billing_details: Type.Optional(BillingDetails),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type UpdatePaymentMethod = Static<typeof UpdatePaymentMethod>

export const AttachPaymentMethod = Type.Object(
  { customer_id: IdOf('customer', 'Whose it becomes.') },
  { additionalProperties: false },
)
export type AttachPaymentMethod = Static<typeof AttachPaymentMethod>

export function present(method: PaymentMethod): Static<typeof PaymentMethodObject> {
  return {
    id: method.id,
    object: 'payment_method',
    status: method.status,
    type: 'card',
    customer_id: method.customerId,
    card: { ...method.card, fingerprint: method.fingerprint },
    billing_details: method.billingDetails,
    usage: method.usage,
    authorization: {
      verified_at: method.verifiedAt.toISOString(),
      payment_id: method.verifiedByPaymentId,
      provider_account_id: method.providerAccountId,
      network_transaction_id: method.networkTransactionId,
    },
    detached_reason: method.detachedReason,
    metadata: { ...method.metadata },
    created_at: method.createdAt.toISOString(),
    updated_at: method.updatedAt.toISOString(),
  }
}
