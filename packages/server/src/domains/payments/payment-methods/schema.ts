import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { presentDebit } from '../../../kernel/debit-details.ts'
import {
  CreatedAt,
  debitDetails,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { methodTypes } from '../../../providers/contract.ts'
import { AddressMembers, members as customerMembers } from '../customers/schema.ts'
import { statuses } from './machine.ts'
import { credentialStatuses, detachedReasons, type PaymentMethod, usages } from './payment-method.ts'
import { DeviceInput } from './schema/device.ts'

const usage = (options: object = {}) =>
  OneOf(usages, {
    description:
      '`on_session`: the payer must be present. `off_session`: it can also be charged while the payer is not present.',
    loggable: true,
    ...options,
  })
const { name, email, phone } = customerMembers
const expMonth = Type.Integer({
  minimum: 1,
  maximum: 12,
  description: 'Expiry month, 1 to 12.',
  examples: [12],
})
const expYear = Type.Integer({
  minimum: 2000,
  maximum: 2099,
  description: 'Expiry year, four digits.',
  examples: [2030],
})

const addressText = 'Billing address of the card.'

const Card = Type.Object(
  {
    brand: Type.String({ description: 'Card brand, e.g. `visa`.', examples: ['visa'] }),
    last4: Type.String({ description: 'Last four digits of the card number.', examples: ['4242'] }),
    exp_month: expMonth,
    exp_year: expYear,
    funding: nullable(Type.String({ description: '`credit`, `debit` or `prepaid`. Null if unknown.' })),
    issuer: Type.Optional(nullable(Type.String({ description: 'Issuing bank. Null if unknown.' }))),
    country: nullable(
      Type.String({
        description: 'Country of the issuing bank, as a two-letter ISO 3166-1 code. Null if unknown.',
        examples: ['US'],
      }),
    ),
    bin: nullable(
      Type.String({ description: 'First digits of the card number (BIN). Null if they may not be shown.' }),
    ),
    fingerprint: nullable(
      Type.String({
        description:
          'Identifies the card number: payment methods with the same number have the same fingerprint. Null if unknown.',
      }),
    ),
  },
  { description: 'Card details that can be displayed.' },
)

const Authorization = Type.Object(
  {
    verified_at: { ...Time, description: 'Time of the verification.' },
    payment_id: IdOf('payment', 'Zero-amount payment that verified the card.'),
    provider_account_id: IdOf('provider_account', 'Provider account that verified the card.'),
    network_transaction_id: nullable(
      Type.String({
        description: 'Transaction ID that the card network assigned to the verification. Null if unknown.',
      }),
    ),
  },
  { description: 'How the card was verified.' },
)

const Credential = Type.Object(
  {
    type: OneOf(['vault', 'provider_token'], {
      description:
        '`vault`: a vault has the card number, so the card can be charged at every provider account that accepts card numbers. `provider_token`: the provider has stored the card for one provider account.',
      loggable: true,
    }),
    provider_account_id: nullable(
      IdOf('provider_account', 'Provider account of a `provider_token`. Null for `vault`.'),
    ),
    status: OneOf(credentialStatuses, {
      description:
        '`active`: can be charged. `pending`: the verification has no result yet. `failed`: the card could not be verified, or the provider did not store it; it can be requested again.',
      loggable: true,
      examples: ['active'],
    }),
    payment_id: nullable(IdOf('payment', 'Zero-amount payment that verified the card there.')),
    network_transaction_id: nullable(
      Type.String({
        description: 'Transaction ID that the card network assigned to the verification. Null if unknown.',
      }),
    ),
    created_at: { ...Time, description: 'Time at which the credential was created or requested.' },
  },
  { description: 'A way to charge the card. The token is never returned.' },
)

export const PaymentMethodObject = Type.Object(
  {
    id: IdOf('payment_method'),
    object: Type.Literal('payment_method'),
    status: OneOf(statuses, {
      description: 'Only an `attached` payment method can be charged.',
      loggable: true,
    }),
    type: OneOf(methodTypes, {
      description:
        'Type of the payment method. For cards and debits, the member of the same name contains the details.',
      loggable: true,
    }),
    customer_id: nullable(
      IdOf('customer', 'Customer that it is, or was, attached to. Null if it was never attached.'),
    ),
    card: nullableWithExample(Card),
    ...debitDetails,
    billing_details: nullableWithExample(
      Type.Object(
        { name, email, phone, address: nullable(Type.Object(AddressMembers, { description: addressText })) },
        { description: 'Billing details of the payer.' },
      ),
    ),
    usage: usage(),
    authorization: Authorization,
    credentials: Type.Array(Credential, {
      description:
        'How the card can be charged: by its number in a vault, and with tokens at provider accounts. Empty once it is detached.',
    }),
    detached_reason: nullable(
      OneOf(detachedReasons, {
        description: 'Why it was detached. Null if it is not detached.',
        loggable: true,
      }),
    ),
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'PaymentMethod', description: 'A saved card or bank account that can be charged again.' },
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
    { additionalProperties: false, description: 'Billing details of the payer.' },
  ),
)

