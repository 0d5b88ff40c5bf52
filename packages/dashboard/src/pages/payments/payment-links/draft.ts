/** The state of the payment link form, and the request body it sends. No side effects. */
import type { CreatePaymentLink, PaymentLink, UpdatePaymentLink } from '@switchyard/sdk'
import { amountOf } from '../../../format/money.ts'

export type CollectedField = NonNullable<CreatePaymentLink['collect']>[number]
export const collectableFields: readonly CollectedField[] = [
  'name',
  'email',
  'phone',
  'billing_address',
  'shipping_address',
]

export type ItemDraft = { readonly name: string; readonly amount: string; readonly quantity: string }

/** The fields that can be edited after creation. */
export type SettingsDraft = {
  readonly description: string
  /** Empty: no limit. */
  readonly maxPayments: string
  /** A day; empty: 30 days from now. */
  readonly expires: string
  readonly collect: readonly CollectedField[]
  readonly message: string
  readonly redirect: string
}

export type LinkDraft = SettingsDraft & {
  readonly kind: 'fixed' | 'open' | 'items' | 'subscription' | 'setup'
  readonly currency: NonNullable<CreatePaymentLink['currency']>
  readonly amount: string
  readonly min: string
  readonly max: string
  readonly items: readonly ItemDraft[]
  readonly priceId: string
  readonly quantity: string
  readonly isQuantityAdjustable: boolean
  /** 0: no trial. */
  readonly trialDays: string
  readonly isManualCapture: boolean
}

export const emptyItem: ItemDraft = { name: '', amount: '', quantity: '1' }

export const emptyLink: LinkDraft = {
  kind: 'fixed',
  currency: 'eur',
  amount: '',
  min: '',
  max: '',
  items: [emptyItem],
  priceId: '',
  quantity: '1',
  isQuantityAdjustable: false,
  trialDays: '0',
  isManualCapture: false,
  description: '',
  maxPayments: '1',
  expires: '',
  collect: [],
  message: '',
  redirect: '',
}

export function createBody(draft: LinkDraft): CreatePaymentLink {
  return {
    ...priceOf(draft),
    ...(isPayment(draft) ? { currency: draft.currency } : {}),
    ...(isPayment(draft) && draft.isManualCapture ? { capture_method: 'manual' as const } : {}),
    ...changedSettings(draft, emptyLink),
  }
}

/** Whether the customer pays once. */
export function isPayment({ kind }: Pick<LinkDraft, 'kind'>): boolean {
  return kind !== 'subscription' && kind !== 'setup'
}

function priceOf(draft: LinkDraft): Partial<CreatePaymentLink> {
  const { kind, currency, amount, min, max, items } = draft
  const money = (text: string) => amountOf(text, currency) ?? 0
  switch (kind) {
    case 'setup':
      return { mode: 'setup' }
    case 'subscription':
      return subscriptionOf(draft)
    case 'fixed':
      return { amount: money(amount) }
    case 'open':
      return { open_amount: { min: money(min), max: money(max) } }
    case 'items':
      return {
        line_items: items.map((item) => ({
          name: item.name.trim(),
          unit_amount: money(item.amount),
          quantity: Number(item.quantity) || 1,
        })),
      }
  }
}

function subscriptionOf(draft: LinkDraft): Partial<CreatePaymentLink> {
  const days = Number(draft.trialDays) || 0
  const item = { price_id: draft.priceId, quantity: Number(draft.quantity) || 1 }
  return {
    mode: 'subscription',
    line_items: [draft.isQuantityAdjustable ? { ...item, adjustable_quantity: true } : item],
    ...(days === 0 ? {} : { subscription: { trial: { days } } }),
  }
}

/** The amount to pay, if it is fixed. */
export function totalOf(draft: LinkDraft): number | null {
  const { kind, currency, amount, items } = draft
  if (kind === 'open' || !isPayment(draft)) return null
  if (kind === 'fixed') return amountOf(amount, currency)
  const sums = items.map((item) => {
    const each = amountOf(item.amount, currency)
    return each === null ? null : each * (Number(item.quantity) || 1)
  })
  return sums.some((sum) => sum === null) ? null : sums.reduce<number>((sum, one) => sum + (one ?? 0), 0)
}

export function settingsDraftOf(link: PaymentLink): SettingsDraft {
  return {
    description: link.description ?? '',
    maxPayments: link.max_completions === null ? '' : String(link.max_completions),
    expires: dayOf(link.expires_at),
    collect: link.collect,
    message: link.after_completion.message ?? '',
    redirect: link.after_completion.url ?? '',
  }
}

/** Only the changed fields. */
export function changedSettings(draft: SettingsDraft, before: SettingsDraft): UpdatePaymentLink {
  const isChanged = (name: keyof SettingsDraft) => String(draft[name]) !== String(before[name])
  return {
    ...(isChanged('description') ? { description: draft.description.trim() || null } : {}),
    ...(isChanged('maxPayments')
      ? { max_completions: draft.maxPayments.trim() === '' ? null : Number(draft.maxPayments) }
      : {}),
    ...(isChanged('expires') && draft.expires !== '' ? { expires_at: endOf(draft.expires) } : {}),
    ...(isChanged('collect') ? { collect: [...draft.collect] } : {}),
    ...(isChanged('message') || isChanged('redirect') ? { after_completion: afterCompletionOf(draft) } : {}),
  }
}

function afterCompletionOf({
  message,
  redirect,
}: SettingsDraft): NonNullable<UpdatePaymentLink['after_completion']> {
  if (redirect.trim() !== '') return { type: 'redirect', url: redirect.trim() }
  return { type: 'page', message: message.trim() || null }
}

/** The end of the day in local time, so that the day is included. */
function endOf(day: string): string {
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) ? day : end.toISOString()
}

function dayOf(at: string): string {
  const date = new Date(at)
  const padded = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`
}
