/** Applies a request to a payment link: a sent member replaces the value, metadata is merged by key. */
import type { Collectable, CustomField, OpenAmount, SavedMethods } from '../../../kernel/cart.ts'
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { AfterCompletion, LinkDetails } from './payment-link.ts'

/** In the format of the API. Omitted members get defaults. */
export type CartInput = {
  readonly amount?: number
  readonly open_amount?: { readonly min: number; readonly max: number; readonly suggested?: number | null }
}
export type FieldInput = Pick<CustomField, 'key' | 'label'> & Partial<CustomField>

export type LinkInput = {
  readonly max_completions?: number | null
  readonly expires_at?: string
  readonly collect?: readonly Collectable[]
  readonly custom_fields?: readonly FieldInput[]
  readonly saved_methods?: Partial<SavedMethods>
  readonly allow_promotion_codes?: boolean
  readonly after_completion?: {
    readonly type: 'page' | 'redirect'
    readonly message?: string | null
    readonly url?: string
  }
  readonly locale?: string | null
  readonly description?: string | null
  readonly metadata?: { readonly [key: string]: string | null }
}

export function amountsOf({ amount, open_amount: open }: CartInput) {
  return {
    amount: amount === undefined ? null : BigInt(amount),
    openAmount: open === undefined ? null : ({ ...open, suggested: open.suggested ?? null } as OpenAmount),
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
    savedMethods: { ...before.savedMethods, ...input.saved_methods },
    allowPromotionCodes: input.allow_promotion_codes ?? before.allowPromotionCodes,
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
  const { customerId, paymentRouteId, savedMethods, allowPromotionCodes } = link
  const expiresAt = link.expiresAt.toISOString()
  const texts = { locale, description, metadata, customerId, paymentRouteId, expiresAt }
  const page = { collect, customFields, afterCompletion, savedMethods, allowPromotionCodes }
  return canonical({ maxCompletions, ...page, ...texts })
}
