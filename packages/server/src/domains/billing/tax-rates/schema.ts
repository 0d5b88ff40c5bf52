import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithNullExample,
  OneOf,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { type TaxRate, taxCategories } from './tax-rate.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Name of the rate, shown in the dashboard.',
  examples: ['Germany 19%'],
})
export const percentage = Type.String({
  pattern: '^(100|[0-9]{1,2}(\\.[0-9]{1,4})?)$',
  faultDetail: 'must be a decimal from 0 to 100 with up to 4 decimals, such as 19 or 8.875',
  description: 'Percentage as a decimal, such as `19` or `8.875`.',
  examples: ['19'],
  loggable: true,
})
const country = Type.String({
  pattern: '^[A-Z]{2}$',
  faultDetail: 'must be a two-letter country code, such as DE',
  description: 'Two-letter ISO 3166-1 code of the country that levies the tax. Informational.',
  examples: ['DE'],
  loggable: true,
})
const category = {
  description:
    'EN 16931 category. `S`: standard or reduced rate. `Z`: zero rate. `E`: exempt. `AE`: reverse charge. `K`: intra-community supply. `G`: export. `O`: not subject to tax. Only `S` has a percentage above 0.',
  examples: ['S' as const],
  loggable: true,
}
export const Category = OneOf(taxCategories, category)
const exemptionReason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Why no tax is charged, printed on invoices.',
  examples: ['Exempt under Article 132 of Directive 2006/112/EC'],
})
const active = Type.Boolean({
  description: 'Whether new tax rules can use the rate. False: the rate is archived.',
  examples: [true],
  loggable: true,
})

export const TaxRateObject = Type.Object(
  {
    id: IdOf('tax_rate'),
    object: Type.Literal('tax_rate'),
    name,
    percentage,
    country: nullable(country),
    category: Category,
    exemption_reason: nullableWithNullExample(exemptionReason),
    active,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'TaxRate', description: 'A percentage of tax. It cannot be changed, because invoices refer to it.' },
)

export const TaxRatePath = Type.Object({ tax_rate_id: IdOf('tax_rate') })

export const CreateTaxRate = Type.Object(
  {
    name,
    percentage,
    country: Type.Optional(nullable(country)),
    category: Type.Optional(OneOf(taxCategories, { ...category, default: 'S' })),
    exemption_reason: Type.Optional(nullable(exemptionReason)),
  },
  { additionalProperties: false },
)
export type CreateTaxRate = Static<typeof CreateTaxRate>

export const UpdateTaxRate = Type.Object(
  { name: Type.Optional(name), active: Type.Optional(active) },
  { additionalProperties: false },
)
export type UpdateTaxRate = Static<typeof UpdateTaxRate>

export function present(rate: TaxRate): Static<typeof TaxRateObject> {
  return {
    id: rate.id,
    object: 'tax_rate',
    name: rate.name,
    percentage: rate.percentage,
    country: rate.country,
    category: rate.category,
    exemption_reason: rate.exemptionReason,
    active: rate.active,
    created_at: rate.createdAt.toISOString(),
    updated_at: rate.updatedAt.toISOString(),
  }
}
