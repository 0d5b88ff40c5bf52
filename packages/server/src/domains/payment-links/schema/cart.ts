/** What is to be paid and what is asked of payers, on the wire: the same for links and for sessions. */
import { Type } from 'typebox'
import { type Cart, collectables, customFieldTypes, largestAmount, totalOf } from '../../../kernel/cart.ts'
import { currencies } from '../../../kernel/currency.ts'
import { nullable, OneOf } from '../../../kernel/shapes.ts'

const amount = (description: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: largestAmount, description, examples: [1299] })

export const Currency = OneOf(currencies, {
  description: 'ISO 4217, lower case.',
  examples: ['eur'],
  loggable: true,
})
const itemName = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'For the payer.',
  examples: ['A book'],
})
const itemDescription = nullable(
  Type.String({ minLength: 1, maxLength: 500, description: 'More for the payer.' }),
)
const quantity = Type.Integer({ minimum: 1, maximum: 10_000, examples: [1], description: 'How many.' })

export const LineItem = Type.Object({
  name: itemName,
  description: itemDescription,
  unit_amount: amount('What one costs, in the smallest unit of the currency.', 0),
  quantity,
  adjustable_quantity: Type.Boolean({
    description: 'Whether the payer may choose how many. Possible if it is the only one.',
    examples: [false],
  }),
})

export const OpenAmount = Type.Object({
  min: amount('The least that can be paid.'),
  max: amount('The most that can be paid.'),
  suggested: nullable(amount('What is offered first.')),
})

export const CustomField = Type.Object({
  key: Type.String({
    pattern: '^[a-z][a-z0-9_]{0,39}$',
    faultDetail: 'must be a word of lower-case letters, digits and "_"',
    description: 'What the answer is called.',
    examples: ['size'],
  }),
  label: Type.String({
    minLength: 1,
    maxLength: 80,
    description: 'The question, for the payer.',
    examples: ['Size'],
  }),
  type: OneOf(customFieldTypes, { description: 'How it is answered.' }),
  required: Type.Boolean({ description: 'Whether it has to be answered.', examples: [false] }),
  options: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    maxItems: 50,
    description: 'What can be chosen, for a `dropdown`.',
    examples: [[]],
  }),
})

const collect = Type.Array(OneOf(collectables), {
  maxItems: collectables.length,
  uniqueItems: true,
  description: 'What payers have to give beside their card.',
  examples: [['name']],
})
const customFields = Type.Array(CustomField, {
  maxItems: 3,
  description: 'Questions of your own to the payer, up to three.',
  examples: [[]],
})

/** Members that an object has. */
export const cartMembers = {
  amount: nullable(amount('In the smallest unit of the currency. Null while the payer has not chosen it.')),
  open_amount: nullable({ ...OpenAmount, description: 'The payer chooses, between two bounds.' }),
  line_items: nullable(Type.Array(LineItem, { description: 'What is bought, each with its price.' })),
  currency: Currency,
}
export const askedMembers = { collect, custom_fields: customFields }

/** Members that a request sends: one of the first three. */
export const cartInput = {
  amount: Type.Optional(amount('What is to be paid, in the smallest unit of the currency.')),
  open_amount: Type.Optional(
    Type.Object(
      {
        min: OpenAmount.properties.min,
        max: OpenAmount.properties.max,
        suggested: Type.Optional(OpenAmount.properties.suggested),
      },
      { additionalProperties: false, description: 'The payer chooses, between two bounds.' },
    ),
  ),
  line_items: Type.Optional(
    Type.Array(
      Type.Object(
        {
          name: itemName,
          unit_amount: LineItem.properties.unit_amount,
          description: Type.Optional(itemDescription),
          quantity: Type.Optional({ ...quantity, default: 1 }),
          adjustable_quantity: Type.Optional({ ...LineItem.properties.adjustable_quantity, default: false }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 20, description: 'What is bought, each with its price.' },
    ),
  ),
  currency: Currency,
}
const { key, label, type, required, options } = CustomField.properties
export const askedInput = {
  collect: Type.Optional(collect),
  custom_fields: Type.Optional(
    Type.Array(
      Type.Object(
        {
          key,
          label,
          type: Type.Optional({ ...type, default: 'text' }),
          required: Type.Optional({ ...required, default: false }),
          options: Type.Optional(options),
        },
        { additionalProperties: false },
      ),
      { maxItems: 3, description: 'Questions of your own to the payer, up to three.' },
    ),
  ),
}

export function presentCart({ currency, amount: fixed, openAmount, lineItems }: Cart) {
  const total = lineItems === null ? null : totalOf(lineItems)
  return {
    amount: fixed === null ? total : Number(fixed),
    open_amount: openAmount,
    line_items: lineItems === null ? null : [...lineItems],
    currency,
  }
}
