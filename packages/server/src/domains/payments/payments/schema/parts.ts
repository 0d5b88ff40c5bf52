/** Parts of the payment schema: card, failure, next action. */
import { Type } from 'typebox'
import { nullable, OneOf, Time } from '../../../../kernel/shapes.ts'

const codeText = (description: string, example: string) =>
  Type.String({ description, examples: [example], loggable: true })

export const Card = Type.Object(
  {
    brand: codeText('Card brand, e.g. `visa`.', 'visa'),
    last4: Type.String({
      description: 'Last four digits of the card number. Empty if unknown.',
      examples: ['4242'],
    }),
    exp_month: Type.Integer({ description: 'Expiry month, 1 to 12. 0 if unknown.', examples: [12] }),
    exp_year: Type.Integer({ description: 'Expiry year, four digits. 0 if unknown.', examples: [2030] }),
    funding: nullable(Type.String({ description: '`credit`, `debit` or `prepaid`. Null if unknown.' })),
    country: nullable(
      Type.String({
        description: 'Country of the issuing bank, as a two-letter ISO 3166-1 code. Null if unknown.',
      }),
    ),
    issuer: Type.Optional(nullable(Type.String({ description: 'Issuing bank. Null if unknown.' }))),
    bin: nullable(
      Type.String({ description: 'First digits of the card number (BIN). Null if they may not be shown.' }),
    ),
  },
  { description: 'Card details that can be displayed.' },
)

export const Settlement = Type.Object(
  {
    status: OneOf(['pending', 'settled'], {
      description:
        '`pending`: the debit was submitted, and the bank has not confirmed it yet. `settled`: the bank has confirmed it.',
      examples: ['settled'],
      loggable: true,
    }),
    expected_at: nullable({
      ...Time,
      description: 'Time by which the bank confirms the debit. Null if it was confirmed immediately.',
    }),
    settled_at: nullable({ ...Time, description: 'Time at which the bank confirmed the debit.' }),
  },
  { description: 'When the bank confirms a debit. Null for cards, and for a debit that was not submitted.' },
)

export const Reversal = Type.Object(
  {
    reason_code: nullable(
      Type.String({ description: 'Reason code of the bank. Null if unknown.', examples: ['MD06'] }),
    ),
    provider_reference: Type.String({
      description: 'ID that the provider assigned to the return.',
      examples: ['ret_8f2c1d'],
    }),
    reversed_at: { ...Time, description: 'Time at which the return was recorded.' },
  },
  { description: 'Return of a debit by the bank of the payer. Null if it was not returned.' },
)

export const Failure = Type.Object(
  {
    code: codeText('Decline code that states the reason.', 'insufficient_funds'),
    class: codeText('Category of the decline code.', 'soft'),
    advice_code: codeText('Recommended next step for the payer.', 'other_method'),
    message: Type.String({
      description: 'Message that can be shown to the payer.',
      examples: ['Your bank declined this payment. Use another card.'],
    }),
    network_code: nullable(
      Type.String({
        description: 'Response code of the card network. Null if the provider did not send one.',
        examples: ['51'],
      }),
    ),
  },
  { description: 'Failure details. Null if there was no failure.' },
)

export const NextAction = Type.Object(
  {
    type: Type.Literal('redirect', { description: 'Type of the action.' }),
    url: Type.String({
      description: 'URL to redirect the payer to.',
      examples: ['https://pay.example.com/a/payment_01M7CYVSCBEAKS6M475NRJM4KW'],
    }),
    expires_at: { ...Time, description: 'Time the action expires.' },
  },
  { description: 'Action that the payer must complete. Null if there is none.' },
)
