/** What a route says, on the wire. Trees of conditions are checked by the domain, which can say what is wrong. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { IdOf, nullable, OneOf } from '../../../kernel/shapes.ts'
import { longestWindowDays, neededAttempts, segmentOperands, usualAdaptive } from '../adaptive.ts'
import type { ActionInput } from '../changes.ts'
import { fieldNames } from '../operands.ts'
import {
  type Condition,
  type Example,
  failoverClasses,
  most,
  operators,
  type Share,
  splitKeys,
} from '../payment-route.ts'

const accountId = 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1'
const otherId = 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ2'

const name = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] })

const When = Type.Unsafe<Condition>({
  type: 'object',
  additionalProperties: true,
  description: `\`{all: […]}\`, \`{any: […]}\`, \`{not: …}\` or \`{field, op, value}\`, at most ${most.depth} levels deep with ${most.conditions} conditions. \`{all: []}\` matches every payment. Fields: ${fieldNames.join(', ')}, metadata.<key>, customer.metadata.<key>. Operators: ${operators.join(', ')}. A payment that does not have the field meets \`exists\` false and nothing else.`,
  examples: [{ all: [{ field: 'currency', op: 'eq', value: 'eur' }] }],
})

const Target = Type.Unsafe<string | Share>({
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 100,
  properties: {
    provider_account_id: IdOf('provider_account'),
    weight: Type.Integer({ minimum: 0, maximum: 100, description: 'In percent.', examples: [80] }),
  },
  required: ['provider_account_id', 'weight'],
  additionalProperties: false,
})

const account = Type.String({ minLength: 1, maxLength: 100, examples: [otherId] })

const count = neededAttempts.toLocaleString('en')

const Adaptive = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether it decides.', examples: [true] }),
    window_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: longestWindowDays,
        description: 'For how long an attempt counts.',
        default: usualAdaptive.window_days,
      }),
    ),
    exploration_percent: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 10,
        description: 'How many payments at most go to another account than the best one, to find out more.',
        default: usualAdaptive.exploration_percent,
      }),
    ),
    segment_by: Type.Optional(
      Type.Array(OneOf(segmentOperands), {
        maxItems: segmentOperands.length,
        description: `What makes payments alike: accounts are compared among those alone. Without it: ${segmentOperands.join(', ')}.`,
        examples: [['currency', 'card.country']],
      }),
    ),
  },
  {
    additionalProperties: false,
    description: `Of \`priority\`: the order follows what the accounts approve. While a segment has fewer than ${count} attempts in the window, the fixed order stands. Without it: always.`,
    examples: [{ enabled: true, window_days: 14, exploration_percent: 5, segment_by: ['currency'] }],
  },
)

const actionMembers = {
  type: OneOf(['priority', 'split', 'decline'], {
    description:
      '`priority`: the first account of `targets` that can take it. `split`: one of them by lot. `decline`: none.',
    examples: ['priority'],
  }),
  targets: Type.Optional(
    Type.Array(Target, {
      minItems: 1,
      maxItems: most.targets,
      description:
        'Of `priority`: ids of accounts, in order. Of `split`: accounts with their `weight`; together 100.',
      examples: [[accountId, otherId]],
    }),
  ),
  key: Type.Optional(
    OneOf(splitKeys, {
      description:
        'Of `split`: whose lot it is. With `customer` all payments of a customer go to the same account. Without it: `payment`.',
    }),
  ),
  salt: Type.Optional(
    name(
      100,
      'Of `split`: what the lot is mixed with. While it stays, a new weight moves only the difference. Without it: the name of the rule.',
      'EU cards',
    ),
  ),
  fallback: Type.Optional(
    Type.Array(account, {
      maxItems: most.targets,
      description: 'Of `split`: accounts that are asked when none of the targets can take it.',
    }),
  ),
  adaptive: Type.Optional(Adaptive),
}

const Action = Type.Unsafe<ActionInput>(
  Type.Object(actionMembers, {
    additionalProperties: false,
    examples: [{ type: 'priority', targets: [accountId, otherId] }],
  }),
)

const Rule = Type.Object(
  {
    name: name(100, 'For people, and unlike that of every other rule.', 'EU cards'),
    when: When,
    then: { ...Action, description: 'What is done with a payment that matches.' },
  },
  { additionalProperties: false },
)

const Failover = Type.Object(
  {
    max_attempts: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 5, description: 'How many accounts are asked.', default: 2 }),
    ),
    budget_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description: 'After so long no other account is asked.',
        default: 20_000,
      }),
    ),
    on: Type.Optional(
      Type.Array(OneOf(failoverClasses), {
        maxItems: failoverClasses.length,
        description:
          'After which failures another account is asked. It can leave some out, and add none: after an unknown outcome, a hard decline or a suspicion of fraud nobody else is ever asked.',
        examples: [['technical', 'configuration', 'soft']],
      }),
    ),
  },
  { additionalProperties: false, description: 'When another account is asked.' },
)

const some = <const Words extends readonly string[]>(words: Words, description: string, usual: string) =>
  Type.Optional(
    Type.Array(OneOf(words), { minItems: 1, maxItems: words.length, description, examples: [[usual]] }),
  )
const codes = (pattern: string, description: string, examples: readonly string[]) =>
  Type.Optional(
    nullable(
      Type.Array(Type.String({ pattern }), { minItems: 1, maxItems: 300, description, examples: [examples] }),
    ),
  )
const sum = (description: string) => Type.Integer({ minimum: 0, maximum: 999_999_999_999, description })

const Limits = Type.Object(
  {
    currencies: Type.Array(
      OneOf(currencies, { faultDetail: 'must be a currency in lower case, such as eur' }),
      {
        minItems: 1,
        maxItems: 300,
        description: 'In lower case.',
        examples: [['eur']],
      },
    ),
    amount: Type.Optional(
      nullable(
        Type.Object(
          { min: sum('The least, in the smallest unit.'), max: sum('The most.') },
          { additionalProperties: false, description: 'Null: any.', examples: [{ min: 1, max: 1_000_000 }] },
        ),
      ),
    ),
    brands: codes('^[a-z0-9_]{1,40}$', 'Of cards. Null: any.', ['visa', 'mastercard']),
    countries: codes('^[A-Z]{2}$', 'Of cards. Null: any.', ['DE', 'FR']),
    purposes: some(['payment', 'verification'], 'Without it: `payment`.', 'payment'),
    capture_methods: some(['automatic', 'manual'], 'Without it: `automatic`.', 'automatic'),
    initiators: some(['customer', 'merchant'], 'Without it: `customer`.', 'customer'),
  },
  {
    additionalProperties: false,
    description:
      'What the route promises to find an account for. A route that breaks its promise for a payment within them cannot be published. Null: no promise.',
  },
)

const operandMembers = {
  type: 'object',
  additionalProperties: { type: ['string', 'integer'] },
  maxProperties: 100,
}
export const OperandsObject = Type.Unsafe<{ [field: string]: string | number }>({
  ...operandMembers,
  description:
    'A payment, described by the fields that rules ask for. `amount` and `currency` are required; the others are as usual unless they are here.',
  examples: [{ amount: 1299, currency: 'eur', 'card.country': 'DE' }],
})

const ExampleShape = Type.Unsafe<Example>(
  Type.Object(
    {
      name: name(100, 'What it shows.', 'A German card goes to our acquirer'),
      payment: OperandsObject,
      expect: Type.Object(
        {
          provider_account_id: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 100,
              description: 'The account it has to go to.',
              examples: [accountId],
            }),
          ),
          decline: Type.Optional(Type.Literal(true)),
        },
        {
          additionalProperties: false,
          minProperties: 1,
          maxProperties: 1,
          description: 'The account it has to go to, or `{decline: true}`.',
          examples: [{ provider_account_id: accountId }],
        },
      ),
    },
    { additionalProperties: false },
  ),
)

const defaultText = 'What is done with a payment that no rule matches.'

/** As they are sent. */
export const definitionInput = {
  name: name(100, 'For people.', 'Cards in euros'),
  rules: Type.Optional(
    Type.Array(Rule, {
      maxItems: most.rules,
      description: `Asked in order; the first that matches decides. At most ${most.rules}.`,
    }),
  ),
  default: { ...Action, description: defaultText },
  failover: Type.Optional(Failover),
  limits: Type.Optional(nullable(Limits)),
  examples: Type.Optional(
    Type.Array(ExampleShape, {
      maxItems: most.examples,
      description: 'Tests of the route. It cannot be published while one of them fails.',
    }),
  ),
}

export const DefinitionBody = Type.Object(definitionInput, { additionalProperties: false })
export type DefinitionBody = Static<typeof DefinitionBody>

/** As they are shown, with every default written out. */
export const definitionMembers = {
  name: definitionInput.name,
  rules: Type.Array(Rule, { description: 'Asked in order; the first that matches decides.' }),
  default: { ...Action, description: defaultText },
  failover: { ...Type.Required(Failover), description: 'When another account is asked.' },
  limits: nullable({
    ...Type.Required(Limits),
    description: 'What the route promises to find an account for. Null: no promise.',
  }),
  examples: Type.Array(ExampleShape, { description: 'Tests of the route.' }),
}
