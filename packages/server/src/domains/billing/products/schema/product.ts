/** API schemas of products. */
import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  Deleted,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  UpdatedAt,
} from '../../../../kernel/shapes.ts'
import type { Product } from '../product.ts'

const text = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] })

const name = text(250, 'Name of the product.', 'Team plan')
const description = nullable(text(5000, 'Description of the product.', 'For teams of up to 50.'))
const active = Type.Boolean({
  description: 'Whether the product can be bought.',
  examples: [true],
  loggable: true,
})
const unitLabel = nullable(text(40, 'Name of one unit, shown on invoices.', 'seat'))
export const TaxCode = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,100}$',
  faultDetail: 'must consist of 1 to 100 letters, digits, ".", "_" or "-"',
  description: 'Code of your choice that tax rules use to recognize products, such as `books`.',
  examples: ['books'],
})
const taxCode = nullable(TaxCode)
const features = Type.Array(text(200, 'Short description of one feature.', 'Unlimited projects'), {
  maxItems: 20,
  description: 'Features to show on your pricing page.',
})

export const ProductObject = Type.Object(
  {
    id: IdOf('product'),
    object: Type.Literal('product'),
    name,
    description,
    active,
    unit_label: unitLabel,
    tax_code: taxCode,
    features,
    default_price_id: nullable(IdOf('price', 'Price to show by default. Null if there is none.')),
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'Product', description: 'Something that you sell.' },
)

const settings = {
  description: Type.Optional(description),
  active: Type.Optional(active),
  unit_label: Type.Optional(unitLabel),
  tax_code: Type.Optional(taxCode),
  features: Type.Optional(features),
  metadata: Type.Optional(MetadataChange),
}

export const CreateProduct = Type.Object({ name, ...settings }, { additionalProperties: false })
export type CreateProduct = Static<typeof CreateProduct>

export const UpdateProduct = Type.Object(
  {
    name: Type.Optional(name),
    ...settings,
    default_price_id: Type.Optional(
      nullable(
        Type.String({
          maxLength: 210,
          description: 'Active price of this product, by its ID or as `lookup:<key>`.',
          examples: ['lookup:team_monthly_eur'],
        }),
      ),
    ),
  },
  { additionalProperties: false },
)
export type UpdateProduct = Static<typeof UpdateProduct>

export const ProductPath = Type.Object({ product_id: IdOf('product') })
export const DeletedProduct = Deleted('product', 'DeletedProduct')

export function presentProduct(product: Product): Static<typeof ProductObject> {
  return {
    id: product.id,
    object: 'product',
    name: product.name,
    description: product.description,
    active: product.active,
    unit_label: product.unitLabel,
    tax_code: product.taxCode,
    features: [...product.features],
    default_price_id: product.defaultPriceId,
    metadata: product.metadata,
    created_at: product.createdAt.toISOString(),
    updated_at: product.updatedAt.toISOString(),
  }
}

export function presentDeletedProduct({ id }: Product): Static<typeof DeletedProduct> {
  return { id, object: 'product', deleted: true }
}
