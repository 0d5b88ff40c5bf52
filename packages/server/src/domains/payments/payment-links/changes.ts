/** Applies a request to a payment link: a sent member replaces the value, metadata is merged by key. */
import type { CheckoutMode, Collectable, CustomField, LineItem, OpenAmount } from '../../../kernel/cart.ts'
import type { Currency } from '../../../kernel/currency.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { AfterCompletion, LinkDetails } from './payment-link.ts'

/** In the format of the API. Omitted members get defaults. */
export type CartInput = {
  readonly amount?: number
  readonly open_amount?: { readonly min: number; readonly max: number; readonly suggested?: number | null }
  readonly line_items?: readonly ItemInput[]
}
export type ItemInput = Pick<LineItem, 'name' | 'unit_amount'> &
  Partial<Pick<LineItem, 'description' | 'quantity' | 'adjustable_quantity'>>
export type FieldInput = Pick<CustomField, 'key' | 'label'> & Partial<CustomField>

export type LinkInput = {
  readonly max_completions?: number | null
  readonly expires_at?: string
  readonly collect?: readonly Collectable[]
  readonly custom_fields?: readonly FieldInput[]
  readonly after_completion?: {
    readonly type: 'page' | 'redirect'
    readonly message?: string | null
    readonly url?: string
  }
  readonly locale?: string | null
  readonly description?: string | null
  readonly metadata?: { readonly [key: string]: string | null }
}

export function cartOf({ amount, open_amount: open, line_items: items }: CartInput) {
  return {
    amount: amount === undefined ? null : BigInt(amount),
    openAmount: open === undefined ? null : ({ ...open, suggested: open.suggested ?? null } as OpenAmount),
    lineItems: items?.map(toLineItem) ?? null,
  }
}

/** A card can be stored without a currency. Providers verify it in the given one. */
export function currencyOf(mode: CheckoutMode, { currency }: { readonly currency?: Currency }): Currency {
  if (currency !== undefined) return currency
  return mode === 'setup' ? 'eur' : refuseMember('/currency', 'required', 'is required')
}

function toLineItem({ description, quantity, adjustable_quantity, ...item }: ItemInput): LineItem {
  return {
    ...item,
    description: description ?? null,
    quantity: quantity ?? 1,
    adjustable_quantity: adjustable_quantity ?? false,
  }
}

export function fieldsOf(fields: readonly FieldInput[]): CustomField[] {
  return fields.map(({ key, label, type, required, options }) => ({
    key,
    label,
    type: type ?? 'text',
    required: required ?? false,
    options: options ?? [],
  }))
}

/** Applies all members except customer and route, which `withReferences` looks up. */
export function applyInput<D extends LinkDetails>(before: D, input: LinkInput): D {
  const { custom_fields: fields, after_completion: after, metadata = {} } = input
  return {
    ...before,
    maxCompletions: input.max_completions === undefined ? before.maxCompletions : input.max_completions,
    expiresAt: input.expires_at === undefined ? before.expiresAt : new Date(input.expires_at),
    collect: input.collect ?? before.collect,
    customFields: fields === undefined ? before.customFields : fieldsOf(fields),
    afterCompletion: after === undefined ? before.afterCompletion : toAfterCompletion(after),
    locale: input.locale === undefined ? before.locale : input.locale,
    description: input.description === undefined ? before.description : input.description,
    metadata: mergeMetadata(before.metadata, metadata),
  }
}

function toAfterCompletion(after: NonNullable<LinkInput['after_completion']>): AfterCompletion {
  if (after.type === 'redirect') return { type: 'redirect', url: after.url ?? '' }
  return { type: 'page', message: after.message ?? null }
}

/** Ignores the order of members, because PostgreSQL does not keep it. */
export function isSame(a: LinkDetails, b: LinkDetails): boolean {
  return comparableText(a) === comparableText(b)
}

function comparableText(link: LinkDetails): string {
  const { maxCompletions, collect, customFields, afterCompletion, locale, description, metadata } = link
  const { customerId, paymentRouteId } = link
  const expiresAt = link.expiresAt.toISOString()
  const texts = { locale, description, metadata, customerId, paymentRouteId, expiresAt }
  return canonical({ maxCompletions, collect, customFields, afterCompletion, ...texts })
}
