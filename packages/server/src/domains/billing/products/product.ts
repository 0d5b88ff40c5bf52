/** A product that the merchant sells. Its prices define what it costs. */
import type { Id } from '../../../kernel/id.ts'
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'

/** The members that a caller can set. */
export type ProductDetails = {
  readonly name: string
  readonly description: string | null
  readonly active: boolean
  /** The unit of the quantity, such as `seat` or `message`. */
  readonly unitLabel: string | null
  /** The code by which tax rules recognize the product. */
  readonly taxCode: string | null
  readonly features: readonly string[]
  readonly defaultPriceId: Id<'price'> | null
  readonly metadata: { readonly [key: string]: string }
}

export type Product = ProductDetails & {
  readonly id: Id<'product'>
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly deletedAt: Date | null
  readonly version: number
  readonly sequence: number
}

/** A request body without `default_price_id`, which has to be looked up. */
export type ProductInput = {
  readonly name?: string
  readonly description?: string | null
  readonly active?: boolean
  readonly unit_label?: string | null
  readonly tax_code?: string | null
  readonly features?: readonly string[]
  readonly metadata?: { readonly [key: string]: string | null }
}

/** The defaults of omitted members. The name is required. */
export const defaultProductDetails: ProductDetails = {
  name: '',
  description: null,
  active: true,
  unitLabel: null,
  taxCode: null,
  features: [],
  defaultPriceId: null,
  metadata: {},
}

/** Members in the request replace the old values, null clears a value, and metadata is merged by key. */
export function applyToProduct(before: ProductDetails, input: ProductInput): ProductDetails {
  const orPrevious = <T>(value: T | undefined, previous: T) => (value === undefined ? previous : value)
  return {
    name: orPrevious(input.name, before.name),
    description: orPrevious(input.description, before.description),
    active: orPrevious(input.active, before.active),
    unitLabel: orPrevious(input.unit_label, before.unitLabel),
    taxCode: orPrevious(input.tax_code, before.taxCode),
    features: orPrevious(input.features, before.features),
    defaultPriceId: before.defaultPriceId,
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSameProduct(a: ProductDetails, b: ProductDetails): boolean {
  return (Object.keys(defaultProductDetails) as (keyof ProductDetails)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}
