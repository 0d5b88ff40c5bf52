/** Products on the wire. */
import { type Static, Type } from 'typebox'
import { Deleted, IdOf, Metadata, MetadataChange, nullable, Time } from '../../../kernel/shapes.ts'
import type { Product } from '../product.ts'

const text = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] })

const name = text(250, 'What it is called.', 'Team plan')
const description = nullable(text(5000, 'What it is, in a few sentences.', 'For teams of up to 50.'))
const active = Type.Boolean({ description: 'Whether it can be bought.', examples: [true], loggable: true })
const unitLabel = nullable(text(40, 'What one unit of it is called, on invoices.', 'seat'))
const features = Type.Array(text(200, 'What it offers, in a few words.', 'Unlimited projects'), {
  maxItems: 20,
  description: 'What it offers, for your pages.',
})

export const ProductObject = Type.Object(
  {
    id: IdOf('product'),
    object: Type.Literal('product'),
    name,
    description,
    active,
    unit_label: unitLabel,
    features,
    default_price_id: nullable(IdOf('price', 'The price to show first.')),
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Product', description: 'Something that you sell.' },
)

const settings = {
  description: Type.Optional(description),
  active: Type.Optional(active),
  unit_label: Type.Optional(unitLabel),
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
          description: 'An active price of this product, by its id or as `lookup:<key>`.',
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
