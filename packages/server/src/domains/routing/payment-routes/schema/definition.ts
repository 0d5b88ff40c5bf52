/** API schema of a route definition. The domain validates condition trees, with more precise errors. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../../kernel/currency.ts'
import { IdOf, nullable, OneOf } from '../../../../kernel/shapes.ts'
import { defaultAdaptive, maxWindowDays, neededAttempts } from '../adaptive/adaptive.ts'
import type { ActionInput } from '../definition-input.ts'
import { fieldNames } from '../engine/operands.ts'
import {
  type Condition,
  type Example,
  failoverClasses,
  maxCounts,
  operators,
  orders,
  type Share,
  segmentOperands,
  splitKeys,
} from '../payment-route.ts'

const accountId = 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1'
const otherId = 'provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ2'

const name = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] })

const When = Type.Unsafe<Condition>({
  type: 'object',
  additionalProperties: true,
  description: `\`{all: […]}\`, \`{any: […]}\`, \`{not: …}\` or \`{field, op, value}\`, nested at most ${maxCounts.depth} levels deep with at most ${maxCounts.conditions} conditions. \`{all: []}\` matches every payment. Fields: ${fieldNames.join(', ')}, metadata.<key>, customer.metadata.<key>, estimated_cost.<provider_account_id>. Operators: ${operators.join(', ')}. If a payment does not have the field, only \`exists\` with the value false matches.`,
  examples: [{ all: [{ field: 'currency', op: 'eq', value: 'eur' }] }],
})

const Target = Type.Unsafe<string | Share>({
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 100,
  properties: {
    provider_account_id: IdOf('provider_account'),
    weight: Type.Integer({ minimum: 0, maximum: 100, description: 'Weight in percent.', examples: [80] }),
  },
  required: ['provider_account_id', 'weight'],
  additionalProperties: false,
})

const accountIdInput = Type.String({ minLength: 1, maxLength: 100, examples: [otherId] })

const neededText = neededAttempts.toLocaleString('en')

const Adaptive = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether adaptive ordering is enabled.', examples: [true] }),
    window_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxWindowDays,
        description: 'Length of the window in days. Older attempts are not counted.',
        default: defaultAdaptive.window_days,
      }),
    ),
    exploration_percent: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 10,
        description:
          'Maximum percentage of payments that are sent to an account other than the best one, to collect data.',
        default: defaultAdaptive.exploration_percent,
      }),
    ),
    segment_by: Type.Optional(
      Type.Array(OneOf(segmentOperands), {
        maxItems: segmentOperands.length,
        description: `Fields that form segments: accounts are compared only among payments with the same values. Default: ${segmentOperands.join(', ')}.`,
        examples: [['currency', 'card.country']],
      }),
    ),
  },
  {
    additionalProperties: false,
    description: `For \`priority\`: orders the accounts by their approval rates. While a segment has fewer than ${neededText} attempts in the window, the fixed order is used. If omitted, the fixed order is always used.`,
    examples: [{ enabled: true, window_days: 14, exploration_percent: 5, segment_by: ['currency'] }],
  },
)

const actionMembers = {
  type: OneOf(['priority', 'split', 'decline'], {
    description:
      '`priority`: use the first eligible account in `targets`. `split`: distribute payments among the accounts by weight. `decline`: decline the payment.',
    examples: ['priority'],
  }),
  targets: Type.Optional(
    Type.Array(Target, {
      minItems: 1,
      maxItems: maxCounts.targets,
      description:
        'For `priority`: account IDs in order. For `split`: accounts with their `weight`; the weights must add up to 100.',
      examples: [[accountId, otherId]],
    }),
  ),
  key: Type.Optional(
    OneOf(splitKeys, {
      description:
        'For `split`: what the distribution is based on. With `customer`, all payments of a customer go to the same account. Default: `payment`.',
    }),
  ),
  salt: Type.Optional(
    name(
      100,
      'For `split`: salt of the hash that selects the account. While it is unchanged, changing the weights reassigns only as many payments as necessary. Default: the name of the rule.',
      'EU cards',
    ),
  ),
  fallback: Type.Optional(
    Type.Array(accountIdInput, {
      maxItems: maxCounts.targets,
      description: 'For `split`: accounts that are tried if none of the targets is eligible.',
    }),
  ),
  order_by: Type.Optional(
    OneOf(orders, {
      description:
        'For `priority`: `estimated_cost` tries the account with the lowest estimated cost first, based on the `costs` of the accounts. Accounts whose cost is unknown are tried last, and accounts with the same cost in the order of `targets`. If omitted, the order of `targets` is used.',
    }),
  ),
  adaptive: Type.Optional(Adaptive),
}

const Action = Type.Unsafe<ActionInput>(
  Type.Object(actionMembers, {
    sharedAs: 'PaymentRouteAction',
    additionalProperties: false,
    examples: [{ type: 'priority', targets: [accountId, otherId] }],
  }),
)

const Rule = Type.Object(
  {
    name: name(100, 'Name of the rule. It must be unique within the route.', 'EU cards'),
    when: When,
    then: { ...Action, description: 'Action for payments that match.' },
  },
  { sharedAs: 'PaymentRouteRule', additionalProperties: false },
)

const Failover = Type.Object(
  {
    max_attempts: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 5, description: 'Maximum number of accounts to try.', default: 2 }),
    ),
    budget_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description: 'Time in milliseconds after which no other account is tried.',
        default: 20_000,
      }),
    ),
    on: Type.Optional(
      Type.Array(OneOf(failoverClasses), {
        maxItems: failoverClasses.length,
        description:
          'Failures after which another account is tried. The list can be shortened but not extended: after an unknown outcome, a hard decline or suspected fraud, no other account is tried.',
        examples: [['technical', 'configuration', 'soft']],
      }),
    ),
  },
  { additionalProperties: false, description: 'When another account is tried.' },
)

const optionalList = <const Values extends readonly string[]>(
  values: Values,
  description: string,
  example: string,
) =>
  Type.Optional(
    Type.Array(OneOf(values), { minItems: 1, maxItems: values.length, description, examples: [[example]] }),
  )
const codes = (pattern: string, description: string, examples: readonly string[]) =>
  Type.Optional(
    nullable(
      Type.Array(Type.String({ pattern }), { minItems: 1, maxItems: 300, description, examples: [examples] }),
    ),
  )
const amountLimit = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 999_999_999_999, description })

const Limits = Type.Object(
  {
    currencies: Type.Array(
      OneOf(currencies, { faultDetail: 'must be a lowercase currency code, such as eur' }),
      {
        minItems: 1,
        maxItems: 300,
        description: 'Currencies in lowercase.',
        examples: [['eur']],
      },
    ),
    amount: Type.Optional(
      nullable(
        Type.Object(
          {
            min: amountLimit('Minimum amount in minor units.'),
            max: amountLimit('Maximum amount in minor units.'),
          },
          {
            additionalProperties: false,
            description: 'Null: any amount.',
            examples: [{ min: 1, max: 1_000_000 }],
          },
        ),
      ),
    ),
    brands: codes('^[a-z0-9_]{1,40}$', 'Card brands. Null: any.', ['visa', 'mastercard']),
    countries: codes('^[A-Z]{2}$', 'Countries of card issuers. Null: any.', ['DE', 'FR']),
    purposes: optionalList(['payment', 'verification'], 'Default: `payment`.', 'payment'),
    capture_methods: optionalList(['automatic', 'manual'], 'Default: `automatic`.', 'automatic'),
    initiators: optionalList(['customer', 'merchant'], 'Default: `customer`.', 'customer'),
  },
  {
    additionalProperties: false,
    description:
      'Payments that the route guarantees to find an account for. A route that has no account for such a payment cannot be published. Null: no guarantee.',
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
    'A hypothetical payment, described by the fields that rules use. `amount` and `currency` are required; omitted fields get defaults.',
  examples: [{ amount: 1299, currency: 'eur', 'card.country': 'DE' }],
})

const ExampleShape = Type.Unsafe<Example>(
  Type.Object(
    {
      name: name(100, 'Name of the test case.', 'A German card goes to our acquirer'),
      payment: OperandsObject,
      expect: Type.Object(
        {
          provider_account_id: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 100,
              description: 'Account that must be selected.',
              examples: [accountId],
            }),
          ),
          decline: Type.Optional(Type.Literal(true, { description: 'The payment must be declined.' })),
        },
        {
          additionalProperties: false,
          minProperties: 1,
          maxProperties: 1,
          description: 'Account that must be selected, or `{decline: true}`.',
          examples: [{ provider_account_id: accountId }],
        },
      ),
    },
    { sharedAs: 'PaymentRouteExample', additionalProperties: false },
  ),
)

const defaultText = 'Action for payments that no rule matches.'

/** The members of a definition in requests. */
export const definitionInput = {
  name: name(100, 'Name of the route.', 'Cards in euros'),
  rules: Type.Optional(
    Type.Array(Rule, {
      maxItems: maxCounts.rules,
      description: `Rules in order of evaluation; the first match decides. At most ${maxCounts.rules}.`,
    }),
  ),
  default: { ...Action, description: defaultText },
  failover: Type.Optional(Failover),
  limits: Type.Optional(nullable(Limits)),
  examples: Type.Optional(
    Type.Array(ExampleShape, {
      maxItems: maxCounts.examples,
      description: 'Test cases for the route. It cannot be published while one of them fails.',
    }),
  ),
}

export const DefinitionBody = Type.Object(definitionInput, { additionalProperties: false })
export type DefinitionBody = Static<typeof DefinitionBody>

/** The members of a definition in responses, with every default filled in. */
export const definitionMembers = {
  name: definitionInput.name,
  rules: Type.Array(Rule, { description: 'Rules in order of evaluation; the first match decides.' }),
  default: { ...Action, description: defaultText },
  failover: { ...Type.Required(Failover), description: 'When another account is tried.' },
  limits: nullable({
    ...Type.Required(Limits),
    description: 'Payments that the route guarantees to find an account for. Null: no guarantee.',
  }),
  examples: Type.Array(ExampleShape, { description: 'Test cases for the route.' }),
}
