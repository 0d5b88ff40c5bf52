import { type Static, Type } from 'typebox'
import { CreatedAt, Deleted, IdOf, nullable, nullableWithNullExample, OneOf } from '../../../kernel/shapes.ts'
import { TaxCode } from '../products/schema/product.ts'
import { Category, percentage } from '../tax-rates/schema.ts'
import { customerTypes, taxReasons } from './decide.ts'
import type { TaxPreview, TaxRule } from './tax-rule.ts'

export const maxRules = 500

const position = {
  description: 'Position in the order in which rules are tried, starting with 1.',
  examples: [1],
  loggable: true,
}
const country = Type.String({
  pattern: '^[A-Z]{2}$',
  faultDetail: 'must be a two-letter country code, such as DE',
  description:
    'Two-letter ISO 3166-1 code of the country of the customer: from the address, otherwise from the VAT id, otherwise the country of the seller. Null: any country.',
  examples: ['DE'],
  loggable: true,
})
const customerType = OneOf(customerTypes, {
  description: '`business`: customers with a tax id. `consumer`: customers without one. Null: both.',
  examples: ['consumer'],
  loggable: true,
})
const taxCode = { ...TaxCode, description: '`tax_code` of the product. Null: any product.' }

export const TaxRuleObject = Type.Object(
  {
    id: IdOf('tax_rule'),
    object: Type.Literal('tax_rule'),
    position: Type.Integer(position),
    country: nullable(country),
    customer_type: nullableWithNullExample(customerType),
    tax_code: nullableWithNullExample(taxCode),
    tax_rate_id: IdOf('tax_rate'),
    created_at: CreatedAt,
  },
  {
    $id: 'TaxRule',
    description: 'Selects the tax rate of invoice lines. The first rule that matches applies.',
  },
)

export const TaxRules = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(TaxRuleObject, { description: 'All rules, in the order in which they are tried.' }),
  has_more: Type.Literal(false),
  url: Type.Literal('/tax-rules'),
})

export const TaxRulePath = Type.Object({ tax_rule_id: IdOf('tax_rule') })
export const DeletedTaxRule = Deleted('tax_rule', 'DeletedTaxRule')

export const CreateTaxRule = Type.Object(
  {
    tax_rate_id: IdOf('tax_rate'),
    country: Type.Optional(nullable(country)),
    customer_type: Type.Optional(nullable(customerType)),
    tax_code: Type.Optional(nullable(taxCode)),
    position: Type.Optional(
      Type.Integer({
        ...position,
        minimum: 1,
        maximum: maxRules,
        description:
          'Position of the new rule. This rule and the rules after it move down by one. Omit it to add the rule at the end.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type CreateTaxRule = Static<typeof CreateTaxRule>

export const PreviewTaxRule = Type.Object(
  {
    customer_id: IdOf('customer'),
    tax_code: Type.Optional(nullable({ ...taxCode, description: '`tax_code` of a product. Null: none.' })),
  },
  { additionalProperties: false },
)
export type PreviewTaxRule = Static<typeof PreviewTaxRule>

export const TaxPreviewObject = Type.Object(
  {
    object: Type.Literal('tax_preview'),
    reason: OneOf(taxReasons, {
      description:
        '`rule`: the rule `tax_rule_id` applies. `no_rule`: no rule matches, so there is no tax. `reverse_charge`: the customer owes the tax. `customer_exempt`: the customer has `tax_exempt`. `small_business`: the seller charges no tax. `tax_off`: `tax` of the seller is `none`. `tax_provider`: the tax provider decides.',
      examples: ['rule'],
      loggable: true,
    }),
    tax_rule_id: nullable(IdOf('tax_rule')),
    tax_rate_id: nullable(IdOf('tax_rate')),
    percentage: nullable({ ...percentage, description: 'Percentage of tax. Null: no tax.' }),
    category: nullable(Category),
    country: nullable({ ...country, description: 'Country that the rules are compared with.' }),
    customer_type: OneOf(customerTypes, {
      description: '`business`: the customer has a tax id. `consumer`: it has none.',
      examples: ['consumer'],
      loggable: true,
    }),
  },
  { $id: 'TaxPreview', description: 'The tax rate of a customer, and why it applies.' },
)

export function presentPreview(preview: TaxPreview): Static<typeof TaxPreviewObject> {
  const { rate } = preview
  return {
    object: 'tax_preview',
    reason: preview.reason,
    tax_rule_id: preview.ruleId,
    tax_rate_id: rate?.id ?? null,
    percentage: rate?.percentage ?? null,
    category: (rate?.category ?? null) as Static<typeof Category> | null,
    country: preview.country,
    customer_type: preview.customerType,
  }
}

export function present(rule: TaxRule): Static<typeof TaxRuleObject> {
  return {
    id: rule.id,
    object: 'tax_rule',
    position: rule.position,
    country: rule.country,
    customer_type: rule.customerType,
    tax_code: rule.taxCode,
    tax_rate_id: rule.taxRateId,
    created_at: rule.createdAt.toISOString(),
  }
}

export function presentList(rules: readonly TaxRule[]): Static<typeof TaxRules> {
  return { object: 'list', data: rules.map(present), has_more: false, url: '/tax-rules' }
}

export function presentDeleted({ id }: Pick<TaxRule, 'id'>): Static<typeof DeletedTaxRule> {
  return { id, object: 'tax_rule', deleted: true }
}