export const CreatePaymentMethod = Type.Object(
  {
    payment_route_id: Type.Optional({
      ...IdOf('payment_route'),
      description:
        'Route that selects the provider account for the verification. Default: the default route of the workspace.',
    }),
    token: Type.String({
      maxLength: 100,
      description: 'Card token. It can be used once, even if the verification fails.',
      examples: ['token_test_01M7CYVGQTEAKSNTBFR026MPQ1'],
    }),
    usage: Type.Optional(usage({ default: 'on_session' })),
    currency: Type.Optional(
      OneOf(currencies, {
        description:
          'Currency of the zero-amount verification. Nothing is charged. Default: `usd` for ACH debits, `gbp` for Bacs debits, otherwise `eur`.',
        faultDetail: 'must be a lowercase currency code, such as eur',
        loggable: true,
      }),
    ),
    billing_details: Type.Optional(BillingDetails),
    return_url: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: 2048,
        description: 'URL that the payer is redirected to after completing `next_action`.',
      }),
    ),
    device: Type.Optional(DeviceInput),
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
        { additionalProperties: false, description: 'New expiry date of the same card.' },
      ),
    ),
    billing_details: Type.Optional(BillingDetails),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type UpdatePaymentMethod = Static<typeof UpdatePaymentMethod>

export const CreateCredential = Type.Object(
  {
    provider_account_id: IdOf('provider_account', 'Provider account that verifies and stores the card.'),
    currency: Type.Optional(
      OneOf(currencies, {
        description:
          'Currency of the zero-amount verification. Nothing is charged. Default: `usd` for ACH debits, `gbp` for Bacs debits, otherwise `eur`.',
        faultDetail: 'must be a lowercase currency code, such as eur',
        loggable: true,
      }),
    ),
  },
  { additionalProperties: false },
)
export type CreateCredential = Static<typeof CreateCredential>

export const AttachPaymentMethod = Type.Object(
  { customer_id: IdOf('customer', 'Customer to attach it to.') },
  { additionalProperties: false },
)
export type AttachPaymentMethod = Static<typeof AttachPaymentMethod>

export function present(method: PaymentMethod): Static<typeof PaymentMethodObject> {
  return {
    id: method.id,
    object: 'payment_method',
    status: method.status,
    type: method.type,
    customer_id: method.customerId,
    card: method.debit === null ? { ...method.card, fingerprint: method.fingerprint } : null,
    ...presentDebit(method.type, method.debit),
    billing_details: method.billingDetails,
    usage: method.usage,
    authorization: {
      verified_at: method.verifiedAt.toISOString(),
      payment_id: method.verifiedByPaymentId,
      provider_account_id: method.providerAccountId,
      network_transaction_id: method.networkTransactionId,
    },
    credentials: credentialsOf(method),
    detached_reason: method.detachedReason,
    metadata: { ...method.metadata },
    created_at: method.createdAt.toISOString(),
    updated_at: method.updatedAt.toISOString(),
  }
}

function credentialsOf(method: PaymentMethod): Static<typeof Credential>[] {
  const { vaultCardUuid, verifiedByPaymentId, networkTransactionId, createdAt } = method
  const inVault = {
    type: 'vault',
    provider_account_id: null,
    status: 'active',
    payment_id: verifiedByPaymentId,
    network_transaction_id: networkTransactionId,
    created_at: createdAt.toISOString(),
  } as const
  const tokens = method.credentials.map((credential) => ({
    type: 'provider_token' as const,
    provider_account_id: credential.providerAccountId,
    status: credential.status,
    payment_id: credential.paymentId ?? verifiedByPaymentId,
    network_transaction_id: credential.networkTransactionId,
    created_at: credential.createdAt.toISOString(),
  }))
  return vaultCardUuid === null ? tokens : [inVault, ...tokens]
}
