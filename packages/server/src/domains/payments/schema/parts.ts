/** Parts of a payment on the wire: its card, why it failed, what its payer has to do. */
import { Type } from 'typebox'
import { nullable, Time } from '../../../kernel/shapes.ts'

const word = (description: string, example: string) =>
  Type.String({ description, examples: [example], loggable: true })

export const Card = Type.Object(
  {
    brand: word('The network of the card.', 'visa'),
    last4: Type.String({ description: 'The last four digits.', examples: ['4242'] }),
    exp_month: Type.Integer({ description: 'The month after which the card is over.', examples: [12] }),
    exp_year: Type.Integer({ description: 'Its year, four digits.', examples: [2030] }),
    funding: nullable(Type.String({ description: '`credit`, `debit` or `prepaid`, if known.' })),
    country: nullable(Type.String({ description: 'Where the bank is, if known.' })),
    bin: nullable(Type.String({ description: 'The first digits, if they may be shown.' })),
  },
  { description: 'What may be shown of the card.' },
)

export const Failure = Type.Object(
  {
    code: word('Why. One of the decline codes.', 'insufficient_funds'),
    class: word('Which kind of reason it is.', 'soft'),
    advice_code: word('What the payer can do.', 'other_method'),
    message: Type.String({
      description: 'A text for the payer.',
      examples: ['Your bank declined this payment. Use another card.'],
    }),
    network_code: nullable(Type.String({ description: 'What the card network said.', examples: ['51'] })),
  },
  { description: 'Why it failed.' },
)

export const NextAction = Type.Object(
  {
    type: Type.Literal('redirect'),
    url: Type.String({
      description: 'Where the payer has to go.',
      examples: ['https://pay.example.com/a/payment_01M7CYVSCBEAKS6M475NRJM4KW'],
    }),
    expires_at: Time,
  },
  { description: 'What the payer has to do.' },
)
