/** A product: what is sold. Its prices say what it costs. */
import type { Id } from '../../kernel/id.ts'
import { canonical } from '../../kernel/json.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'

/** What a caller may set. */
export type ProductDetails = {
  readonly name: string
  readonly description: string | null
  readonly active: boolean
  /** What is counted: `seat`, `message`. */
  readonly unitLabel: string | null
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

/** A request as the wire has it, but for `default_price_id`, which has to be looked up. */
export type ProductInput = {
  readonly name?: string
  readonly description?: string | null
  readonly active?: boolean
  readonly unit_label?: string | null
  readonly features?: readonly string[]
  readonly metadata?: { readonly [key: string]: string | null }
}

/** What a product has that says nothing. Its name must be said. */
export const newProduct: ProductDetails = {
  name: '',
  description: null,
  active: true,
  unitLabel: null,
  features: [],
  defaultPriceId: null,
  metadata: {},
}

/** Members that are sent replace, null clears, metadata merges by key. */
export function applyToProduct(before: ProductDetails, input: ProductInput): ProductDetails {
  const keep = <T>(sent: T | undefined, was: T) => (sent === undefined ? was : sent)
  return {
    name: keep(input.name, before.name),
    description: keep(input.description, before.description),
    active: keep(input.active, before.active),
    unitLabel: keep(input.unit_label, before.unitLabel),
    features: keep(input.features, before.features),
    defaultPriceId: before.defaultPriceId,
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSameProduct(a: ProductDetails, b: ProductDetails): boolean {
  return (Object.keys(newProduct) as (keyof ProductDetails)[]).every(
    (name) => canonical(a[name]) === canonical(b[name]),
  )
}
